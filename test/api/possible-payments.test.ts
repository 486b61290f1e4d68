import type { Response } from 'supertest';

import {
  type Line,
  statementFile,
  statementsPath,
  type StatementForm,
  uploadAndWait,
} from '../support/statement-files';
import {
  accountsPath,
  readAccountId,
  readEntries,
  readMoney,
  setUpStatements,
} from '../support/statement-setup';

/**
 * Positions of contributions for which money may exist that is not counted yet. Contributions are
 * 25.50 dollars.
 */
const setup = setUpStatements();

const date = '2026-11-18';
const amount = 25_50n;
const completed = (): Promise<string> => setup.contributions.createCompleted('25.50', { value_date: date });
const put = (lines: readonly Line[], form: StatementForm = {}) =>
  uploadAndWait(setup.company.test, statementFile(lines, { from: date, ...form }));

async function positionOf(id: string): Promise<[position: string, entriesToCheck: number]> {
  const { position, entries_to_check: entriesToCheck } = await readMoney(setup.company.test, id);
  return [position, entriesToCheck];
}

/** Declares that the statements of the account show all money, due on its value date. */
async function cover(): Promise<void> {
  const { test: client } = setup.company;
  const settings = { complete_coverage: true, grace_days: 0 };
  await client.put(`${accountsPath}/${await readAccountId(client)}`, settings).expect(200);
}

test('missing money shows the entries that are proposed for the contribution', async () => {
  const [id, other] = [await completed(), await completed()];
  await put([]);
  await cover();
  expect(await positionOf(id)).toEqual(['completed_without_money', 0]);
  // A report without the bank's reference only proposes.
  const next = '2026-11-19';
  await put([{ cents: amount, id, date: next }], { kind: '052', from: next });
  expect(await positionOf(id)).toEqual(['completed_without_money', 1]);
  expect(await positionOf(other)).toEqual(['completed_without_money', 0]);
});

/** The id with two wrong characters. The service repairs only one. */
const damaged = (id: string): string =>
  Array.from(id, (one, at) => (at === 8 || at === 10 ? (one === 'X' ? 'Y' : 'X') : one)).join('');

test.each<[string, (ids: string[]) => Line]>([
  ['unreadable', () => ({ cents: 0n })],
  ['sums_differ', () => ({ cents: 50_00n, parts: [{ cents: 20_00n }, { cents: 20_00n }] })],
  ['several_references', (ids) => ({ cents: 50_00n, text: `Gifts ${ids.join(' and ')}` })],
  ['wrong_check_character', ([id = '']) => ({ cents: amount, text: `Gift ${damaged(id)}` })],
  ['settlement_differs', () => ({ cents: 50_00n, reference: 'BATCH-7001' })],
])('missing money shows an entry of its days that is %s, until a decision', async (expected, lineOf) => {
  const [id, other] = [await completed(), await completed()];
  const listed = { reference: 'BATCH-7001', transaction_id: id, amount: '25.50' };
  await setup.company.test
    .post(`${statementsPath}/settlements`)
    .type('application/x-ndjson')
    .send(JSON.stringify(listed))
    .expect(200);
  const lines = [{ reference: 'R-1', ...lineOf([id, other]), date }];
  const content = statementFile(lines, { from: date }).replace('>0.00<', '>abc<');
  const { file_id: fileId } = await uploadAndWait(setup.company.test, content);
  await cover();
  const [entry] = await readEntries(setup.company.test, fileId);
  expect([entry?.outcome, entry?.reason]).toContain(expected);
  expect(await positionOf(id)).toEqual(['completed_without_money', 1]);
  const list: Response = await setup.company.test
    .get('/company/integration/reconciliation?open=1')
    .expect(200);
  const { data } = list.body as { data: { explanation: string }[] };
  expect(data).toMatchObject([{ entries_to_check: 1 }, { entries_to_check: 1 }]);
  expect(data[0]?.explanation).toBe(
    'No money was matched to it. First check the entries to explain up to its due day: one of them may be its payment, even without a transaction id. If none is, find the transfer. If it went back, record its return. Correct the completion only if there was no transfer. Check 1 entry that may concern it.',
  );

  await setup.company.test
    .post(`${statementsPath}/entries/${entry!.entry_id}/decisions`, { action: 'ignore', reason: 'rent' })
    .expect(200);
  expect(await positionOf(id)).toEqual(['completed_without_money', 0]);
});

test('an unclear entry of another day, or of an account that is not complete, is not counted', async () => {
  const id = await completed();
  const unclear = (day: string, account: string): string =>
    statementFile([{ cents: 0n, reference: `R-${day}`, date: day }], { from: day, account }).replace(
      '>0.00<',
      '>abc<',
    );
  await put([]);
  await cover();
  await uploadAndWait(setup.company.test, unclear('2026-11-19', 'ACCOUNT-NUMBER-0001'));
  await uploadAndWait(setup.company.test, unclear(date, 'ANOTHER-ACCOUNT-0002'));
  expect(await positionOf(id)).toEqual(['completed_without_money', 0]);
});

test('unclear entries of one day hide none of another day', async () => {
  const dates = ['2026-11-03', date] as const;
  const unclear = Array.from({ length: 1_001 }, (_, number): Line => {
    const parts = [{ cents: 1n }, { cents: 1n }];
    return { cents: 5n, parts, reference: `R-${number}`, date: number === 0 ? dates[1] : dates[0] };
  });
  const ids = await Promise.all(
    dates.map((value) => setup.contributions.createCompleted('25.50', { value_date: value })),
  );
  await uploadAndWait(setup.company.test, statementFile(unclear, { from: dates[0], to: dates[1] }));
  await cover();
  const list: Response = await setup.company.test
    .get('/company/integration/reconciliation?open=1')
    .expect(200);
  const { data } = list.body as { data: { transaction_id: string; entries_to_check: number }[] };
  const found = new Map(data.map((one) => [one.transaction_id, one.entries_to_check]));
  expect(ids.map((id) => found.get(id))).toEqual([1_000, 1]);
});

test('the summary counts the days that are still being compared', async () => {
  const daysToCompare = async (): Promise<unknown> => {
    const response: Response = await setup.company.test
      .get('/company/integration/reconciliation/summary')
      .expect(200);
    return (response.body as { days_to_compare: unknown }).days_to_compare;
  };
  await put([{ cents: amount, reference: 'R-1', date }]);
  expect(await daysToCompare()).toBe(0);
  // Another process has claimed the day.
  await setup.service.database.admin.query(
    `UPDATE account_days SET is_changed = true, claimed_until = now() + interval '1 hour' WHERE account_id = $1`,
    [await readAccountId(setup.company.test)],
  );
  expect(await daysToCompare()).toBe(1);
});

test('an entry with a damaged id is shown before the days are covered', async () => {
  const id = await completed();
  const mistyped = `${id.slice(0, 8)}${id[8] === 'X' ? 'Y' : 'X'}${id.slice(9)}`;
  await put([{ cents: amount, text: `Gift ${mistyped}`, reference: 'R-1', date }]);
  expect(await positionOf(id)).toEqual(['unconfirmed', 1]);
});
