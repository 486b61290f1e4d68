import { createTestDatabase, type TestDatabase } from '../support/database';
import { operatorSettings, runOps } from '../support/operator-commands';
import { build, runProcess, temporaryFolder } from '../support/program';

/** Programs whose standard output is full or closed. The operating system reports the errors. */
beforeAll(build);

const sdk = 'node packages/sdk/dist/command/main.js';
const closedPipe = '| (exec 0<&-; sleep 1)';
const bash = (command: string, settings: Record<string, string> = {}) =>
  runProcess('bash', ['-c', `set -o pipefail; ${command}`], settings);

test("the SDK's command ends without an error if its reader closes the pipe", async () => {
  expect(await bash(`${sdk} --help ${closedPipe}`)).toMatchObject({ exitCode: 0, output: '' });
});

describe('an operator', () => {
  let database: TestDatabase;
  let settings: Record<string, string>;
  const folder = temporaryFolder();
  beforeAll(async () => {
    database = await createTestDatabase();
    settings = operatorSettings(database);
    await runOps(['companies', 'create', 'Acme'], settings);
  });
  afterAll(async () => {
    folder.remove();
    await database.drop();
  });

  test.each([
    ['a full disk', '> /dev/full', 4, /The command revoked the new pair cpk_test_\w+\. Issue another one\./],
    ['a closed pipe', closedPipe, 4, /The command revoked the new pair cpk_test_\w+\. Issue another one\./],
    ['/dev/null', '> /dev/null', 1, /nobody would see the new secret\. Nothing changed\./],
    ['a closed output', '>&-', 1, /nobody would see the new secret\. Nothing changed\./],
  ])('has no live pair whose secret went to %s', async (_what, to, exitCode, message) => {
    const finished = await bash(`bin/contribution-service keys issue test Acme ${to}`, settings);
    expect(finished).toEqual({ exitCode, output: expect.stringMatching(message) });
    expect(JSON.parse((await runOps(['keys', 'list', '--json'], settings)).output)).toEqual({
      key_pairs: [],
    });
  });

  test('learns from seed that the demo is loaded, even if its output is lost', async () => {
    const owner = { DATABASE_URL: database.ownerUrl, DATA_DIRECTORY: folder.path };
    const finished = await bash('node dist/src/operator/cli/seed.js > /dev/full', owner);
    expect([finished.exitCode, finished.output]).toEqual([
      4,
      expect.stringContaining('The database has the demo now'),
    ]);
  });
});
