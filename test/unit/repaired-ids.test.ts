import { createRepairs, mostRepairs } from '../../src/shared/repaired-ids';
import { transactionIds } from '../../src/features/bank-statements/reading/search-ids';
import { generateTransactionId } from '../../src/shared/transaction-id';

/** Damaged ids get the candidates that a comparison of all texts finds, in much less time. */
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

/** All ids with a known tag that differ by one mistake. */
function allRepairs(text: string): string[] {
  const { pattern, check, accept } = transactionIds(now, tags);
  const found = new Set<string>();
  for (let at = 0; at <= text.length; at += 1) {
    const [before, after] = [text.slice(0, at), text.slice(at)];
    const swapped = before + after.charAt(1) + after.charAt(0) + after.slice(2);
    const texts = [before + after.slice(1), swapped];
    for (const one of alphabet) texts.push(before + one + after.slice(1), before + one + after);
    for (const candidate of texts)
      if (candidate !== text && tags.has(candidate.slice(0, 4)) && pattern.test(candidate))
        if (check(candidate) && accept?.(candidate) !== false) found.add(candidate);
  }
  return [...found];
}

test('it finds what a comparison of all candidates finds', () => {
  for (let round = 0; round < 1_500; round += 1) {
    const [tag = ''] = [...tags].slice(random(3));
    const text = damaged(generateTransactionId(tag, now));
    const found = repairsOf().repairedIds([text]);
    expect({ text, found: found.sort() }).toEqual({ text, found: allRepairs(text).sort() });
  }
});

test.each(['refund ID, donor', '(ID)', 'ID.', 'Donation/ID/web', 'ref:ID', '"ID"', 'ID;thanks'])(
  'a damaged id is found beside punctuation: %s',
  (text) => {
    const id = generateTransactionId('ABC1', now);
    const swapped = id.slice(0, 8) + id.charAt(9) + id.charAt(8) + id.slice(10);
    const wrong = swapped === id ? `${id.slice(0, 8)}${id.slice(9)}` : swapped;
    expect(repairsOf().repairedIds([text.replace('ID', wrong)])).toContain(id);
  },
);

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
