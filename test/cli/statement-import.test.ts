import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { type Completions, createCompletions } from '../support/completions';
import { longTest } from '../support/full-run';
import { operate } from '../support/operations';
import { operatorSettings, runOps } from '../support/operator-commands';
import { build, runProcess, temporaryFolder } from '../support/program';
import { startService, type TestCompany, type TestService } from '../support/service';
import { type Line, statementFile, statementsPath } from '../support/statement-files';
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
const filesOfCompany = async (): Promise<{ file_id: string; state: string }[]> => {
  const response = await company.test.get(statementsPath).expect(200);
  return (response.body as { data: { file_id: string; state: string }[] }).data;
};

test('an import waits until the service has matched the entries, and exits with 0 without differences', async () => {
  const file = fileWith(statementFile([await paid(), await paid()], day));
  const { output, exitCode } = await statements('import', file, '--json');
  expect(JSON.parse(output)).toMatchObject({
    state: 'matched',
    format: 'camt.053',
    matched_entries: 2,
    outcomes: { matched: 2 },
    unexplained_entries: 0,
    differences: 0,
    replayed: false,
    statements: [{ balance: 'balanced', account_ending: '0001' }],
  });
  expect(exitCode).toBe(0);
});

test.each([
  ['an amount that differs', async () => [await paid(20_00n)], { differences: 1, unexplained_entries: 0 }],
  [
    'an entry without a reference',
    () => [{ cents: 1n, reference: 'X' }],
    { differences: 0, unexplained_entries: 1 },
  ],
])('%s exits with 3', async (_what, lines, expected) => {
  const file = fileWith(statementFile(await lines(), day));
  const { output, exitCode } = await statements('import', file, '--json');
  expect(JSON.parse(output)).toMatchObject(expected);
  expect(exitCode).toBe(3);
});

longTest('wrong totals exit with 3', async () => {
  const file = fileWith(statementFile([await paid()], { ...day, closingCents: 1n }));
  const { output, exitCode } = await statements('import', file);
  expect(output).toMatch(/unbalanced/);
  expect(exitCode).toBe(3);
});

longTest('the account is the same as for an upload through the API', async () => {
  const first = statementFile([await paid()], day);
  await company.test.post(statementsPath).set('Content-Type', 'application/xml').send(first).expect(202);
  const later = { from: '2026-11-21', openingCents: 1_000_025_50n };
  const second = Buffer.from(statementFile([await paid()], later));
  const none = { account: undefined, direction: undefined, mapping: undefined };
  // Computes the account_id with the peppers of this service.
  await operate(service.database, ({ bankStatements }) =>
    bankStatements.import({ company: company.name, kind: 'test' }, second, none, () => undefined),
  );
  const response = await company.test.get('/company/integration/statement-accounts').expect(200);
  expect((response.body as { data: unknown[] }).data).toHaveLength(1);
});

test('a repeated import changes nothing and says so', async () => {
  const file = fileWith(statementFile([await paid()], day));
  await statements('import', file);
  const { output, exitCode } = await statements('import', file);
  expect(output).toContain('The same file was imported before');
  expect(exitCode).toBe(0);
  expect(await filesOfCompany()).toHaveLength(1);
});

test('a dry run stores nothing', async () => {
  const file = fileWith(statementFile([await paid()], day));
  const { output } = await statements('import', file, '--dry-run');
  expect(output).toMatch(/^entries +1$/m);
  expect(output).toContain('Dry run: nothing changed.');
  expect(await filesOfCompany()).toEqual([]);
});

test('a dry run of an imported file shows the results of the import, with its exit code', async () => {
  const unexplained = { cents: 1n, reference: 'X' };
  const file = fileWith(statementFile([await paid(20_00n), unexplained, await paid()], day));
  const imported = await statements('import', file, '--json');
  const tried = await statements('import', file, '--json', '--dry-run');
  expect(bodyOf(tried.output)).toEqual({ ...bodyOf(imported.output), replayed: true, dry_run: true });
  expect(tried.exitCode).toBe(3);
  const shown = await statements('import', file, '--dry-run');
  expect(shown.output).toContain('The same file was imported before');
  expect(shown.output).toMatch(/^differences +1$/m);
  expect(shown.exitCode).toBe(3);
});

longTest('a dry run of another file says that it compares nothing', async () => {
  const file = fileWith(statementFile([{ cents: 1n, reference: 'X' }], day));
  const { output } = await statements('import', file, '--json', '--dry-run');
  expect(output).toContain('A dry run does not compare the entries with contributions.');
  expect(bodyOf(output)).toMatchObject({
    unexplained_entries: null,
    differences: null,
    dry_run: true,
  });
  const shown = await statements('import', file, '--dry-run');
  expect(shown.output).not.toMatch(/^(differences|unexplained_entries)/m);
});

longTest('an import that loses the database while it waits says that the file is stored', async () => {
  // Matches nothing before the test ends.
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
        result: { entries: 1, replayed: false },
      },
    ],
  });
});

test.each([
  ['is cut off', () => statementFile([], day).slice(0, -20), 'Nothing was stored.'],
  ['is in no known format', () => 'MT940', 'Nothing was stored.'],
])('a file that %s is rejected', async (_what, content, message) => {
  const { output, exitCode } = await statements('import', fileWith(content()));
  expect(output).toContain(message);
  expect(exitCode).toBe(1);
  expect(await filesOfCompany()).toEqual([]);
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
  const file = fileWith(statementFile([await paid(20_00n)], day));
  await statements('import', file);
  const list = await statements('list', '--json');
  const { files } = JSON.parse(list.output) as { files: { file_id: string }[] };
  const [{ file_id: fileId }] = files as [{ file_id: string }];
  const shown = await statements('show', fileId);
  expect(shown.output).toMatch(/^differences +1$/m);
  expect(shown.output).toMatch(/matched .*credit +20\.00 +USD +2026-11-20/);
  expect(shown.exitCode).toBe(3);
  expect((await statements('show', fileId, '--outcome', 'unknown')).output).toContain('No entries found.');
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
    expect(output).toContain('stored 1 of 1 entries');
  });
});
