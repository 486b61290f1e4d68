import { operatorSettings, runOps } from '../support/operator-commands';
import { startService, type TestCompany, type TestService } from '../support/service';
import { statementFile, uploadAndMatch } from '../support/statement-files';

/** `statements days`, and the days in `reconciliation summary`. */
let service: TestService;
let company: TestCompany;

beforeAll(async () => {
  service = await startService({ settings: { SANDBOX_REQUEST_LOG: 'off' } });
  company = await service.addCompany('Acme');
  // The second file is a copy of the first with another reference, so its rent counts again.
  for (const reference of ['RENT-0001', 'RENT-0002']) {
    const line = { cents: 7_00n, reference, text: 'rent', date: '2026-10-05' };
    await uploadAndMatch(company.test, statementFile([line], { from: '2026-10-05', openingCents: 1_00n }));
  }
});
afterAll(() => service.stop());

const command = (...words: string[]) => runOps(words, operatorSettings(service.database));
const days = (...words: string[]) => command('statements', 'days', 'test', 'Acme', ...words);

test('the days that differ are listed, and the command exits with 3', async () => {
  const { output, exitCode } = await days();
  expect(output).toMatch(/^0001 +2026-10-05 +different +1\.00 +8\.00 +7\.00 +14\.00 +7\.00/m);
  expect(output).not.toContain('2026-10-04');
  expect(exitCode).toBe(3);
});

test('a range without such a day exits with 0, and --all lists its other days with their reasons', async () => {
  const range = ['--from', '2026-10-03', '--to', '2026-10-05'];
  const none = await days(...range);
  expect(none.output).toContain('No days differ.');
  expect(none.exitCode).toBe(0);
  const all = await days(...range, '--all', '--json');
  expect(JSON.parse(all.output)).toMatchObject({
    days: [
      { day: '2026-10-03', state: 'not_checked', reason: 'No final statement covers this day.' },
      { day: '2026-10-04', counted_amount: '0.00', difference: null, file_ids: [] },
    ],
  });
  expect(all.exitCode).toBe(0);
});

test('the summary of positions names the number of days, and exits with 3 without an open position', async () => {
  const json = await command('reconciliation', 'summary', 'test', 'Acme', '--json');
  expect(JSON.parse(json.output)).toMatchObject({ open: 0, different_days: 1 });
  expect(json.exitCode).toBe(3);
  const { output } = await command('reconciliation', 'summary', 'test', 'Acme');
  expect(output).toContain(
    '1 day of an account differs from the balances. List them with "statements days".',
  );
});
