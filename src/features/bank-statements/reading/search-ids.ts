import { type EntryPart, findIds, type IdScheme } from '@contribution-service/bank-files';

import { groupBy } from '../../../shared/group-by';
import { transactionIds as unbrokenIds } from '../../statements/matching/find-transaction-ids';
import { createRepairs } from './repaired-ids';

export interface SearchContext {
  /**
   * The tags of all environments whose contributions the uploader may ever see. A later link then
   * needs no other search.
   */
  tags: ReadonlySet<string>;
  now: Date;
}

/** The transaction ids in the texts of a line, of all environments, without the texts. */
export interface IdsOfLine {
  /** Ids that are a whole text, exactly as issued. */
  exact: string[];
  /** Ids within a text, in another case, with separators or wrapped. */
  normalized: string[];
  /** Ids within longer words. */
  attached: string[];
  /** Ids that result if one mistake is repaired. Empty if a text contains an undamaged id. */
  repaired: string[];
  hasWrongCheckCharacter: boolean;
}

/** The most ids in the texts of a line. One more shows that there are too many. */
export const mostIdsOfLine = 20;
const mostFound = mostIdsOfLine + 1;

/**
 * @param tags restricts the search to these environments, and finds ids within longer words too
 * @param now ids from the future are ignored as coincidences
 */
export const transactionIds = (now: Date, tags?: ReadonlySet<string>): IdScheme => ({
  ...unbrokenIds({ now, tags }),
  breaks: true,
});

/** The first ids of each tag, so the ids of one environment never displace those of another. */
const mostOfTags = (ids: readonly string[]): string[] =>
  [...groupBy(ids, (id) => id.slice(0, 4)).values()].flatMap((ofTag) => ofTag.slice(0, mostFound));

/**
 * Finds transaction ids in the lines of one file.
 *
 * @returns a function that searches the texts of a line
 */
export function createSearch({
  tags,
  now,
}: SearchContext): (line: Pick<EntryPart, 'references'>) => IdsOfLine {
  const wholeWords = transactionIds(now);
  const anywhere = transactionIds(now, tags);
  const { repairedIds } = createRepairs(tags, anywhere);
  return ({ references }) => {
    // Ids that were never issued are found too, but only as whole words.
    const words = findIds(references, wholeWords);
    const ids = words.ids.slice(0, mostFound);
    const texts = new Set(references);
    return {
      exact: ids.filter((id) => texts.has(id)),
      normalized: ids.filter((id) => !texts.has(id)),
      attached: mostOfTags(findIds(references, anywhere).ids.filter((id) => !ids.includes(id))),
      repaired: ids.length === 0 ? repairedIds(references) : [],
      hasWrongCheckCharacter: words.hasWrongCheckCharacter,
    };
  };
}
