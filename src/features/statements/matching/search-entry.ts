import type { EntryPart } from '@contribution-service/bank-files';

import { groupBy } from '../../../shared/group-by';
import { entryLimits } from '../statement-limits.field';
import { repairedIds } from './damaged-ids';
import { findTransactionIds } from './find-transaction-ids';
import type { StoredSearch } from './match-entry';

export interface SearchContext {
  /**
   * The tags of all environments whose contributions the uploader may ever see. A later link then
   * needs no other search.
   */
  tags: ReadonlySet<string>;
  now: Date;
}

/** Cuts a text, but never within a surrogate pair, because PostgreSQL rejects half of one. */
export const cut = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');

const mostIdentifiers = 20;
/** One id more than the limit shows that there are too many. */
const mostIds = entryLimits.idsPerEntry + 1;

/** Finds the ids and references in the texts of an entry or a part of one. */
export function searchOf(
  part: Pick<EntryPart, 'references' | 'identifiers' | 'nature'>,
  { tags, now }: SearchContext,
): StoredSearch {
  // Ids that were never issued are found too, but only as whole words.
  const words = findTransactionIds(part.references, { now });
  const ids = words.ids.slice(0, mostIds);
  const anywhere = findTransactionIds(part.references, { now, tags }).ids;
  const attached = mostOfTags(anywhere.filter((id) => !ids.includes(id)));
  const texts = new Set(part.references);
  return {
    exact: ids.filter((id) => texts.has(id)),
    normalized: ids.filter((id) => !texts.has(id)),
    ...(attached.length > 0 ? { attached } : {}),
    repaired: ids.length === 0 ? repairedIds(part.references, tags, now) : [],
    hasWrongCheckCharacter: words.hasWrongCheckCharacter,
    identifiers: [...new Set(part.identifiers)]
      .filter((identifier) => identifier.length <= entryLimits.identifierLength)
      .slice(0, mostIdentifiers),
    ...(part.nature && { nature: part.nature }),
  };
}

/** The first ids of each tag, so the ids of one environment never displace those of another. */
function mostOfTags(ids: readonly string[]): string[] {
  return [...groupBy(ids, (id) => id.slice(0, 4)).values()].flatMap((ofTag) => ofTag.slice(0, mostIds));
}
