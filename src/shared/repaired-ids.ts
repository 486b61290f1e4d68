import { normalizeTransactionId, transactionIdLength } from './transaction-id';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const tagLength = 4;
/** If an entry has more candidates of a tag, none is reliable. */
export const mostCandidates = 64;
/** The number of words of an entry that may be damaged ids. If there are more, none is reliable. */
const mostSuspects = 32;
/** The damaged ids of a file that are repaired. A file with more is not one of payments. */
export const mostRepairs = 1_000;

/** Which candidates are ids. */
export interface RepairScheme {
  pattern: Pick<RegExp, 'test'>;
  check: (candidate: string) => boolean;
  accept?: (candidate: string) => boolean;
}

/** A text with one change: some characters from `at` on are replaced. */
interface Change {
  at: number;
  removed: number;
  added: string;
}

/**
 * The changes that undo one mistake: a wrong, an additional or a missing character, or two swapped
 * neighbors.
 *
 * @param from and `to`: only changes that start between these places
 */
function* changesOf(text: string, from: number, to: number): Generator<Change, void> {
  for (let at = from; at < to; at += 1) {
    if (text.length === transactionIdLength + 1) yield { at, removed: 1, added: '' };
    else if (text.length === transactionIdLength - 1)
      for (const added of alphabet) yield { at, removed: 0, added };
    else {
      for (const added of alphabet) if (added !== text[at]) yield { at, removed: 1, added };
      const [one = '', next = ''] = [text[at], text[at + 1]];
      if (next !== '' && one !== next) yield { at, removed: 2, added: next + one };
    }
  }
}

const applied = (text: string, { at, removed, added }: Change): string =>
  text.slice(0, at) + added + text.slice(at + removed);

/** Texts that may be a damaged id: whole texts, their words, and what is between punctuation. */
function suspectsOf(texts: readonly string[]): string[] {
  const found = new Set<string>();
  for (const text of texts) {
    for (const part of new Set([text, ...text.split(/\s+/), ...text.split(/[^0-9A-Za-z-]+/)])) {
      if (part.length < transactionIdLength - 1) continue;
      const plain = part.replace(/[\s-]/g, '');
      if (Math.abs(plain.length - transactionIdLength) <= 1) found.add(normalizeTransactionId(plain));
    }
  }
  return [...found];
}

/**
 * The texts that differ from this one by one mistake and start with a known tag. It compares tags
 * first, and builds only candidates that have one.
 */
function* candidatesOf(text: string, tags: ReadonlySet<string>): Generator<string, void> {
  const start = text.slice(0, tagLength + 1);
  for (const change of changesOf(text, 0, tagLength)) {
    if (tags.has(applied(start, change).slice(0, tagLength))) yield applied(text, change);
  }
  if (!tags.has(text.slice(0, tagLength))) return;
  for (const change of changesOf(text, tagLength, text.length + 1)) yield applied(text, change);
}

/**
 * Whether a text may start with a tag after one change. A change keeps the first or the second half
 * of the tag, or the outer characters if it swaps the inner ones. Most texts have none of these, so
 * this saves the comparison of all changes.
 */
function createTagFilter(tags: ReadonlySet<string>): (text: string) => boolean {
  const all = [...tags];
  const firstHalves = new Set(all.map((tag) => tag.slice(0, 2)));
  const secondHalves = new Set(all.map((tag) => tag.slice(2)));
  const outer = new Set(all.map((tag) => tag.charAt(0) + tag.charAt(3)));
  return (text) => {
    // An additional character moves the second half to the right, a missing one to the left.
    const at = 2 + text.length - transactionIdLength;
    return (
      firstHalves.has(text.slice(0, 2)) ||
      secondHalves.has(text.slice(2, 4)) ||
      secondHalves.has(text.slice(at, at + 2)) ||
      outer.has(text.charAt(0) + text.charAt(3))
    );
  };
}

/**
 * Finds the ids that result if one mistake in a text is repaired. They are only candidates. Accept
 * a candidate only if no other one exists, and if its amount is the amount of the payment.
 *
 * One object serves one file, because a file has a limit of repairs. Later damaged ids get no
 * candidates.
 *
 * @param tags the environments whose ids are candidates
 * @param scheme decides which candidates are ids
 */
export function createRepairs(tags: ReadonlySet<string>, scheme: RepairScheme) {
  const mayHaveTag = createTagFilter(tags);
  let left = mostRepairs;

  function repair(suspect: string, found: Set<string>, ofTags: Map<string, number>): void {
    let isCounted = false;
    for (const candidate of candidatesOf(suspect, tags)) {
      if (!isCounted) {
        if (left === 0) return;
        left -= 1;
        isCounted = true;
      }
      if (!scheme.pattern.test(candidate) || !scheme.check(candidate)) continue;
      if (scheme.accept?.(candidate) === false || found.has(candidate)) continue;
      const tag = candidate.slice(0, tagLength);
      const count = ofTags.get(tag) ?? 0;
      if (count > mostCandidates) continue;
      ofTags.set(tag, count + 1);
      found.add(candidate);
    }
  }

  return {
    /** @returns at most one more than `mostCandidates` for each tag */
    repairedIds: (texts: readonly string[]): string[] => {
      if (left === 0) return [];
      const suspects = suspectsOf(texts);
      if (suspects.length > mostSuspects) return [];
      const found = new Set<string>();
      const ofTags = new Map<string, number>();
      for (const suspect of suspects) if (mayHaveTag(suspect)) repair(suspect, found, ofTags);
      return [...found];
    },
  };
}
