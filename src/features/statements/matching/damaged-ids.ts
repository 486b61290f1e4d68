import { normalizeTransactionId, transactionIdLength } from '../../../shared/transaction-id';
import { transactionIds } from './find-transaction-ids';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const tagLength = 4;
/** If an entry has more candidates, none is reliable. */
export const mostRepairs = 64;
/** The number of words of an entry that may be damaged ids. If there are more, none is reliable. */
const mostSuspects = 32;

/**
 * The texts that differ from this one by one mistake: one wrong, additional or missing character,
 * or two swapped neighbors.
 *
 * @param end only mistakes before this place
 */
function* neighbors(text: string, end: number): Generator<string, void> {
  if (text.length === transactionIdLength - 1) {
    for (let at = 0; at <= end; at += 1) {
      for (const character of alphabet) yield text.slice(0, at) + character + text.slice(at);
    }
    return;
  }
  if (text.length === transactionIdLength + 1) {
    for (let at = 0; at < end; at += 1) yield text.slice(0, at) + text.slice(at + 1);
    return;
  }
  for (let at = 0; at < end; at += 1) {
    for (const character of alphabet) {
      if (character !== text[at]) yield text.slice(0, at) + character + text.slice(at + 1);
    }
    const [one = '', next = ''] = [text[at], text[at + 1]];
    if (next !== '' && one !== next) yield text.slice(0, at) + next + one + text.slice(at + 2);
  }
}

/** Texts that may be a damaged id: whole texts and their words. */
function* suspects(texts: readonly string[]): Generator<string, void> {
  for (const text of texts) {
    const words = text.split(/\s+/);
    for (const part of words.length > 1 ? [text, ...words] : words) {
      if (part.length < transactionIdLength - 1) continue;
      const plain = part.replace(/[\s-]/g, '');
      if (Math.abs(plain.length - transactionIdLength) <= 1) yield normalizeTransactionId(plain);
    }
  }
}

/**
 * The ids that result if one mistake in a text is repaired: a wrong, missing or additional
 * character, or two swapped ones. They are only candidates. Accept a candidate only if no other one
 * exists, and if its amount is the amount of the payment.
 *
 * @param tags the environments whose ids are candidates. `visibleSearch` later keeps only the ids
 *   that count
 * @param now ids from the future are ignored as coincidences
 * @returns at most one more than `mostRepairs` for each tag
 */
export function repairedIds(texts: readonly string[], tags: ReadonlySet<string>, now: Date): string[] {
  const found = new Set<string>();
  const ofTags = new Map<string, number>();
  const { pattern, check, accept } = transactionIds({ now, tags });
  const distinct = new Set(suspects(texts));
  if (distinct.size > mostSuspects) return [];
  for (const suspect of distinct) {
    // Without a known tag, the mistake is in the tag.
    const hasTag = tags.has(suspect.slice(0, tagLength));
    for (const candidate of neighbors(suspect, hasTag ? suspect.length : tagLength)) {
      const tag = candidate.slice(0, tagLength);
      if (!tags.has(tag) || !pattern.test(candidate) || !check(candidate)) continue;
      if (accept?.(candidate) === false || found.has(candidate)) continue;
      const count = ofTags.get(tag) ?? 0;
      if (count > mostRepairs) continue;
      ofTags.set(tag, count + 1);
      found.add(candidate);
    }
  }
  return [...found];
}
