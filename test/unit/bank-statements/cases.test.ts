import { readFileSync } from 'node:fs';
import path from 'node:path';

import { StatementDays } from '../../support/statement-days';

/** Statements of a field test whose money was wrong, or whose days had a question. */
const ids = ['K7Q20CR5M3V9XHG', 'HJ4S0V9PX4FPV90', 'F30H0V9QCBAHSVY'] as const;
const contributions = ids.map((transactionId) => ({ transactionId, environmentId: 1, amountCents: 25_00n }));
const [first, second] = ids;

const read = (name: string): string => readFileSync(path.join(__dirname, 'cases', `${name}.xml`), 'utf8');

function play(...names: string[]): StatementDays {
  const account = new StatementDays({ contributions });
  for (const name of names) account.upload(read(name));
  return account;
}

const paid = (account: StatementDays, id: string = first): bigint => account.moneyOf(id).paid;
const exact = { isExact: true, unexplained: 0n, ignored: 0n };

test('the fee of a return is a charge, not returned money', () => {
  const account = play('return-with-charge');
  expect(account.questions()).toEqual([]);
  expect(account.moneyOf(first)).toMatchObject({
    paid: 50_00n,
    returned: 25_00n,
    charges: 3_00n,
    toCheck: 0,
  });
  expect(account.reconcile()).toMatchObject({
    ...exact,
    matched: 50_00n,
    returned: -25_00n,
    charges: -3_00n,
  });
});

test('a charge that was not deducted does not make a payment too large', () => {
  const account = play('charge-not-deducted');
  expect(account.moneyOf(first)).toMatchObject({ paid: 25_00n, charges: 0n });
  expect(account.reconcile()).toMatchObject({ ...exact, matched: 25_00n, charges: 0n });
});

test.each([
  ['then', ['reissued-amount-a', 'reissued-amount-b']],
  ['before', ['reissued-amount-b', 'reissued-amount-a']],
])('a corrected statement replaces the old one, uploaded %s it', (_, names) => {
  const account = play(...names);
  expect(account.questions()).toEqual([]);
  expect(paid(account)).toBe(25_00n);
  expect(account.reconcile()).toMatchObject({ ...exact, matched: 25_00n, closingCents: 25_00n });
  expect(account.replaced()).toHaveLength(1);
});

test('the parts of a batch entry that was booked net of charges pay in full', () => {
  const account = play('batch-net-of-charges');
  expect([paid(account), paid(account, second)]).toEqual([25_00n, 25_00n]);
  expect(account.reconcile()).toMatchObject({ ...exact, matched: 49_00n });
});

test('an entry of a statement is booked if the bank states no status', () => {
  const account = play('statement-without-status');
  expect(paid(account)).toBe(25_00n);
  expect(account.reconcile()).toMatchObject({ ...exact, matched: 25_00n });
});

test('a wrong number of entries changes nothing', () => {
  const accounts = ['DZ00009', 'DZ00010'].map((account) => {
    const days = new StatementDays({ contributions });
    days.upload(read('one-account-wrong-count'), { account });
    return days;
  });
  expect(accounts.map((account) => account.questions())).toEqual([[], []]);
  expect(accounts.map((account, at) => paid(account, ids[at]))).toEqual([25_00n, 25_00n]);
});

test('ids in structured remittance information and references of entries are found', () => {
  const account = play('id-in-structured-remittance');
  expect(ids.map((id) => paid(account, id))).toEqual([25_00n, 25_00n, 25_00n]);
});

test('one page of a statement is incomplete, and its lines are proposed', () => {
  const account = play('page-1-of-2');
  expect(account.questions()).toEqual(['2026-11-20 incomplete']);
  expect(account.moneyOf(first)).toMatchObject({ paid: 0n, toCheck: 1 });
  account.answer('2026-11-20', { kind: 'use_anyway', version: account.rows()[0]!.version });
  expect(account.questions()).toEqual([]);
  expect(paid(account)).toBe(25_00n);
});

test.each([[['page-1-of-2', 'page-2-of-2']], [['page-2-of-2', 'page-1-of-2']]])(
  'the pages of a statement in several files are one statement: %j',
  (names) => {
    const account = play(...names);
    expect(account.questions()).toEqual([]);
    expect([paid(account), paid(account, second)]).toEqual([25_00n, 25_00n]);
    expect(account.reconcile()).toMatchObject({ ...exact, matched: 50_00n });
  },
);

test('a split decides a payment of two contributions net of a fee', () => {
  const account = play('two-ids-net-of-fee');
  expect(account.lines()).toMatchObject([{ outcome: 'unknown', reason: 'several_references' }]);
  expect(account.reconcile()).toMatchObject({ isExact: true, unexplained: 49_00n });
  const allocations = [first, second].map((transactionId) => ({ transactionId, cents: 25_00n }));
  account.decide(account.lines()[0]!.key, { action: 'split', allocations });
  expect([paid(account), paid(account, second)]).toEqual([25_00n, 25_00n]);
  expect(account.lines()).toMatchObject([
    { outcome: 'matched', chargesCents: 1_00n, decision: expect.anything() as unknown },
  ]);
  expect(account.reconcile()).toMatchObject({ ...exact, matched: 49_00n });
});

test('dated balances without a period show a missing statement', () => {
  const account = play('no-period-first', 'no-period-after-gap');
  expect(account.questions()).toEqual(['2026-11-20 days_missing']);
  expect(account.calendar().map(({ day, state }) => `${day} ${state}`)).toEqual([
    '2026-11-18 covered',
    '2026-11-20 missing',
  ]);
});
