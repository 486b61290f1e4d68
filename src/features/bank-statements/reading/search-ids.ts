import { type EntryPart, findIds, type IdScheme } from '@contribution-service/bank-files';

import { dayMs } from '../../../shared/clock';
import { groupBy } from '../../../shared/group-by';
import {
  hasCheckCharacter,
  normalizeTransactionId,
  transactionIdLength,
  transactionIdPattern,
  transactionIdTime,
} from '../../../shared/transaction-id';
import { mostIdsOfLine, type StoredSearch } from '../contributions/match-entry';
import { longestReference } from '../settlement-lists/settlement-lists.contract';
import { createRepairs } from '../../../shared/repaired-ids';

export interface SearchContext {
  /**
   * The tags of all environments whose contributions the uploader may ever see. A later link then
   * needs no other search.
   */
  tags: ReadonlySet<string>;
  /** The time of the upload. */
  now: Date;
}

/** What was found in the texts of a line. */
export interface LineSearch {
  /** The ids that identify the line. They do not depend on the time or the tags of the search. */
  ids: readonly string[];
  stored: StoredSearch;
}

/** One id more than the limit shows that there are too many. */
const mostFound = mostIdsOfLine + 1;
const mostIdentifiers = 20;

/**
 * @param tags restricts the search to these environments, and finds ids within longer words too
 * @param now ids from the future are ignored as coincidences
 */
export function transactionIds(now: Date, tags?: ReadonlySet<string>): IdScheme {
  const latest = now.getTime() + dayMs;
  return {
    length: transactionIdLength,
    pattern: transactionIdPattern,
    check: hasCheckCharacter,
    accept: (candidate) => transactionIdTime(candidate).getTime() <= latest,
    startsWith: tags,
    normalize: normalizeTransactionId,
    insideWords: tags !== undefined,
    breaks: true,
  };
}

/** The first ids of each tag, so the ids of one environment never displace those of another. */
const mostOfTags = (ids: readonly string[]): string[] =>
  [...groupBy(ids, (id) => id.slice(0, 4)).values()].flatMap((ofTag) => ofTag.slice(0, mostFound));

/** The references that may name a settlement. */
const identifiersOf = (part: EntryPart): string[] =>
  [...new Set(part.identifiers)].filter(({ length }) => length <= longestReference).slice(0, mostIdentifiers);

/**
 * Finds transaction ids in the lines of one file.
 *
 * @returns a function that searches all `references` of a line
 */
export function createSearch({ tags, now }: SearchContext): (part: EntryPart) => LineSearch {
  const wholeWords = transactionIds(now);
  const anywhere = transactionIds(now, tags);
  const { repairedIds } = createRepairs(tags, anywhere);
  const future = new Set<string>();
  const ofAnyTime: IdScheme = {
    ...wholeWords,
    accept(candidate) {
      if (wholeWords.accept?.(candidate) === false) future.add(candidate);
      return true;
    },
  };
  return (part) => {
    const { references, nature } = part;
    future.clear();
    const known = findIds(references, ofAnyTime);
    // Ids that were never issued are found too, but only as whole words. Without one from the
    // future, both searches find the same.
    const words = future.size > 0 ? findIds(references, wholeWords) : known;
    const ids = words.ids.slice(0, mostFound);
    const texts = new Set(references);
    const attached = mostOfTags(findIds(references, anywhere).ids.filter((id) => !ids.includes(id)));
    // Ordinary words can have the form of an id, but not its tag.
    const damaged = new Set(words.damaged.map((one) => one.slice(0, 4)).filter((tag) => tags.has(tag)));
    return {
      ids: known.ids,
      stored: {
        exact: ids.filter((id) => texts.has(id)),
        normalized: ids.filter((id) => !texts.has(id)),
        ...(attached.length > 0 && { attached }),
        repaired: ids.length === 0 ? repairedIds(references) : [],
        ...(damaged.size > 0 && { damaged: [...damaged] }),
        identifiers: identifiersOf(part),
        ...(nature && { nature }),
      },
    };
  };
}
