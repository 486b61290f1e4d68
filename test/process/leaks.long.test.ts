import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { listSettings } from '../../src/contracts';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { runOps } from '../support/operator-commands';
import { sample } from '../support/full-run';
import { createLeakWatch } from '../support/leaks';
import { scrape } from '../support/metrics';
import {
  build,
  freePort,
  killLeftoverProcesses,
  root,
  RunningService,
  temporaryFolder,
} from '../support/program';
import { until } from '../support/until';

/** Programs never print configured secrets, whether they fail to start, fail later or succeed. */
const password = 'CanaryPassword9';
const pepper = `CanaryPepper${'0123456789'.repeat(3)}`;
const accident = 'CanaryOfAnAccident';
const watch = () => createLeakWatch({ password, pepper, accident });

const server = 'dist/src/server.js';
const operator = 'dist/src/operator/cli/main.js';

let database: TestDatabase;
let folder: ReturnType<typeof temporaryFolder>;
let settings: Record<string, string>;

beforeAll(async () => {
  await build();
  database = await createTestDatabase();
  folder = temporaryFolder();
  settings = {
    DATA_DIRECTORY: folder.path,
    CREDENTIAL_PEPPERS: `1:${pepper}`,
    LOG_LEVEL: 'trace',
  };
});
afterAll(async () => {
  await killLeftoverProcesses();
  await database.drop();
  folder.remove();
});

/** The output of a program until it exits, or until it listens and is told to exit. */
async function printed(programArguments: string[], more: Record<string, string>): Promise<string> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, programArguments, {
    cwd: root,
    env: {
      PATH,
      HOME,
      ENV_FILE: 'off',
      ...settings,
      PORT: String(await freePort()),
      METRICS_PORT: 'off',
      ...more,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      output += data.toString();
      if (output.includes('"listening"')) child.kill('SIGTERM');
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return `${output}\nexit code ${code}`;
}

function expectNoLeak(output: string): void {
  const leaks = watch();
  leaks.look('output', output);
  expect([leaks.found, output]).toEqual([[], output]);
}

/** URLs of unreachable databases, each with the password in it. */
const addresses: [string, () => string][] = [
  ['nobody listens', () => `postgres://u:${password}@127.0.0.1:1/d`],
  ['there is no such host', () => `postgres://u:${password}@nowhere.invalid/d`],
  ['the port is too large', () => `postgres://u:${password}@127.0.0.1:99999/d`],
  ['the port is no number', () => `postgres://u:${password}@127.0.0.1:port/d`],
  ['the password has a slash', () => `postgres://u:${password}/x@127.0.0.1:1/d`],
  ['the password has a hash sign', () => `postgres://u:${password}#x@127.0.0.1:1/d`],
  ['the password has a question mark', () => `postgres://u:${password}?x@127.0.0.1:1/d`],
  ['the password has a percent sign', () => `postgres://u:${password}%zz@127.0.0.1:1/d`],
  ['the password has a space', () => `postgres://u:${password} x@127.0.0.1:1/d`],
  ['the scheme is missing', () => `u:${password}@127.0.0.1/d`],
  ['the scheme is another one', () => `mysql://u:${password}@127.0.0.1/d`],
  ['a file of the address is not there', () => `postgres://u:${password}@127.0.0.1:1/d?sslrootcert=/nowhere`],
  [
    'the server refuses it',
    () => {
      const url = new URL(database.url);
      url.password = password;
      return url.href;
    },
  ],
];

test.each(sample(addresses, 3))(
  'the service does not print the password of a DATABASE_URL when %s',
  async (_why, address) => {
    const output = await printed([server], { DATABASE_URL: address() });
    expect(output.length).toBeGreaterThan(30);
    expectNoLeak(output);
  },
);

describe.each<[string, string[]]>([
  ['a command of the operator', [operator, 'companies', 'create', 'A Company']],
  ['a migration', ['dist/src/operator/cli/migrate.js', 'up']],
  ['a list of the migrations', ['dist/src/operator/cli/migrate.js', 'status']],
  ['seeding', ['dist/src/operator/cli/seed.js']],
])('%s does not print it either', (_what, program) => {
  const few = addresses.filter(([why]) => /nobody|port is no|percent|scheme is m|refuses/.test(why));
  test.each(sample(few, 4))('when %s', async (_why, address) => {
    const output = await printed(program, { DATABASE_URL: address() });
    expect(output).toMatch(/exit code [12]$/);
    expectNoLeak(output);
  });
});

describe('the error for an invalid setting names it and does not print its value', () => {
  test('every setting', async () => {
    const names = Object.keys(listSettings().shape);
    const output = await printed(
      [server],
      Object.fromEntries(names.map((name) => [name, `${password} \u0007`])),
    );
    expect(output).toMatch(/exit code 1$/);
    // Any text is a valid listen address, file or name.
    const anyText = [
      'HOST',
      'METRICS_HOST',
      'DATA_DIRECTORY',
      'OPERATOR',
      'TLS_CERTIFICATE_FILE',
      'TLS_PRIVATE_KEY_FILE',
    ];
    for (const name of names.filter((each) => !anyText.includes(each))) expect(output).toContain(`${name}: `);
    expectNoLeak(output);
  });

  test('peppers with one that is too short', async () => {
    const output = await printed([server], { CREDENTIAL_PEPPERS: `1:${pepper},2:${password}` });
    expect(output).toContain('CREDENTIAL_PEPPERS');
    expectNoLeak(output);
  });

  test('an invalid private key', async () => {
    const file = path.join(folder.path, 'key.pem');
    writeFileSync(file, `-----BEGIN PRIVATE KEY-----\n${pepper}\n-----END PRIVATE KEY-----\n`);
    const tls = { TLS_CERTIFICATE_FILE: file, TLS_PRIVATE_KEY_FILE: file };
    const output = await printed([server], { DATABASE_URL: database.url, ...tls });
    expect(output).toContain('TLS_PRIVATE_KEY_FILE cannot be used');
    expectNoLeak(output);
  });
});

test.each(['rejection', 'exception'])(
  'a service logs the kind of an unexpected %s without row data, counts it, and goes on',
  async (kind) => {
    const metricsPort = await freePort();
    const service = await RunningService.start({
      ...settings,
      DATABASE_URL: database.url,
      ALLOW_PLAIN_HTTP: 'on',
      METRICS_PORT: String(metricsPort),
      NODE_OPTIONS: `--require=${path.join(__dirname, 'fail-by-accident.cjs')}`,
      ACCIDENT: accident,
      ACCIDENT_KIND: kind,
    });
    void service.signal('SIGUSR2');
    await until('it is logged', () => service.output.includes('"uncaught exception"'));
    expect(service.output).toContain('23505');
    expect((await scrape(metricsPort)).value('contribution_uncaught_exceptions_total')).toBe(1);
    expect(await service.signal('SIGTERM')).toBe(0);
    expectNoLeak(service.output);
  },
);

test('an operator sees a new secret once, and no other command prints it', async () => {
  const owner = { DATABASE_URL: database.url, DATABASE_OPERATOR_URL: database.operatorUrl };
  const ops = (...command: string[]) => runOps(command, { ...settings, ...owner });
  await ops('companies', 'create', 'Leaks');
  const { output } = await ops('keys', 'issue', 'test', 'Leaks', '--json');
  const pair = JSON.parse(output) as { api_key: string; api_secret: string };
  expect(output.split(pair.api_secret)).toHaveLength(2);

  const others = [
    // A secret in place of the key.
    await ops('keys', 'revoke', pair.api_secret),
    await ops('verify', '--json'),
    await ops('keys', 'revoke', pair.api_key, '--json', '--yes'),
  ];
  expect(others.map(({ exitCode }) => exitCode)).toEqual([1, 0, 0]);
  expectNoLeak(others.map((each) => each.output).join('\n'));
});
