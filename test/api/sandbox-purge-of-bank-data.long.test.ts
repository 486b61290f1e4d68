import { type Completions, createCompletions } from '../support/completions';
import { earlier } from '../support/earlier';

import { compareAll } from '../support/compare-all';
import { operate } from '../support/operations';
import { sendReturn } from '../support/returns';
import { startService, type TestCompany, type TestService } from '../support/service';
import { type Line, statementFile, statementsPath, uploadAndWait } from '../support/statement-files';
import { type Entry, readEntries } from '../support/statement-setup';
import { countAll } from '../support/totals';
import { until } from '../support/until';
import { verifyDatabase } from '../suites/faults/verify';

/** A bank's statements pay contributions of a test environment that was reset and then purged. */
let service: TestService;
let company: TestCompany;
let bank: TestCompany;
let contributions: Completions;
/** Contributions of the company: one for each way that the bank's statement can pay them. */
let ids: Record<'stated' | 'listed' | 'decided' | 'returned' | 'unpaid', string>;
let fileId: string;

const amount = 25_50n;
const day = { from: '2026-11-20' };
const query = (sql: string, values: unknown[] = []) => service.database.admin.query(sql, values);
const verify = (): Promise<string[]> => verifyDatabase(service.database.adminUrl);
const reset = (client = company.test) => client.post('/company/integration/sandbox/reset', {}).expect(200);

const listSettlement = (reference: string, id: string) =>
  bank.test
    .post(`${statementsPath}/settlements`)
    .set('Content-Type', 'application/x-ndjson')
    .send(JSON.stringify({ reference, transaction_id: id, amount: '25.50' }));
const decide = (entry: Entry, decision: object) =>
  bank.test.post(`${statementsPath}/entries/${entry.entry_id}/decisions`, { reason: 'r', ...decision });
const entryWith = async (reference: string): Promise<Entry> =>
  (await readEntries(bank.test, fileId)).find((entry) => entry.bank_reference === reference)!;

async function bankDoesEverything(): Promise<void> {
  const created = await Promise.all(Array.from({ length: 5 }, () => contributions.create()));
  const [stated, listed, decided, returned, unpaid] = created as [string, string, string, string, string];
  ids = { stated, listed, decided, returned, unpaid };
  for (const id of [stated, returned, unpaid]) await contributions.complete(bank.test, id).expect(200);
  const back = { kind: 'return', code: 'R01', amount: '5.00', bank_reference: 'RT-1' };
  await sendReturn(bank.test, returned, back).expect(201);
  await listSettlement('FT-1', listed).expect(200);
  const lines: Line[] = [
    { cents: amount, id: stated, reference: 'REF-1' },
    { cents: amount, id: 'FT-1', reference: 'REF-2' },
    { cents: amount, text: 'rent', reference: 'REF-3' },
    { cents: amount, id: returned, reference: 'REF-4' },
    { cents: 5_00n, id: returned, reference: 'RT-1', direction: 'debit', returnCode: 'AC04' },
  ];
  ({ file_id: fileId } = await uploadAndWait(bank.test, statementFile(lines, day)));
  const allocations = [{ transaction_id: decided, amount: '25.50' }];
  await decide(await entryWith('REF-3'), { action: 'link', allocations }).expect(200);
  await compareAll(service);
}

async function purge(): Promise<void> {
  await query(
    `UPDATE environments SET retired_at = ${earlier('retired_at', '8 days')}, created_at = ${earlier('created_at', '8 days')}
      WHERE retired_at IS NOT NULL AND purged_at IS NULL`,
  );
  const { environments } = await operate(service.database, ({ retiredEnvironments }) =>
    retiredEnvironments.purge(100),
  );
  expect(environments).toBe(1);
}

/** How many of the contributions have sums of the bank, and how many exist. */
async function remaining(): Promise<{ paid: number; existing: number }> {
  const { rows } = await query(
    `SELECT (SELECT count(DISTINCT transaction_id)::integer FROM contribution_money WHERE transaction_id = ANY ($1)) AS paid,
            (SELECT count(*)::integer FROM transactions WHERE transaction_id = ANY ($1)) AS existing`,
    [Object.values(ids)],
  );
  return rows[0] as { paid: number; existing: number };
}

/** The bank's rows about the contributions. */
async function bankRows(): Promise<unknown[]> {
  const { rows } = await query(
    `SELECT to_jsonb(a) AS row FROM line_allocations a
      UNION ALL SELECT to_jsonb(m) FROM contribution_money m
      UNION ALL SELECT to_jsonb(l) FROM settlement_lines l
      UNION ALL SELECT to_jsonb(d) FROM line_decisions d`,
  );
  return rows.map(({ row }) => JSON.stringify(row)).sort();
}

beforeEach(async () => {
  service = await startService({ settings: { SANDBOX_REQUEST_LOG: 'off' }, pollMs: 100 });
  company = await service.addCompany();
  bank = await service.addCompany();
  contributions = await createCompletions(service, company);
  await contributions.link(bank);
  await bankDoesEverything();
  await countAll(service.database.admin);
  expect(await verify()).toEqual([]);
  await reset();
  // The link with the old environment ended, so no entry pays its contributions any more.
  await compareAll(service);
  expect(await remaining()).toEqual({ paid: 4, existing: 5 });
});
afterEach(() => service.stop());

test('after a purge, a bank keeps its sums and decisions, and verify finds nothing', async () => {
  const before = await bankRows();
  await purge();
  expect(await remaining()).toEqual({ paid: 4, existing: 0 });
  expect(await bankRows()).toEqual(before);
  expect(await verify()).toEqual([]);
  // The bank's own reset and purge delete them.
  await reset(bank.test);
  expect(await verify()).toEqual([]);
  await purge();
  expect(await remaining()).toEqual({ paid: 0, existing: 0 });
  expect(await verify()).toEqual([]);
});

test('after a purge, a bank changes decisions and lists, uploads again, and voids its file', async () => {
  await purge();
  await decide(await entryWith('REF-3'), { action: 'unlink' }).expect(200);
  await listSettlement('FT-1', ids.listed).expect(200);
  const late = { cents: amount, id: ids.unpaid, reference: 'REF-9' };
  await uploadAndWait(bank.test, statementFile([late], { from: '2026-11-21', openingCents: 1_000_097_00n }));
  await compareAll(service);
  expect(await verify()).toEqual([]);
  await bank.test.post(`${statementsPath}/${fileId}/void`, { reason: 'wrong' }).expect(200);
  await compareAll(service);
  expect(await verify()).toEqual([]);
});

test('after a purge, days that are compared by new rules name contributions that no longer exist', async () => {
  await purge();
  await query(`UPDATE account_days SET rules = rules - 1`);
  const another = { cents: 1n, text: 'another', reference: 'REF-8' };
  await uploadAndWait(bank.test, statementFile([another], { ...day, account: 'ANOTHER' }));
  await until('the days are compared again', async () => {
    const { rows } = await query(
      'SELECT FROM account_days GROUP BY environment_id HAVING min(rules) < max(rules)',
    );
    return rows.length === 0;
  });
  await compareAll(service);
  expect(await verify()).toEqual([]);
});

test('verify still finds missing contributions that were not purged', async () => {
  const lose = (id: string) =>
    query(`UPDATE line_allocations SET transaction_id = 'LOST' WHERE transaction_id = $1`, [id]);
  const missing = async (): Promise<number> =>
    (await verify()).filter((finding) => finding.includes('its contribution does not exist')).length;
  await purge();
  const id = await contributions.create();
  const line = { cents: amount, id, reference: 'REF-7' };
  await uploadAndWait(bank.test, statementFile([line], { ...day, account: 'ANOTHER' }));
  expect(await missing()).toBe(0);
  await lose(id);
  expect(await missing()).toBe(1);
});
