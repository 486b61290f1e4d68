import {
  checkCharacter,
  transactionIdLength,
  transactionIdPattern,
  transactionIdTime,
} from '../../../shared/transaction-id';
import { dayMs } from '../../../shared/clock';

export interface FoundTransactionIds {
  /** Each id once, in the order of the texts. */
  transactionIds: string[];
  /** Whether a text has the form of a transaction_id, but its check character does not match. */
  hasWrongCheckCharacter: boolean;
}

export interface SearchOptions {
  /** Ids from the future are ignored as coincidences. */
  now: Date;
  /** Restricts the search to these tags, and finds ids within longer words too. */
  tags?: ReadonlySet<string> | undefined;
}

/**
 * A text without the separators that may occur within an id. Records where its words start and end.
 */
interface Run {
  characters: string;
  starts: ReadonlySet<number>;
  ends: ReadonlySet<number>;
}

/**
 * Splits a text at separators that cannot occur within an id. Spaces, line ends and hyphens can,
 * because banks re-space references. Any other separator ends an id, so a damaged character cannot
 * shift the rest.
 */
function runsOf(text: string): Run[] {
  return text.split(/[^A-Za-z0-9\s-]+/).map((segment) => {
    const words = segment.split(/[\s-]+/).filter((word) => word !== '');
    const ends: number[] = [];
    for (const word of words) ends.push((ends.at(-1) ?? 0) + word.length);
    const characters = words.join('').toUpperCase().replace(/O/g, '0').replace(/[IL]/g, '1');
    return { characters, starts: new Set([0, ...ends]), ends: new Set(ends) };
  });
}

/**
 * Whether the words around a window have one character more than an id. That character may be
 * anywhere, so each of the two possible windows may be the id of another contribution.
 */
function hasOneMore(start: number, starts: ReadonlySet<number>, ends: ReadonlySet<number>): boolean {
  const end = start + transactionIdLength;
  return (starts.has(start) && ends.has(end + 1)) || (starts.has(start - 1) && ends.has(end));
}

/**
 * Finds transaction ids in the texts of a payment: alone, within a sentence, in lower case, wrapped
 * or with separators. Without tags, an id must start and end at a word boundary.
 */
export function findTransactionIds(
  texts: readonly string[],
  { now, tags }: SearchOptions,
): FoundTransactionIds {
  const found = new Set<string>();
  let hasWrongCheckCharacter = false;
  const latest = now.getTime() + dayMs;
  for (const { characters, starts, ends } of texts.flatMap(runsOf)) {
    for (let start = 0; start + transactionIdLength <= characters.length; start += 1) {
      const isWholeWords = starts.has(start) && ends.has(start + transactionIdLength);
      if (!isWholeWords && (tags === undefined || hasOneMore(start, starts, ends))) continue;
      const candidate = characters.slice(start, start + transactionIdLength);
      if (!transactionIdPattern.test(candidate)) continue;
      if (tags !== undefined && !tags.has(candidate.slice(0, 4))) continue;
      if (transactionIdTime(candidate).getTime() > latest) continue;
      if (checkCharacter(candidate.slice(0, -1)) !== candidate.slice(-1)) {
        hasWrongCheckCharacter ||= isWholeWords;
        continue;
      }
      found.add(candidate);
      // With tags, an id must not hide one with another tag, so that the other tags do not matter.
      if (tags === undefined) start += transactionIdLength - 1;
    }
  }
  return { transactionIds: [...found], hasWrongCheckCharacter };
}
