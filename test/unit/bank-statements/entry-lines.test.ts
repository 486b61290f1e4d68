import type { EntryPart, StatementEntry } from '@contribution-service/bank-files';

import { worthOfPayment, worthOfReturn } from '../../../src/features/bank-statements/rules/counting/amounts';
import { entryLines } from '../../../src/features/bank-statements/rules/reading/entry-lines';
import type { MatchResult } from '../../../src/features/bank-statements/contributions/match-entry';

const part = (more: Partial<EntryPart>): EntryPart => ({
  ...{ line: 1, direction: 'credit', amountCents: 25_00n, currency: 'USD', chargesCents: 0n },
  ...{ identifiers: [], references: [], returnCode: null },
  ...more,
});
const entry = (
  amountCents: bigint,
  parts: EntryPart[],
  more: Partial<StatementEntry> = {},
): StatementEntry => ({
  ...{ ...part({}), amountCents, isBooked: true, bookingDate: '2026-11-20', bankReference: 'REF-1' },
  ...{ parts, unreadable: null },
  ...more,
});
const centsOf = (given: StatementEntry): bigint[] =>
  entryLines(given).map(({ part: { direction }, cents }) => (direction === 'credit' ? cents : -cents));

const euros = { amountCents: 20_00n, currency: 'EUR', counter: { cents: 25_00n, currency: 'USD' } };

test.each([
  ['as the bank states them', entry(50_00n, [part({}), part({})]), [25_00n, 25_00n]],
  ['as their counter values', entry(50_00n, [part(euros), part({})]), [25_00n, 25_00n]],
  [
    'minus their charges',
    entry(49_00n, [part({ chargesCents: 50n }), part({ chargesCents: 50n })]),
    [24_50n, 24_50n],
  ],
  [
    'with the charge of the entry',
    entry(49_00n, [part({}), part({})], { chargesCents: 1_00n }),
    [25_00n, 25_00n, -1_00n],
  ],
  [
    'with a debit among them',
    entry(25_00n, [part({ amountCents: 30_00n }), part({ amountCents: 5_00n, direction: 'debit' })]),
    [30_00n, -5_00n],
  ],
])('parts replace an entry to which they add up, %s', (_, given, expected) => {
  expect(centsOf(given)).toEqual(expected);
  expect(entryLines(given).every(({ isPart, problem }) => isPart && problem === null)).toBe(true);
});

test('the charge of an entry is a line without ids', () => {
  const references = ['K7Q20CR5M3V9XHG'];
  const lines = entryLines(entry(49_00n, [part({}), part({})], { chargesCents: 1_00n, references }));
  expect(lines[2]?.part).toMatchObject({ nature: 'charge', references: [], identifiers: [] });
});

test.each([
  ['one amount is missing', [part({}), part({ amountCents: null })]],
  ['one has another currency', [part({}), part({ currency: 'EUR' })]],
  ['they do not add up', [part({}), part({ amountCents: 1n })]],
])('an entry stays whole, with the texts of its parts, if %s', (_, parts) => {
  const named = parts.map((one, at) => ({ ...one, references: [`text ${at}`] }));
  const [line, ...others] = entryLines(entry(50_00n, named, { references: ['own'] }));
  expect(line).toMatchObject({ cents: 50_00n, problem: 'sums_differ', isPart: false });
  expect([line?.part.references, others]).toEqual([['text 0', 'text 1', 'own'], []]);
});

test('a single part without an amount describes its entry', () => {
  const described = entry(25_00n, [part({ amountCents: null, references: ['gift'], returnCode: 'AC04' })]);
  expect(entryLines(described)).toMatchObject([
    { cents: 25_00n, problem: null, isPart: false, part: { references: ['gift'], returnCode: 'AC04' } },
  ]);
});

test.each([
  ['unreadable', { unreadable: 'no amount' }],
  ['not_booked', { isBooked: false, currency: 'EUR' }],
  ['other_currency', { currency: 'EUR' }],
] as const)('an entry that is %s is one line', (problem, more) => {
  expect(entryLines(entry(50_00n, [part({}), part({})], more))).toMatchObject([{ problem, isPart: false }]);
});

const expectedCents = 25_00n;
const known = { transactionId: 'K7Q20CR5M3V9XHG', environmentId: 1, amountCents: expectedCents };
/** Finds one contribution of 25 dollars. */
const find = (cents: bigint): MatchResult => ({
  matches: [{ ...known, cents, confidence: 'exact', isConfirmed: true }],
});
const worthOf = (
  worth: typeof worthOfPayment,
  cents: bigint,
  chargesCents: bigint,
  statedCents: bigint | null,
) => {
  const { result, chargesCents: charges } = worth({ cents, chargesCents, statedCents }, find);
  return [result.matches[0]?.cents, charges];
};

test.each([
  ['a charge that was deducted', 24_00n, 1_00n, null, [25_00n, 1_00n]],
  ['a charge of more than what is missing', 24_00n, 5_00n, null, [25_00n, 1_00n]],
  ['a charge of less than what is missing', 22_00n, 1_00n, null, [23_00n, 1_00n]],
  ['a charge that was not deducted', 25_00n, 1_00n, null, [25_00n, 0n]],
  ['a charge up to the stated amount', 22_00n, 5_00n, 24_00n, [24_00n, 2_00n]],
  ['a charge above the stated amount', 24_00n, 1_00n, 24_00n, [24_00n, 0n]],
  ['a stated amount that is too large without a charge', 24_00n, 0n, 25_00n, [24_00n, 0n]],
  ['the expected amount, and a larger stated one', 25_00n, 1_00n, 26_00n, [25_00n, 0n]],
])('a payment with %s', (_, cents, charges, stated, expected) => {
  expect(worthOf(worthOfPayment, cents, charges, stated)).toEqual(expected);
});

test.each([
  ['a fee in addition to the principal', 28_00n, 3_00n, 25_00n, [25_00n, 3_00n]],
  ['a fee, and no stated principal', 28_00n, 3_00n, null, [25_00n, 3_00n]],
  ['a fee that explains only a part of the rest', 28_00n, 2_00n, null, [26_00n, 2_00n]],
  ['a stated principal that the fee does not explain', 28_00n, 2_00n, 25_00n, [28_00n, 0n]],
  ['a stated principal of a part', 13_00n, 3_00n, 10_00n, [10_00n, 3_00n]],
  ['no fee', 25_00n, 0n, null, [25_00n, 0n]],
])('a return with %s', (_, cents, charges, stated, expected) => {
  expect(worthOf(worthOfReturn, cents, charges, stated)).toEqual(expected);
});
