import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import packageJson from '../../package.json';
import { runOps } from '../support/operator-commands';
import { build, root, runProcess, temporaryFolder } from '../support/program';
import { longTest, sample } from '../support/full-run';

/** How the operator's commands start and behave as a program. */
const program = path.join(root, 'bin', 'contribution-service');
const unreachable = { DATABASE_URL: 'postgres://nobody:x@127.0.0.1:1/none', ALLOW_PLAIN_HTTP: 'on' };

let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  await build();
  folder = temporaryFolder();
});
afterAll(() => {
  folder.remove();
});

longTest('a command loads only the modules that it needs', async () => {
  const loaded = path.join(folder.path, 'loaded.cjs');
  const packages = `new Set(Object.keys(require.cache).map((file) => /node_modules\\/([^/]+)/.exec(file)?.[1]))`;
  writeFileSync(loaded, `process.on('exit', () => console.error(JSON.stringify([...${packages}])));`);
  const { exitCode, output } = await runProcess('bash', [
    '-c',
    `node --require ${loaded} ${program} keys issue --help 2>&1 > /dev/null | tail -n 1`,
  ]);
  const names = (JSON.parse(output) as (string | null)[]).filter((name) => name !== null);
  expect([exitCode, names]).toEqual([0, expect.arrayContaining(['commander'])]);
  const unneeded = ['express', 'helmet', 'knex', 'marked', 'highlight.js', 'minisearch', 'prom-client'];
  expect(names.filter((name) => unneeded.includes(name) || name.startsWith('@opentelemetry'))).toEqual([]);
});

longTest('--version is the version of the package', async () => {
  expect(await runProcess(program, ['--version'])).toEqual({
    exitCode: 0,
    output: `${packageJson.version}\n`,
  });
});

test.each(
  sample(
    [
      ['help', ['contributions', '--help'], 0],
      ['an invalid command', ['contributions', 'show', 'nothing'], 2],
      ['an unreadable file', ['statements', 'check', 'README.md'], 1],
    ],
    1,
  ),
)('the process has the output and the exit code of the command: %s', async (_what, words, exitCode) => {
  const finished = await runProcess(program, [...words], unreachable);
  expect(finished.exitCode).toBe(exitCode);
  expect(finished).toEqual(await runOps([...words], unreachable));
});

longTest('--json prints only JSON to standard output', async () => {
  const child = spawn(program, ['doctor', '--json'], {
    env: { PATH: process.env['PATH'], ENV_FILE: 'off', ...unreachable },
  });
  let text = '';
  child.stdout.on('data', (data: Buffer) => (text += data.toString()));
  await once(child, 'close');
  expect(JSON.parse(text)).toMatchObject({ healthy: false });
});

test.each(
  sample(
    [
      [program, ['--help']],
      [program, ['keys', 'issue', '--help']],
      [process.execPath, [path.join(root, 'dist/src/operator/cli/migrate.js'), '--help']],
    ],
    1,
  ),
)('%s %j exits without an error when its reader closes the pipe', async (file, words) => {
  const child = spawn(file, words, { env: { PATH: process.env['PATH'], ENV_FILE: 'off' } });
  child.stdout.destroy();
  let complaint = '';
  child.stderr.on('data', (data: Buffer) => (complaint += data.toString()));
  const [code] = (await once(child, 'exit')) as [number];
  await delay(10);
  expect([code, complaint]).toEqual([0, '']);
});

longTest.each([
  ['a command', [program, 'companies', 'list']],
  ['a migration', [path.join(root, 'dist/src/operator/cli/migrate.js'), 'up']],
  ['the status of migrations', [path.join(root, 'dist/src/operator/cli/migrate.js'), 'status']],
  ['doctor', [program, 'doctor', '--json']],
])('a variable of libpq that applies to a failed connection is named by %s', async (_what, words) => {
  const settings = { ...unreachable, PGSSLMODE: 'require' };
  const { output } = await runProcess(process.execPath, words, settings);
  expect(output).toMatch(/ECONNREFUSED.* These environment variables apply too: PGSSLMODE\./);
});

describe('a .env file in the working directory', () => {
  const programs: [string, string[]][] = [
    ['the service', [path.join(root, 'dist/src/server.js')]],
    ['a migration', [path.join(root, 'dist/src/operator/cli/migrate.js'), 'status']],
    ['a command', [program, 'companies', 'list']],
    ['a health check', [path.join(root, 'dist/src/operator/cli/health.js'), 'live']],
  ];
  // Invalid, so that every program exits at once and names the error.
  const wrong = { DATABASE_POOL_SIZE: 'many' };
  const runIn = (words: string[], settings: Record<string, string>) =>
    runProcess(process.execPath, words, { ENV_FILE: '.env', ...unreachable, ...settings }, folder.path);

  beforeAll(() => {
    writeFileSync(path.join(folder.path, '.env'), '# settings\nPORT="not a port"\nHOST=127.0.0.1\n');
  });

  test.each(sample(programs, 1))('is read by %s', async (_what, words) => {
    const { exitCode, output } = await runIn(words, {});
    expect(exitCode).not.toBe(0);
    expect(output).toContain('PORT');
  });

  longTest.each(programs)('does not override the environment for %s', async (_what, words) => {
    const { output } = await runIn(words, { PORT: '1', ...wrong });
    expect(output).toContain('DATABASE_POOL_SIZE');
    expect(output).not.toMatch(/\bPORT\b/);
  });

  longTest.each(programs)('is ignored by %s with ENV_FILE=off', async (_what, words) => {
    const { output } = await runIn(words, { ENV_FILE: 'off', ...wrong });
    expect(output).toContain('DATABASE_POOL_SIZE');
    expect(output).not.toMatch(/\bPORT\b/);
  });

  longTest.each(programs)('is read by %s with an empty ENV_FILE', async (_what, words) => {
    const { output } = await runIn(words, { ENV_FILE: '', ...wrong });
    expect(output).toMatch(/\bPORT\b/);
  });

  test('must exist when ENV_FILE names it', async () => {
    const { exitCode, output } = await runIn([program, 'companies', 'list'], { ENV_FILE: 'nothing.env' });
    expect([exitCode, output]).toEqual([2, expect.stringContaining('nothing.env')]);
  });

  test('has an example that links to the correct settings page', () => {
    const [, page = ''] =
      /see (\S+\.md)\.\s*$/.exec(readFileSync(path.join(root, '.env.example'), 'utf8')) ?? [];
    expect(readFileSync(path.join(root, page), 'utf8')).toContain('<!-- settings -->');
  });
});
