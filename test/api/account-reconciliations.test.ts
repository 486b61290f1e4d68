import { randomUUID } from 'node:crypto';

import fc from 'fast-check';

import { linesContract } from '../../src/features/bank-statements/reporting/lines/lines.contract';
import { getReconciliationStatement } from '../../src/features/bank-statements/reporting/reconciliation/reconciliation-statement.contract';
import { formatCents } from '../../src/shared/money';
import { addReporter, type Reporter, type Reports, startReports } from '../support/account-reports';
import { randomCases } from '../support/full-run';
import { addStatementAccount } from '../support/statement-accounts';
import { statementFile } from '../support/statement-files';
import { StatementDays } from '../support/statement-days';
import { StoredDays } from '../support/stored-days';
import { bankMonth, contributions, filesOf, mapping } from '../unit/bank-statements/bank-months';

let reports: Reports;
let reporter: Reporter;
beforeAll(async () => {
  reports = await startReports();
  reporter = await addReporter(reports);
});
afterAll(() => reports.stop());

const range = 'from=2026-11-16&to=2026-11-24';
const terms = ['matched', 'returned', 'charges', 'ignored', 'unexplained'] as const;

const centsOf = (amount: string): bigint => BigInt(amount.replace('.', ''));

/** The entries of a list, read three at a time. */
async function entriesOf(path: string) {
  const found = [];
  let cursor = '';
  do {
    const page = await reporter.read(linesContract.ofTerm, `${path}&limit=3${cursor}`);
    found.push(...page.data);
    cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
  } while (cursor !== '');
  return found;
}

/** The listed lines of a term, and what they add up to. */
async function listed(path: string, term: (typeof terms)[number]) {
  const entries = await entriesOf(path);
  const cents = entries.reduce(
    (sum, line) =>
      sum +
      (line.term === term ? centsOf(line.term_amount) : 0n) +
      (term === 'charges' ? centsOf(line.charge_amount) : 0n),
    0n,
  );
  return { amount: formatCents(cents), entries: entries.length };
}

test('months of banks are reconciled as the rules say, and each term lists the entries of its sum', async () => {
  let exact = 0;
  await fc.assert(
    fc.asyncProperty(bankMonth, async (month) => {
      const memory = new StatementDays({ contributions });
      const account = await addStatementAccount(reports.service.database.admin, reporter.environmentId);
      const stored = new StoredDays(reports.service.database.admin, reports.pool, account, memory.known);
      for (const content of filesOf(month)) {
        const options = content.startsWith('Date') ? { mapping } : {};
        memory.upload(content, options);
        await stored.upload(content, options);
      }
      await stored.work();
      const path = `statement-accounts/${account.accountId}/reconciliation?${range}`;
      const shown = await reporter.read(getReconciliationStatement, path);
      const dollars = (cents: bigint | null): string | null => (cents === null ? null : formatCents(cents));
      const expected = memory.reconcile();
      expect([shown.opening_balance, shown.closing_balance]).toEqual([
        dollars(expected.openingCents),
        dollars(expected.closingCents),
      ]);
      const isReported = shown.notes.some(({ kind }) => kind === 'reported');
      if (!isReported) {
        expect(Object.fromEntries(shown.terms.map(({ term, amount }) => [term, amount]))).toEqual(
          Object.fromEntries(terms.map((term) => [term, dollars(expected[term])])),
        );
        expect(shown.is_exact).toBe(expected.isExact);
        exact += Number(shown.is_exact);
      }
      for (const { term, amount, entries, entries_path: listPath } of shown.terms) {
        const found = await listed(listPath.replace('/company/integration/', ''), term);
        expect([term, found]).toEqual([term, { amount, entries }]);
      }
      const all = await entriesOf(`statement-accounts/${account.accountId}/entries?${range}`);
      expect(new Set(all.map((one) => one.entry_id)).size).toBe(all.length);
      expect(all.map(({ day }) => day)).toEqual(all.map(({ day }) => day).sort());
      expect(all.reduce((sum, one) => sum + centsOf(one.term_amount) + centsOf(one.charge_amount), 0n)).toBe(
        shown.terms.reduce((sum, { amount }) => sum + centsOf(amount), 0n),
      );
    }),
    { numRuns: randomCases(40) },
  );
  expect(exact).toBeGreaterThan(0);
});

test('a reconciliation says which days are open, missing or being compared, and that balances are unknown', async () => {
  const stored = await reporter.addAccount();
  const path = `statement-accounts/${stored.account.accountId}/reconciliation?from=2026-11-16&to=2026-11-20`;
  const notes = async () =>
    (await reporter.read(getReconciliationStatement, path)).notes.map(
      ({ kind, from, to }) => `${kind} ${from} ${to}`,
    );
  expect(await notes()).toEqual(['no_balances 2026-11-16 2026-11-19', 'missing 2026-11-16 2026-11-19']);
  await stored.upload(statementFile([], { from: '2026-11-16', to: '2026-11-17', openingCents: 0n }));
  await stored.work();
  await stored.upload(statementFile([], { from: '2026-11-18', openingCents: 5_00n }));
  expect(await notes()).toEqual(['pending 2026-11-18 2026-11-18', 'missing 2026-11-18 2026-11-19']);
  await stored.work();
  expect(await notes()).toEqual([
    'not_exact 2026-11-16 2026-11-19',
    'open 2026-11-17 2026-11-18',
    'missing 2026-11-19 2026-11-19',
  ]);
});

test('a reconciliation that starts on a weekend before the first statement is whole', async () => {
  const stored = await reporter.addAccount();
  const of = (from: string) =>
    reporter.read(
      getReconciliationStatement,
      `statement-accounts/${stored.account.accountId}/reconciliation?from=${from}&to=2026-11-04`,
    );
  await stored.upload(statementFile([], { from: '2026-11-02', to: '2026-11-03' }));
  await stored.work();
  expect(await of('2026-10-31')).toMatchObject({ is_exact: true, notes: [] });
  expect((await of('2026-10-30')).notes).toMatchObject([
    { kind: 'missing', from: '2026-10-30', to: '2026-10-30' },
  ]);
});

test('reports and notifications are in the terms, and the reconciliation says that no balance has them', async () => {
  const stored = await reporter.addAccount();
  const line = { cents: 25_50n, reference: randomUUID().slice(0, 8), date: '2026-11-17' };
  await stored.upload(statementFile([line], { kind: '054', from: '2026-11-17' }));
  await stored.work();
  const path = `statement-accounts/${stored.account.accountId}/reconciliation?from=2026-11-17&to=2026-11-18`;
  const shown = await reporter.read(getReconciliationStatement, path);
  expect(shown).toMatchObject({ opening_balance: null, closing_balance: null, is_exact: null });
  expect(shown.terms.at(-1)).toMatchObject({ term: 'unexplained', amount: '25.50', entries: 1 });
  expect(shown.notes.map(({ kind }) => kind)).toEqual(['no_balances', 'reported', 'missing']);
  expect(shown.notes[1]!.text).toMatch(/^1 entry comes from reports/);
});
