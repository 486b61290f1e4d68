import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { bai2, type Payment } from '../../packages/bank-files/test/generate';
import { type Completions, createCompletions } from '../support/completions';
import { longTest } from '../support/full-run';
import { operatorSettings, runOps } from '../support/operator-commands';
import { build, runProcess, temporaryFolder } from '../support/program';
import { startService, type TestCompany, type TestService } from '../support/service';
import { daysCompared, type Line, statementFile, statementsPath } from '../support/statement-files';
import { until } from '../support/until';

/** `statements import`, `list`, `show` and `void`, beside a running service. */
let service: TestService;
let company: TestCompany;
let contributions: Completions;
let folder: ReturnType<typeof temporaryFolder>;
let count = 0;

beforeAll(async () => {
  folder = temporaryFolder();
  service = await startService({ settings: { SANDBOX_REQUEST_LOG: 'off' }, pollMs: 100 });
});
beforeEach(async () => {
  company = await service.addCompany();
  contributions = await createCompletions(service, company);
});
afterAll(async () => {
  folder.remove();
  await service.stop();
});

const settings = (more: Record<string, string> = {}) => ({
  ...operatorSettings(service.database),
  DATA_DIRECTORY: folder.path,
  ...more,
});
const statements = (command: string, ...words: string[]) =>
  runOps(['statements', command, 'test', company.name, ...words], settings());
const fileWith = (content: string): string => {
  const file = path.join(folder.path, `statement-${(count += 1)}.xml`);
  writeFileSync(file, content);
  return file;
};
/** The JSON of a command, without the messages after it. */
const bodyOf = (output: string): object => JSON.parse(output.slice(0, output.lastIndexOf('}') + 1)) as object;
const paid = async (cents = 25_50n): Promise<Line> => {
  const id = await contributions.createCompleted();
  return { id, cents, reference: `R-${id}` };
};
const day = { from: '2026-11-20' };
const found: Payment = { cents: 1050n, direction: 'credit', text: 'rent' };
const filesOfCompany = async (): Promise<{ file_id: string; state: string }[]> => {
  const response = await company.test.get(statementsPath).expect(200);
  return (response.body as { data: { file_id: string; state: string }[] }).data;
};

test('an import waits until the service has read the file, and exits with 0 without problems', async () => {
  const file = fileWith(statementFile([await paid(), await paid()], day));
  const { output, exitCode } = await statements('import', file, '--json');
  expect(JSON.parse(output)).toMatchObject({
    ...{ state: 'read', format: 'camt.053', entries: 2, statements: 1, problems: [], replayed: false },
  });
  expect(exitCode).toBe(0);
});

test('--no-wait stores the file, and exits with 3 because it is not read yet', async () => {
  const idle = await startService({ settings: { SANDBOX_REQUEST_LOG: 'off' }, pollMs: 600_000 });
  try {
    const { name } = await idle.addCompany();
    const { url, operatorUrl } = idle.database;
    const own = settings({ DATABASE_URL: url, DATABASE_OPERATOR_URL: operatorUrl });
    const file = fileWith(statementFile([], day));
    const { output, exitCode } = await runOps(['statements', 'import', 'test', name, file, '--no-wait'], own);
    expect(output).toMatch(/^state +received$/m);
    expect(output).toContain('The file is stored, but not read yet.');
    expect(exitCode).toBe(3);
  } finally {
    await idle.stop();
  }
});

test('wrong totals exit with 3', async () => {
  const file = fileWith(bai2([found]).replace(/^49,\d+/m, '49,1'));
  const { output, exitCode } = await statements('import', file);
  expect(output).toMatch(/^Line 5: In record 49/m);
  expect(exitCode).toBe(3);
});

test('the file is stored with its options, under the peppers of the service', async () => {
  const csv = fileWith('Day;Sum;Text\n2026-11-20;7.00;rent\n');
  const mapping = JSON.stringify({ date: 'Day', amount: 'Sum', texts: ['Text'], delimiter: ';' });
  const words = ['import', csv, '--account', 'gifts', '--direction', 'debit', '--mapping', mapping] as const;
  expect((await statements(...words)).output).toMatch(/^state +read$/m);
  const response = await company.test.get('/company/integration/statement-accounts').expect(200);
  expect(response.body.data).toMatchObject([{ account_name: 'gifts', direction: 'debit' }]);
  const { output, exitCode } = await statements(
    ...(words.slice(0, -2) as [string, ...string[]]),
    '--mapping',
    mapping.replace('Text', 'Day'),
  );
  expect([exitCode, output]).toEqual([1, expect.stringContaining('stored with another account')]);
});

test('a repeated import changes nothing and says so', async () => {
  const file = fileWith(statementFile([await paid()], day));
  await statements('import', file);
  const { output, exitCode } = await statements('import', file);
  expect(output).toContain('The same file was imported before');
  expect(exitCode).toBe(0);
  expect(await filesOfCompany()).toHaveLength(1);
});

test('a dry run stores and reads nothing', async () => {
  const file = fileWith(statementFile([await paid()], day));
  const { output, exitCode } = await statements('import', file, '--dry-run');
  expect(output).toContain('A dry run does not read the file. Read it with "statements check".');
  expect(output).toContain('Dry run: nothing changed.');
  expect(exitCode).toBe(0);
  expect(await filesOfCompany()).toEqual([]);
});

test('a dry run of an imported file shows the results of the import, with its exit code', async () => {
  const file = fileWith(statementFile([{ cents: 1n, reference: 'X' }], day));
  await statements('import', file);
  await daysCompared(company.test);
  const { output, exitCode } = await statements('import', file, '--json', '--dry-run');
  expect(bodyOf(output)).toMatchObject({ entries_to_explain: 1, replayed: true, dry_run: true });
  expect(exitCode).toBe(3);
});

longTest('an import that loses the database while it waits says that the file is stored', async () => {
  // Reads nothing before the test ends.
  const waiting = await startService({ settings: { SANDBOX_REQUEST_LOG: 'off' }, pollMs: 600_000 });
  try {
    const { name, test: client } = await waiting.addCompany();
    const file = fileWith(statementFile([{ cents: 1n, reference: 'X' }], day));
    const { url, operatorUrl, admin } = waiting.database;
    const importing = runOps(['statements', 'import', 'test', name, file], {
      ...settings({ DATABASE_URL: url, DATABASE_OPERATOR_URL: operatorUrl }),
    });
    await until('the file is stored', async () => {
      const { body } = (await client.get(statementsPath)) as { body: { data: unknown[] } };
      return body.data.length === 1;
    });
    const { rows } = await admin.query<{ name: string }>('SELECT current_database() AS name');
    await admin.query(`ALTER DATABASE ${rows[0]!.name} CONNECTION LIMIT 0`);
    const { output, exitCode } = await importing;
    await admin.query(`ALTER DATABASE ${rows[0]!.name} CONNECTION LIMIT -1`);
    expect(output).toMatch(
      /The change was made, but its result is lost \(.+\)\. The bank statement .+ is stored now\./,
    );
    expect(output).not.toContain('Nothing changed');
    expect(exitCode).toBe(4);
  } finally {
    await waiting.stop();
  }
});

test('an import is in the audit log, without names of the file', async () => {
  const file = fileWith(statementFile([await paid()], day));
  await statements('import', file);
  const { output } = await runOps(
    ['actions', 'list', '--command', 'statements import', '--limit', '1', '--json'],
    settings(),
  );
  expect(JSON.parse(output.split('\n')[0]!)).toMatchObject({
    actions: [
      {
        command: 'statements import',
        target: expect.stringContaining(`${company.name} test statement `) as string,
        arguments: { file: path.basename(file), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
        result: { bytes: expect.any(Number) as number, replayed: false },
      },
    ],
  });
});

test.each([
  ['is cut off', () => statementFile([], day).slice(0, -20), 'The file was not read'],
  ['is in no known format', () => 'MT940', 'The file is not camt.052'],
])('a file that %s is rejected with the reason, and exits with 1', async (_what, content, message) => {
  const { output, exitCode } = await statements('import', fileWith(content()));
  expect(output).toContain(message);
  expect(exitCode).toBe(1);
  expect(await filesOfCompany()).toMatchObject([{ state: 'rejected' }]);
});

test('without the peppers of the service, an import is rejected', async () => {
  const without = Object.fromEntries(
    Object.entries(settings()).filter(([name]) => name !== 'CREDENTIAL_PEPPERS'),
  );
  const file = fileWith(statementFile([await paid()], day));
  const { output, exitCode } = await runOps(['statements', 'import', 'test', company.name, file], without);
  expect(output).toContain('CREDENTIAL_PEPPERS is not set.');
  expect(exitCode).toBe(1);
});

test('list and show have the files, and a voided one no longer counts', async () => {
  await statements('import', fileWith(statementFile([await paid(), { cents: 1n, reference: 'X' }], day)));
  await daysCompared(company.test);
  const list = await statements('list', '--json');
  const { files } = JSON.parse(list.output) as { files: { file_id: string; state: string }[] };
  expect(files).toMatchObject([{ state: 'read', entries: 2 }]);
  const fileId = files[0]!.file_id;
  const shown = await statements('show', fileId);
  expect(shown.output).toMatch(/^matched +1\nunknown +1\nentries_to_explain +1$/m);
  expect(shown.output).toMatch(/0001 +2026-11-20 +25\.50 +counted +matched/);
  expect(shown.exitCode).toBe(3);
  const voided = await statements('void', fileId, '--reason', 'Other account');
  expect(voided.output).toMatch(/^changed +true$/m);
  expect((await statements('void', fileId, '--reason', 'Again')).output).toMatch(/^changed +false$/m);
  expect(await filesOfCompany()).toMatchObject([{ state: 'voided', void_reason: 'Other account' }]);
  expect((await statements('show', fileId)).exitCode).toBe(0);
});

longTest("another company's file is not found", async () => {
  await statements('import', fileWith(statementFile([await paid()], day)));
  const [{ file_id: fileId }] = (await filesOfCompany()) as [{ file_id: string; state: string }];
  company = await service.addCompany();
  const { output, exitCode } = await statements('show', fileId);
  expect(output).toContain('The environment has no uploaded file with this file_id.');
  expect(exitCode).toBe(1);
  expect((await statements('void', fileId, '--reason', 'x')).exitCode).toBe(1);
});

const isUtilLinux = spawnSync('script', ['--version']).status === 0;
(isUtilLinux ? describe : describe.skip)('on a terminal (needs script of util-linux)', () => {
  beforeAll(build);

  longTest('an import shows its progress', async () => {
    const file = fileWith(statementFile([await paid()], day));
    const words = ['statements', 'import', 'test', `'${company.name}'`, file].join(' ');
    const { output } = await runProcess(
      'script',
      ['-qec', `bin/contribution-service ${words}`, '/dev/null'],
      settings({ TERM: 'xterm' }),
    );
    expect(output).toMatch(/waiting for a running service|read \d+ entries/);
  });
});
