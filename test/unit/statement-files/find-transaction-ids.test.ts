import { findIds, type FoundIds } from '@contribution-service/bank-files';
import fc from 'fast-check';

import { transactionIds } from '../../../src/features/bank-statements/reading/search-ids';
import { composeTransactionId, transactionIdTime } from '../../../src/shared/transaction-id';
import { isFullRun } from '../../support/full-run';

const now = new Date('2026-11-30T12:00:00Z');
const issuedAt = new Date('2026-11-02T08:00:00Z');
const findTransactionIds = (texts: readonly string[], tags?: ReadonlySet<string>): FoundIds =>
  findIds(texts, transactionIds(now, tags));

/** Consecutive ids that one company gets within one second, so each id has similar neighbors. */
const neighbors = Array.from({ length: 20_000 }, (_, number) =>
  composeTransactionId('K7Q2', issuedAt, number),
).filter((id) => id !== undefined);
const [id = '', other = ''] = [neighbors[4711], neighbors[9000]];
const anyId = fc.constantFrom(...neighbors);

test('an id contains the time of its creation', () => {
  expect(transactionIdTime(id)).toEqual(issuedAt);
});

test.each([
  ['alone', id],
  ['in lower case', id.toLowerCase()],
  ['in groups', `${id.slice(0, 4)} ${id.slice(4, 8)}-${id.slice(8)}`],
  ['with O for 0 and I for 1', id.replace(/0/g, 'O').replace(/1/g, 'I')],
  ['within a sentence', `donation ${id} thank you`],
  ['after a colon', `/ROC/REF:${id}//URI/x`],
  ['wrapped', `PAYMENT ${id.slice(0, 9)}\n${id.slice(9)} NOVEMBER`],
  ['twice', `${id} ${id}`],
])('an id %s is found once', (_form, text) => {
  expect(findTransactionIds([text])).toEqual({
    ids: [id],
    damaged: [],
  });
});

test('two ids are both found, in their order', () => {
  expect(findTransactionIds([`${other} ${id}`]).ids).toEqual([other, id]);
  expect(findTransactionIds([other, id]).ids).toEqual([other, id]);
});

test('an id within a longer word is found only with its tag', () => {
  const text = `REF${id}X`;
  expect(findTransactionIds([text]).ids).toEqual([]);
  expect(findTransactionIds([text], new Set(['K7Q2'])).ids).toEqual([id]);
  expect(findTransactionIds([text], new Set(['ZZZZ'])).ids).toEqual([]);
});

test('an id from the future is a coincidence', () => {
  expect(findIds([id], transactionIds(new Date('2026-10-01T00:00:00Z'))).ids).toEqual([]);
});

test('a wrong check character is reported, and ordinary text is not', () => {
  const wrong = id.slice(0, -1) + (id.endsWith('7') ? '8' : '7');
  expect(findTransactionIds([wrong])).toEqual({ ids: [], damaged: [wrong] });
  expect(findTransactionIds(['SALARY NOVEMBER 2026, INVOICE 123456789012345'])).toEqual({
    ids: [],
    damaged: [],
  });
});

test('any id is found in any text around it', () => {
  const around = fc.stringMatching(/^[a-z ,./]{0,40}$/);
  fc.assert(
    fc.property(anyId, around, around, (given, before, after) => {
      const { ids: found } = findTransactionIds([`${before}/${given}/${after}`]);
      expect(found).toEqual([given]);
    }),
  );
});

const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
const forms: ((damaged: string) => string)[] = [
  (damaged) => damaged,
  (damaged) => `PAYMENT ${damaged} FROM A FRIEND`,
  (damaged) => `REF:${damaged.slice(0, 7)}\n${damaged.slice(7)} 4711 X`,
];

test('no single wrong character finds an id, with neighbors present', () => {
  const issued = new Set<string>(neighbors);
  let count = 0;
  // 15 positions, 94 characters and 3 texts for each id: more than a million in a full run.
  for (const given of neighbors.filter((_, index) => index % (isFullRun ? 70 : 4000) === 0)) {
    for (let position = 0; position < given.length; position += 1) {
      for (const character of printable) {
        const damaged = given.slice(0, position) + character + given.slice(position + 1);
        // Another spelling of the same character is not damage.
        const read = character.toUpperCase().replace('O', '0').replace(/[IL]/, '1');
        if (read === given[position]) continue;
        for (const form of forms) {
          const { ids: found } = findTransactionIds([form(damaged)]);
          count += 1;
          if (found.some((one) => issued.has(one))) {
            throw new Error(`${form(damaged)} is damaged, but finds ${found.join(' ')}`);
          }
        }
      }
    }
  }
  expect(count).toBeGreaterThan(isFullRun ? 1_000_000 : 20_000);
});
