import { readFileSync } from 'node:fs';
import path from 'node:path';

import { operatorSettings, runOps } from '../support/operator-commands';
import { temporaryFolder } from '../support/program';
import { startService, type TestCompany, type TestService } from '../support/service';
import { statementFile, uploadAndWait } from '../support/statement-files';

/** `statements days`, `questions` and `entries`. */
let service: TestService;
let company: TestCompany;
let folder: ReturnType<typeof temporaryFolder>;

beforeAll(async () => {
  folder = temporaryFolder();
  service = await startService({ settings: { SANDBOX_REQUEST_LOG: 'off' } });
  company = await service.addCompany('Acme');
  const rent = { cents: 7_00n, reference: 'RENT-0001', text: 'rent', date: '2026-10-05' };
  await uploadAndWait(company.test, statementFile([rent], { from: '2026-10-05', openingCents: 1_00n }));
  // The balance before this day is another one.
  const fee = { cents: 3_00n, direction: 'debit' as const, reference: 'FEE-0001', date: '2026-10-06' };
  await uploadAndWait(company.test, statementFile([fee], { from: '2026-10-06', openingCents: 9_00n }));
});
afterAll(async () => {
  folder.remove();
  await service.stop();
});

const statements = (command: string, ...words: string[]) =>
  runOps(['statements', command, 'test', 'Acme', ...words], operatorSettings(service.database));

test('the days that are open or missing are listed with balances, and the command exits with 3', async () => {
  const { output, exitCode } = await statements('days', '--from', '2026-10-02', '--to', '2026-10-08');
  expect(output).toMatch(/^0001 +2026-10-02 +missing +- +- +- +The day is before the first statement/m);
  expect(output).toMatch(/^0001 +2026-10-05 +open +1\.00 +7\.00 +8\.00 +The day 2026-10-06 does not follow/m);
  expect(output).toMatch(/^0001 +2026-10-06 +open +9\.00 +-3\.00 +6\.00 +The opening balance differs/m);
  expect(exitCode).toBe(3);
});

test('--all lists the covered days too, and JSON has their sources', async () => {
  const other = { account: 'ACCOUNT-NUMBER-0002', from: '2026-10-05' };
  await uploadAndWait(company.test, statementFile([], other));
  const day = ['0002', '--from', '2026-10-05', '--to', '2026-10-06'];
  const open = await statements('days', ...day);
  expect([open.exitCode, open.output]).toEqual([0, 'All days are covered.\n']);
  const { output } = await statements('days', ...day, '--all', '--json');
  expect(JSON.parse(output)).toMatchObject({
    days: [{ day: '2026-10-05', state: 'covered', statements: [{ format: 'camt.053', is_used: true }] }],
  });
});

test('an account is named by its id, ending or name, and an unknown one is rejected', async () => {
  const range = ['--from', '2026-10-05', '--to', '2026-10-06', '--all', '--json'];
  const byEnding = await statements('days', '0001', ...range);
  const { days } = JSON.parse(byEnding.output) as { days: { account_id: string }[] };
  expect((await statements('days', days[0]!.account_id, ...range)).output).toBe(byEnding.output);
  const { output, exitCode } = await statements('days', '0009', ...range);
  expect([exitCode, output]).toEqual([1, expect.stringContaining('There is no account')]);
});

test('the questions are listed with the balances of a gap, and exit with 3', async () => {
  const { output, exitCode } = await statements('questions');
  expect(output).toMatch(/^0001 +2026-10-06 +2026-10-06 +does_not_follow +8\.00 +9\.00 +The opening/m);
  expect(exitCode).toBe(3);
  const { output: none } = await runOps(
    ['statements', 'questions', 'production', 'Acme'],
    operatorSettings(service.database),
  );
  expect(none).toBe('No question is open.\n');
});

test('entries to explain are listed by account, range and outcome, and written as CSV', async () => {
  const all = await statements('entries');
  expect(all.output).toMatch(/0001 +2026-10-05 +7\.00 +counted +unknown .*RENT-0001/);
  expect(all.exitCode).toBe(0);
  const page = await statements('entries', '--limit', '1', '--json');
  expect(JSON.parse(page.output.split('\n')[0]!)).toMatchObject({
    entries: [{ signed_amount: '7.00' }],
    has_more: true,
  });
  const later = await statements('entries', '--account', '0001', '--from', '2026-10-06');
  expect(later.output).toContain('FEE-0001');
  expect(later.output).not.toContain('RENT-0001');
  expect((await statements('entries', '--outcome', 'sums_differ')).output).toBe('No entries to explain.\n');
  const file = path.join(folder.path, 'entries.csv');
  expect((await statements('entries', '--csv', file, '--limit', '1')).exitCode).toBe(0);
  const rows = readFileSync(file, 'utf8').trimEnd().split('\r\n');
  expect(rows).toHaveLength(3);
  expect(rows[0]).toMatch(/^account_id,account_ending,/);
  expect(rows[2]).toContain('FEE-0001');
});
