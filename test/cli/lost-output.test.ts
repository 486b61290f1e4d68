import { migrateProgram } from '../../src/operator/cli/migrate.command';
import { operatorProgram } from '../../src/operator/cli/program';
import { commandNames, createActivity, nameOf, runEveryCommand } from '../schema/every-command';
import { createTestDatabase } from '../support/database';
import { operatorSettings, runOpsSeparately, runWithoutOutput } from '../support/operator-commands';
import { temporaryFolder } from '../support/program';
import { startService, type TestService } from '../support/service';

/** Commands whose output cannot be written: the exit code and the message must be true. */
let service: TestService;
let folder: ReturnType<typeof temporaryFolder>;
let settings: Record<string, string>;

beforeAll(async () => {
  service = await startService();
  folder = temporaryFolder();
  settings = { ...operatorSettings(service.database), DATA_DIRECTORY: folder.path };
});
afterAll(async () => {
  folder.remove();
  await service.stop();
});

const countActions = async (): Promise<number> => {
  const { rows } = await service.database.admin.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM operator_actions',
  );
  return rows[0]!.count;
};
const livePairs = async (company: string): Promise<string[]> => {
  const { stdout } = await runOpsSeparately(['keys', 'list', company, '--json'], settings);
  return (JSON.parse(stdout) as { key_pairs: { api_key: string }[] }).key_pairs.map((pair) => pair.api_key);
};
const run = (words: string[], code: string, more: Record<string, string> = {}) =>
  runWithoutOutput(operatorProgram, words, { ...settings, ...more }, code);

/** A run of a command whose output was lost. */
interface LostRun {
  name: string;
  exitCode: number;
  stderr: string;
  /** Whether the command added an entry to the audit log. */
  isRecorded: boolean;
}

/** These add an entry to the audit log, but may have nothing to change in `runEveryCommand`. */
const mayChangeNothing = ['projects recount', 'stories import'];
const hasChanged = ({ name, exitCode, isRecorded }: LostRun): boolean =>
  isRecorded && !(mayChangeNothing.includes(name) && exitCode === 1);

describe('when the disk of standard output is full', () => {
  const runs: LostRun[] = [];

  beforeAll(async () => {
    const disputed = await createActivity(service);
    await runEveryCommand(settings, folder.path, disputed, async (words, _settings, expectedExitCode) => {
      const before = await countActions();
      const { exitCode, stdout, stderr } = await run([...words], 'ENOSPC');
      runs.push({ name: nameOf(words), exitCode, stderr, isRecorded: (await countActions()) > before });
      // These revoked their pair, but later commands need one.
      if (/^keys (issue|rotate)/.test(nameOf(words))) return runOpsSeparately(words, settings);
      return { exitCode: expectedExitCode, stdout, stderr: '' };
    });
  });

  test('every command ran', () => {
    expect([...new Set(runs.map(({ name }) => name))].sort()).toEqual(commandNames().sort());
  });

  test('a command that changed something exits with 4, says what exists now, and names a command or says that nothing undoes it', () => {
    const changed = runs.filter(hasChanged);
    expect(changed.length).toBeGreaterThan(20);
    for (const { name, exitCode, stderr } of changed) {
      expect([name, exitCode, stderr]).toEqual([
        name,
        4,
        expect.stringMatching(/The change was made, but its result is lost \(ENOSPC: write\)\. .{20,}\n$/m),
      ]);
      expect(stderr).toMatch(
        /Undo it (for the changed ones )?with: |[Tt]o undo it|cannot be undone|nothing to undo|nobody can remove|The command revoked/,
      );
    }
  });

  test('the command that undoes a change exists', () => {
    const undoing = runs.flatMap(({ stderr }) =>
      [...stderr.matchAll(/(?:with|rest|again): ((?:[a-z-]+ ){2})/g)].map(([, words = '']) => words.trim()),
    );
    expect(undoing.length).toBeGreaterThan(10);
    expect(undoing.filter((words) => !commandNames().includes(words))).toEqual([]);
  });

  test('a command that changed nothing exits with 1 and says so', () => {
    const unchanged = runs.filter((each) => !hasChanged(each));
    const silent = ['projects export', 'stories export', 'contributions export'];
    for (const { name, exitCode, stderr } of unchanged) {
      if (silent.includes(name)) expect([name, exitCode]).toEqual([name, 0]);
      else {
        expect([name, exitCode, stderr]).toEqual([
          name,
          1,
          expect.stringContaining('The output cannot be written: ENOSPC: write. No data changed.'),
        ]);
      }
    }
  });
});

describe('a key pair whose secret could not be printed', () => {
  test.each(['ENOSPC', 'EPIPE', 'EIO'])('is revoked after %s, and the exit code is 4', async (code) => {
    const { name } = await service.addCompany();
    const before = await livePairs(name);
    const { exitCode, stdout, stderr } = await run(['keys', 'issue', 'test', name, '--json'], code);
    const { api_key: apiKey, api_secret: apiSecret } = JSON.parse(stdout) as Record<string, string>;
    expect(exitCode).toBe(4);
    expect(stderr).toContain(`The command revoked the new pair ${apiKey}. Issue another one.`);
    expect(stderr).not.toContain(apiSecret);
    expect(await livePairs(name)).toEqual(before);
    const { rows } = await service.database.admin.query(
      'SELECT command FROM operator_actions ORDER BY position DESC LIMIT 2',
    );
    expect(rows).toEqual([{ command: 'keys revoke' }, { command: 'keys issue' }]);
  });

  test('is revoked after a rotation. The old pair works until it expires, and can be rotated again', async () => {
    const { name, test: client } = await service.addCompany();
    const { exitCode, stderr } = await run(['keys', 'rotate', client.apiKey!], 'EPIPE');
    expect(exitCode).toBe(4);
    expect(stderr).toMatch(/The command revoked the new pair cpk_test_\w+\. The old pair expires at .+Z\./);
    expect(await livePairs(name)).not.toContain(/revoked the new pair (\w+)/.exec(stderr)?.[1]);
    const again = await runOpsSeparately(['keys', 'rotate', client.apiKey!], settings);
    expect(again.exitCode).toBe(0);
  });

  test('is named with the command that revokes it, if the database is gone', async () => {
    const { name } = await service.addCompany();
    const { admin } = service.database;
    await admin.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'refused'; END $$`);
    await admin.query(
      `CREATE TRIGGER refuse BEFORE UPDATE ON key_pairs FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    const { exitCode, stderr } = await run(['keys', 'issue', 'test', name], 'ENOSPC');
    await admin.query('DROP FUNCTION refuse CASCADE');
    expect(exitCode).toBe(4);
    const [, apiKey = ''] = /The new pair (cpk_test_\w+) is live, nobody saw its secret/.exec(stderr) ?? [];
    expect(stderr).toContain(`Undo it with: keys revoke ${apiKey}\n`);
    expect(await livePairs(name)).toContain(apiKey);
  });

  test('is not even issued if standard output is closed or /dev/null', async () => {
    const { name } = await service.addCompany();
    const before = await livePairs(name);
    const words = ['keys', 'issue', 'test', name];
    const { exitCode, stderr } = await runOpsSeparately(words, settings, { isDiscarded: true });
    expect([exitCode, stderr]).toEqual([
      1,
      'Standard output is closed or /dev/null, so nobody would see the new secret. Nothing changed.\n',
    ]);
    expect(await livePairs(name)).toEqual(before);
    const dryRun = await runOpsSeparately([...words, '--dry-run'], settings, { isDiscarded: true });
    expect(dryRun.exitCode).toBe(0);
  });
});

test('a reader that stops early is no error of a command that only reads', async () => {
  for (const words of [
    ['companies', 'list'],
    ['contributions', 'export'],
    ['completion', 'bash'],
    ['--help'],
  ])
    expect(await run(words, 'EPIPE')).toMatchObject({ exitCode: 0, stderr: '' });
});

test('a dry run without output changed nothing', async () => {
  const words = ['companies', 'create', 'Tried', '--dry-run'];
  const { exitCode, stderr } = await run(words, 'ENOSPC');
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('No data changed.')]);
});

test('the exit code says that something changed even if standard error fails too', async () => {
  const words = ['companies', 'create', 'Both Lost'];
  const { exitCode } = await runWithoutOutput(operatorProgram, words, settings, 'EIO', true);
  expect(exitCode).toBe(4);
});

test('a file that cannot be written is an error of the command', async () => {
  const words = ['projects', 'export', '/dev/full', '--format', 'json'];
  const { exitCode, stderr } = await runOpsSeparately(words, settings);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('The file cannot be written: ENOSPC')]);
});

test('migrations whose progress cannot be written run to their end, and the exit code is 4', async () => {
  const database = await createTestDatabase();
  try {
    const owner = { DATABASE_URL: database.ownerUrl };
    const down = await runWithoutOutput(migrateProgram, ['down', '--yes'], owner, 'ENOSPC');
    expect([down.exitCode, down.stderr]).toEqual([
      4,
      expect.stringMatching(/The change was made, but its result is lost .* is reverted\. "npm run migrate"/),
    ]);
    const up = await runWithoutOutput(migrateProgram, ['up'], owner, 'EPIPE');
    expect([up.exitCode, up.stderr]).toEqual([4, expect.stringContaining('Applied 1 migration')]);
    const again = await runWithoutOutput(migrateProgram, ['up'], owner, 'ENOSPC');
    expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('No data changed.')]);
    expect(await runWithoutOutput(migrateProgram, ['status'], owner, 'EPIPE')).toMatchObject({ exitCode: 0 });
  } finally {
    await database.drop();
  }
});
