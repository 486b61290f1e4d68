import { operatorSettings, runOps } from '../support/operator-commands';
import { startService, type TestCompany, type TestService } from '../support/service';
import { statementFile, uploadAndWait } from '../support/statement-files';

/** `reconciliation statement`, `can-close`, `close` and `reopen`. */
let service: TestService;
let company: TestCompany;

const october = { from: '2026-10-01', to: '2026-10-31', openingCents: 1_00n };
const rent = { cents: 7_00n, reference: 'RENT-0001', text: 'rent', date: '2026-10-05' };
const why = ['--name', 'Anna', '--reason', 'All statements are reconciled'];

beforeAll(async () => {
  service = await startService({ settings: { SANDBOX_REQUEST_LOG: 'off' } });
});
beforeEach(async () => {
  company = await service.addCompany();
  await uploadAndWait(company.test, statementFile([rent], october));
});
afterAll(() => service.stop());

const command = (...words: string[]) => runOps(words, operatorSettings(service.database));
const reconciliation = (name: string, ...words: string[]) =>
  command('reconciliation', name, 'test', company.name, ...words);

test('the statement of an account adds up, and exits with 3 if a day is not covered', async () => {
  const whole = await reconciliation('statement', '0001', '--from', '2026-10-01', '--to', '2026-11-01');
  expect(whole.output).toMatch(
    /^opening +1\.00\nmatched +0\.00\n(.*\n)+unexplained +7\.00\nclosing +8\.00$/m,
  );
  expect(whole.exitCode).toBe(0);
  const words = ['statement', '0001', '--from', '2026-10-01', '--to', '2026-11-03', '--json'] as const;
  const longer = await reconciliation(...words);
  expect(JSON.parse(longer.output)).toMatchObject({
    ...{ closing_balance: '8.00', is_exact: true },
    notes: [{ kind: 'missing', from: '2026-11-01', to: '2026-11-02' }],
  });
  expect(longer.exitCode).toBe(3);
});

test('a whole month is closed and reopened, with name and reason in the audit log', async () => {
  const can = await reconciliation('can-close', '2026-10');
  expect([can.exitCode, can.output]).toEqual([
    0,
    '2026-10 can be closed.\n1 entry is not explained. This does not keep the month open, but nobody can decide about it while the month is closed.\n',
  ]);
  const tried = await reconciliation('close', '2026-10', ...why, '--dry-run');
  expect(tried.output).toContain('Dry run: nothing changed.');
  const closed = await reconciliation('close', '2026-10', ...why);
  expect(closed.output).toMatch(/^changed +true$/m);
  expect((await reconciliation('close', '2026-10', ...why)).output).toMatch(/^changed +false$/m);
  const [file] = (await company.test.get('/company/integration/statements')).body.data as [
    { file_id: string },
  ];
  const voiding = await command(
    ...['statements', 'void', 'test', company.name, file.file_id, '--reason', 'wrong file'],
  );
  expect([voiding.exitCode, voiding.output]).toEqual([1, expect.stringContaining('Reopen the month first')]);
  expect((await reconciliation('reopen', '2026-10', ...why)).output).toMatch(/^changed +true$/m);
  expect((await reconciliation('reopen', '2026-10', ...why)).output).toMatch(/^changed +false$/m);
  const { output } = await command('actions', 'list', '--command', 'reconciliation close', '--json');
  const { actions } = JSON.parse(output.split('\n')[0]!) as { actions: object[] };
  const target = `${company.name} test month 2026-10`;
  expect(actions).toMatchObject([
    { target, arguments: { name: 'Anna', reason: why[3] }, result: { changed: false } },
    { target, result: { changed: true } },
  ]);
  const { rows } = await service.database.admin.query(
    `SELECT kind, changed_by FROM month_changes WHERE environment_id =
       (SELECT max(environment_id) FROM month_changes) ORDER BY number`,
  );
  expect(rows).toEqual(['closed', 'reopened'].map((kind) => ({ kind, changed_by: 'operator: Anna' })));
});

test('each reason that keeps a month open is listed with its account and days, and close refuses', async () => {
  const november = { account: 'ACCOUNT-NUMBER-0002', from: '2026-11-02', to: '2026-11-06' };
  await uploadAndWait(company.test, statementFile([], november));
  const can = await reconciliation('can-close', '2026-11', '--json');
  const { data } = JSON.parse(can.output) as { data: { account_id: string; kind: string }[] };
  expect(data).toMatchObject([
    { kind: 'no_statements', from: '2026-11-01', to: '2026-11-30' },
    { kind: 'days_missing', from: '2026-11-09', to: '2026-11-10' },
    { kind: 'days_missing', from: '2026-11-12', to: '2026-11-13' },
    { kind: 'days_missing', from: '2026-11-16', to: '2026-11-20' },
    { kind: 'days_missing', from: '2026-11-23', to: '2026-11-25' },
    { kind: 'days_missing', from: '2026-11-27', to: '2026-11-27' },
    { kind: 'days_missing', from: '2026-11-30', to: '2026-11-30' },
  ]);
  expect(can.exitCode).toBe(3);
  const named = await reconciliation('can-close', '2026-11', '--without', data[0]!.account_id);
  expect(named.output).not.toContain('no_statements');
  const { output, exitCode } = await reconciliation('close', '2026-11', ...why);
  expect(output).toContain('Reasons that keep the month open: 7.');
  expect(exitCode).toBe(1);
});

test.each([
  ['2026-13', why],
  ['2026-10', ['--name', 'Anna']],
])('%s with %p is an invalid command', async (month, words) => {
  expect((await reconciliation('close', month, ...words)).exitCode).toBe(2);
});
