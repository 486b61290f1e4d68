import { createRepairs, mostRepairs } from '../../../src/features/bank-statements/reading/repaired-ids';
import { transactionIds } from '../../../src/features/bank-statements/reading/search-ids';
import { repairedIds as allRepairs } from '../../../src/features/statements/matching/damaged-ids';
import { generateTransactionId } from '../../../src/shared/transaction-id';

/** Damaged ids get the same candidates as in the earlier search, in much less time. */
const now = new Date('2026-11-30T12:00:00Z');
const tags = new Set(['ABC1', 'ABD1', 'XY99']);
const repairsOf = (known: ReadonlySet<string> = tags) => createRepairs(known, transactionIds(now, known));

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const random = (count: number): number => Math.floor(Math.random() * count);
const letter = (): string => alphabet.charAt(random(32));

function damaged(id: string): string {
  const at = random(id.length);
  return [
    id.slice(0, at) + letter() + id.slice(at + 1),
    id.slice(0, at) + id.slice(at + 1),
    id.slice(0, at) + letter() + id.slice(at),
    id.slice(0, at) + id.charAt(at + 1) + id.charAt(at) + id.slice(at + 2),
  ][random(4)]!;
}

test('it finds what a comparison of all candidates finds', () => {
  for (let round = 0; round < 1_500; round += 1) {
    const [tag = ''] = [...tags].slice(random(3));
    const text = damaged(generateTransactionId(tag, now));
    const found = repairsOf().repairedIds([text]);
    expect({ text, found: found.sort() }).toEqual({ text, found: allRepairs([text], tags, now).sort() });
  }
});

test('texts that share no tag build no candidate, so they do not use up the repairs of a file', () => {
  const { repairedIds } = repairsOf();
  for (let at = 0; at < 5 * mostRepairs; at += 1) expect(repairedIds(['QQQQ0000000000Q'])).toEqual([]);
  const id = generateTransactionId('ABC1', now);
  expect(repairedIds([`${id.slice(0, 6)}${id.slice(7)}`])).toContain(id);
});

test('after the repairs of a file, damaged ids get no candidates', () => {
  const { repairedIds } = repairsOf();
  const id = generateTransactionId('ABC1', now);
  const text = `${id.slice(0, 6)}${id.slice(7)}`;
  for (let at = 0; at < mostRepairs; at += 1) expect(repairedIds([text])).toContain(id);
  expect(repairedIds([text])).toEqual([]);
});
