import { operate } from '../support/operations';
import { type Completions, createCompletions } from '../support/completions';
import { operatorSettings, runOps } from '../support/operator-commands';
import { startService, type TestCompany, type TestService } from '../support/service';
import { statementFile, uploadAndWait } from '../support/statement-files';

/** `reconciliation list` and `summary`. Contributions are 25.50 dollars. */
let service: TestService;
let company: TestCompany;
let contributions: Completions;
let matchedId: string;
let shortId: string;
let pendingId: string;

beforeAll(async () => {
  service = await startService({ settings: { SANDBOX_REQUEST_LOG: 'off' } });
  company = await service.addCompany('Acme');
  contributions = await createCompletions(service, company);
  [matchedId, shortId] = [await contributions.create(), await contributions.create()];
  for (const id of [matchedId, shortId]) await contributions.complete(company.test, id).expect(200);
  pendingId = await contributions.create();
  const lines = [
    { id: matchedId, cents: 25_50n, reference: 'A' },
    { id: shortId, cents: 20_00n, reference: 'B' },
  ];
  await uploadAndWait(company.test, statementFile(lines, { from: '2026-11-20' }));
});
afterAll(() => service.stop());

const command = (...words: string[]) =>
  runOps(['reconciliation', ...words], operatorSettings(service.database));

test('the list has every contribution with its position, and exits with 3 if one is open', async () => {
  const { output, exitCode } = await command('list', 'test', 'Acme');
  expect(output).toMatch(new RegExp(`^${matchedId} +matched +no +0 +25\\.50 +25\\.50 +completed`, 'm'));
  expect(output).toMatch(new RegExp(`^${shortId} +short +yes +0 +25\\.50 +20\\.00 +completed`, 'm'));
  expect(output).toMatch(new RegExp(`^${pendingId} +waiting +no +0 +25\\.50 +0\\.00 +pending`, 'm'));
  expect(exitCode).toBe(3);
});

test('a list without an open position exits with 0', async () => {
  const { output, exitCode } = await command('list', 'test', 'Acme', '--position', 'matched', '--json');
  expect(JSON.parse(output)).toMatchObject({
    positions: [{ transaction_id: matchedId, position: 'matched', is_open: false, net_amount: '25.50' }],
    has_more: false,
  });
  expect(exitCode).toBe(0);
});

test('the summary adds up the money by position, and exits with 3 if one is open', async () => {
  const { output, exitCode } = await command('summary', 'test', 'Acme', '--json');
  const none = { open: 0, with_entries_to_check: 0, expected_amount: '25.50', net_amount: '25.50' };
  expect(JSON.parse(output)).toEqual({
    files_to_read: 0,
    days_to_compare: 0,
    open: 1,
    positions: [
      { position: 'waiting', contributions: 1, ...none, net_amount: '0.00' },
      { position: 'short', contributions: 1, ...none, open: 1, net_amount: '20.00' },
      { position: 'matched', contributions: 1, ...none },
    ],
  });
  expect(exitCode).toBe(3);
  const table = await command('summary', 'test', 'Acme');
  expect(table.output).toMatch(/^short +1 +1 +0 +25\.50 +20\.00 +-5\.50$/m);
  expect(table.output).not.toContain('Positions will change');
});

test('entries to check, files to read and days to compare are shown', async () => {
  const other = await service.addCompany('Beta');
  const id = await (await createCompletions(service, other)).createCompleted('25.50');
  const { admin } = service.database;
  const lines = [
    { id, cents: 25_50n, reference: 'A' },
    { id, cents: 10_00n, reference: 'B', direction: 'debit' as const },
  ];
  await uploadAndWait(other.test, statementFile(lines, { from: '2026-11-20' }));
  const list = await command('list', 'test', 'Beta');
  expect(list.output).toMatch(new RegExp(`^${id} +matched +no +1 +25\\.50`, 'm'));
  // As if another process compared the day. The service leaves it alone.
  await admin.query(`UPDATE account_days SET is_changed = true, claimed_until = now() + interval '1 hour'
    WHERE environment_id = (SELECT max(environment_id) FROM account_days)`);
  const { output } = await command('summary', 'test', 'Beta');
  expect(output).toMatch(/^matched +1 +0 +1 +25\.50/m);
  expect(output).toContain(
    'Positions will change: 0 files are not read, and 1 days of accounts not compared.',
  );
  const json = await command('list', 'test', 'Beta', '--json');
  expect(JSON.parse(json.output)).toMatchObject({
    ...{ files_to_read: 0, days_to_compare: 1 },
    positions: [{ entries_to_check: 1 }],
  });
  const report = await command('report', 'test', 'Beta', '--html', '/dev/null', '--json');
  expect(JSON.parse(report.output)).toMatchObject({ days_to_compare: 1, with_entries_to_check: 1 });
});

test('an environment without contributions has no positions', async () => {
  const { output, exitCode } = await command('summary', 'production', 'Acme');
  expect(output).toContain('No contributions found.');
  expect(exitCode).toBe(0);
});

test.each([
  ['reconciliation', 'list', 'test', 'Acme'],
  ['reconciliation', 'summary', 'test', 'Acme'],
  ['contributions', 'totals', 'Acme'],
])('%s %s rejects a range that ends before it starts', async (...words) => {
  const swapped = ['--from', '2026-12-01', '--to', '2026-11-01'];
  const { output, exitCode } = await runOps([...words, ...swapped], operatorSettings(service.database));
  expect(output).toContain('--to must be later than --from.');
  expect(exitCode).toBe(2);
});

test('an unknown company is rejected', async () => {
  const { output, exitCode } = await command('list', 'test', 'Nobody');
  expect(output).toContain('There is no company named "Nobody".');
  expect(exitCode).toBe(1);
});

test('the options for open positions, a range, a limit and an offset select from the list', async () => {
  const ids = async (filter: object): Promise<string[]> => {
    const all = { position: undefined, isOpen: false, limit: 10, skip: 0, ...filter };
    const found = await operate(
      service.database,
      ({ positionLookup }) => positionLookup.list({ company: 'Acme', kind: 'test' }, all, () => undefined),
      'read',
    );
    return found.map(({ contribution }) => contribution.transactionId);
  };
  expect(await ids({})).toEqual([matchedId, shortId, pendingId]);
  expect(await ids({ isOpen: true })).toEqual([shortId]);
  expect(await ids({ limit: 1, skip: 1 })).toEqual([shortId]);
  expect(await ids({ to: new Date('2020-01-01') })).toEqual([]);
  expect(await ids({ from: new Date('2020-01-01') })).toHaveLength(3);
});
