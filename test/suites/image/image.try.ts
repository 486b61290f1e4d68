import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { validate } from 'dockerfile-utils';

import { createTestDatabase, type TestDatabase } from '../../support/database';
import { freePort, root, runProcess, temporaryFolder } from '../../support/program';
import { commandOf, dockerfile, environmentOf, readStages, stepOf } from './dockerfile';
import { replay } from './replay';
import { randomPepper } from '../../support/pepper';

/**
 * Runs the Dockerfile without a container engine: its steps in an empty folder, then its commands
 * with its Node version. As root, the commands run as the image's user, who may write nothing
 * there.
 */
const image = readStages().at(-1)!;
let folder: ReturnType<typeof temporaryFolder>;
let database: TestDatabase;
let app: string;
let node: string;
let settings: Record<string, string>;

/** The image's version of Node, from the npm registry. */
async function installNode(): Promise<string> {
  const [, version = ''] = /^node:([\d.]+)-/.exec(image.image) ?? [];
  const packageName = `node-${process.platform}-${process.arch}`;
  const place = path.join(folder.path, 'node');
  mkdirSync(place);
  // Not with --prefix: npm would look for this machine's settings there, including certificates.
  writeFileSync(path.join(place, 'package.json'), '{}');
  const { exitCode, output } = await runProcess('npm', ['install', `${packageName}@${version}`], {}, place);
  if (exitCode !== 0) throw new Error(output);
  return path.join(place, 'node_modules', packageName, 'bin', 'node');
}

interface Running {
  output: () => string;
  exitCode: Promise<number | null>;
  signal: (signal: NodeJS.Signals) => void;
}

/**
 * Starts a command of the image as an engine would: with its environment, its folder and, as root,
 * its user.
 */
function start([program, ...programArguments]: string[], more: Record<string, string> = {}): Running {
  expect(program).toBe('node');
  const [uid, gid] = stepOf(image, 'USER').text.split(':').map(Number);
  const child = spawn(node, programArguments, {
    cwd: app,
    env: { ...environmentOf(image), ...settings, HOME: '/nonexistent', TMPDIR: '/nonexistent', ...more },
    ...(process.getuid?.() === 0 && { uid, gid }),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      output += data.toString();
    });
  }
  const exitCode = once(child, 'exit').then(([code]) => code as number | null);
  return { output: () => output, exitCode, signal: (signal) => child.kill(signal) };
}

/** Runs a command of the image until it exits. */
async function finish(command: string[], more: Record<string, string> = {}) {
  const running = start(command, more);
  return { exitCode: await running.exitCode, output: running.output() };
}

/** Every file of the image with its modification time. */
const files = (): string[] =>
  readdirSync(app, { recursive: true, encoding: 'utf8' })
    .map((name) => `${name} ${statSync(path.join(app, name)).mtimeMs}`)
    .sort();

const migrate = ['node', 'dist/src/operator/cli/migrate.js'];
const health = (...more: string[]) => ['node', 'dist/src/operator/cli/health.js', ...more];

beforeAll(async () => {
  folder = temporaryFolder();
  app = await replay(folder.path);
  node = await installNode();
  await runProcess('chmod', ['-R', 'a-w', app]);
  database = await createTestDatabase('template1');
  settings = {
    PORT: String(await freePort()),
    METRICS_PORT: String(await freePort()),
    DATABASE_URL: database.url,
    PUBLIC_BASE_URL: 'https://api.example.org',
    CREDENTIAL_PEPPERS: `1:${randomPepper}`,
    TRUSTED_PROXIES: '127.0.0.1',
  };
}, 600_000);
afterAll(async () => {
  await database.drop();
  await runProcess('chmod', ['-R', 'u+w', app]);
  folder.remove();
});

test('the linter accepts the Dockerfile, and the process does not run as root', () => {
  expect(validate(dockerfile)).toEqual([]);
  expect(stepOf(image, 'USER').text).toMatch(/^[1-9]\d+:[1-9]\d+$/);
});

test('the image contains only the program and the packages that it needs', () => {
  expect(readdirSync(app).sort()).toEqual(['bin', 'dist', 'node_modules', 'package.json', 'packages']);
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean; devOptional?: boolean }>;
  };
  const present = Object.entries(packages).filter(
    ([name]) => name !== '' && existsSync(path.join(app, name)),
  );
  expect(present.length).toBeGreaterThan(20);
  const unneeded = present.filter(([, { dev, optional, devOptional }]) => dev ?? optional ?? devOptional);
  expect(unneeded.map(([name]) => name)).toEqual([]);
});

test('on a database without the schema the service refuses to start, and migrate creates it', async () => {
  const refused = await finish(commandOf(stepOf(image, 'CMD')));
  expect(refused).toEqual({ exitCode: 1, output: expect.stringContaining('migrate') });
  const owner = { DATABASE_OWNER_URL: database.ownerUrl };
  expect(await finish([...migrate, 'up'], owner)).toEqual({
    exitCode: 0,
    output: expect.stringMatching(/^Applied \d+ migrations? and \d+ files\.$/m),
  });
  expect((await finish([...migrate, 'status'], owner)).exitCode).toBe(0);
});

test('the service starts from it, is live and ready, serves metrics, writes no file, and exits with 0', async () => {
  const before = files();
  const service = start(commandOf(stepOf(image, 'CMD')));
  try {
    expect(await finish(health('ready', '--wait', '60'))).toEqual({ exitCode: 0, output: '' });
    expect(await finish(commandOf(stepOf(image, 'HEALTHCHECK')))).toEqual({ exitCode: 0, output: '' });
    const metrics = await fetch(`http://127.0.0.1:${settings['METRICS_PORT']}/metrics`);
    expect(metrics.status).toBe(200);
  } finally {
    service.signal(stepOf(image, 'STOPSIGNAL').text as NodeJS.Signals);
  }
  expect([await service.exitCode, service.output()]).toEqual([0, expect.stringContaining('"listening"')]);
  expect(files()).toEqual(before);
});

test('the health check fails when nothing responds', async () => {
  expect(await finish(commandOf(stepOf(image, 'HEALTHCHECK')))).toEqual({
    exitCode: 1,
    output: expect.stringContaining('ECONNREFUSED'),
  });
});

test("an operator's command works", async () => {
  const { exitCode, output } = await finish(
    ['node', 'bin/contribution-service', 'companies', 'list', '--json'],
    {
      DATABASE_OPERATOR_URL: database.operatorUrl,
    },
  );
  expect([exitCode, output]).toEqual([0, expect.any(String)]);
});
