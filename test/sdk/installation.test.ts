import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import type { Response } from 'supertest';

import { addProject } from '../support/catalogue';
import { blocksOf } from '../support/documents';
import { build, root, runProcess, temporaryFolder } from '../support/program';
import { namesFromRegistry } from '../support/registry-names';
import { commandVariables } from '../support/sdk-command';
import { startService, type TestCompany, type TestService } from '../support/service';

/**
 * Partners install the SDK from the service and run the installed command. The registry of these
 * tests refuses every request and records it.
 */
const sdk = path.join(root, 'packages', 'sdk');
const { name, version } = JSON.parse(readFileSync(path.join(sdk, 'package.json'), 'utf8')) as {
  name: string;
  version: string;
};
const file = `${name}-${version}.tgz`;
const address = `/docs/sdk/${file}`;
const command = `./node_modules/.bin/${name}`;

let service: TestService;
let company: TestCompany;
let registry: Server;
let requests: string[];
let folder: ReturnType<typeof temporaryFolder>;
let packed: Buffer;

beforeAll(async () => {
  await build();
  packed = readFileSync(path.join(sdk, 'packed', file));
  folder = temporaryFolder();
  service = await startService();
  company = await service.addCompany();
  await addProject(service.database.admin);
  registry = createServer((req) => {
    requests.push(`${req.method} ${req.url}`);
    req.destroy();
  }).listen(0, '127.0.0.1');
  await once(registry, 'listening');
});
beforeEach(() => {
  requests = [];
});
afterAll(async () => {
  registry.close();
  await service.stop();
  folder.remove();
});

const registryUrl = (): string => `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;

/** Runs commands as a reader of a document, in a folder without a cache of npm. */
async function run(
  commands: string,
  place: string,
  settings: Record<string, string> = {},
): Promise<{ exitCode: number; output: string }> {
  mkdirSync(path.join(folder.path, place), { recursive: true });
  const base = `http://127.0.0.1:${service.port}`;
  return runProcess(
    'bash',
    ['-c', `set -e\n${commands.replaceAll('https://api.example.org', base)}`],
    {
      ...commandVariables(service, company.test),
      npm_config_registry: registryUrl(),
      npm_config_cache: path.join(folder.path, `${place}-cache`),
      npm_config_fetch_retries: '0',
      npm_config_audit: 'false',
      ...settings,
    },
    path.join(folder.path, place),
  );
}

const installing = ['packages/sdk/README.md', 'docs/guides/start.md'].flatMap((document) =>
  blocksOf(readFileSync(path.join(root, document), 'utf8'), ['sh', 'shell'])
    .filter(({ text }) => text.includes('npm install'))
    .map(({ text }) => ({ document, text })),
);

/** Reads a response that is not text. */
const bytes = (response: Response, done: (error: Error | null, body: Buffer) => void): void => {
  buffer(response as unknown as Readable).then(
    (body) => {
      done(null, body);
    },
    (error: unknown) => {
      done(error as Error, Buffer.of());
    },
  );
};

describe('the packed SDK', () => {
  const get = () => service.anonymous.raw('get', address).buffer(true).parse(bytes);

  test('is served with a checked ETag, because the next build of a version may differ', async () => {
    const response = await get();
    expect([response.status, response.get('Content-Type'), response.get('Cache-Control')]).toEqual([
      200,
      'application/gzip',
      'public, no-cache',
    ]);
    expect(packed.equals(response.body as Buffer)).toBe(true);
    const again = await service.anonymous.raw('get', address).set('If-None-Match', response.get('ETag')!);
    expect(again.status).toBe(304);
    const head = await service.anonymous.raw('head', address);
    expect([head.status, head.get('Content-Length'), head.get('ETag')]).toEqual([
      200,
      String(packed.length),
      response.get('ETag'),
    ]);
  });

  test('has its integrity hash and its address on the page of the SDK', async () => {
    const { text } = await service.anonymous.raw('get', '/docs/typescript-sdk');
    expect(text).toContain(`sha512-${createHash('sha512').update(packed).digest('base64')}`);
    expect(text).toContain(`href="sdk/${file}"`);
  });

  test('is also in the build', () => {
    const built = path.join(root, 'dist', 'packages', 'sdk', 'packed');
    expect(readdirSync(built)).toEqual([file]);
    expect(packed.equals(readFileSync(path.join(built, file)))).toBe(true);
  });

  test('contains the compiled files, the documents and nothing else', async () => {
    const { output } = await run(`tar -tzf '${path.join(sdk, 'packed', file)}'`, '.');
    const others = output
      .trim()
      .split('\n')
      .filter((each) => !/^package\/dist\/(?!.*test).+\.(js|d\.ts)$/.test(each));
    expect(others.sort()).toEqual(
      [
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'dist/cjs/package.json',
        'node/package.json',
        'package.json',
      ].map((each) => `package/${each}`),
    );
  });

  test('has the same bytes when the same files are packed elsewhere at another time', async () => {
    const place = path.join(folder.path, 'again');
    cpSync(sdk, place, { recursive: true, filter: (each) => !each.startsWith(path.join(sdk, 'packed')) });
    for (const each of readdirSync(place, { recursive: true, encoding: 'utf8' }))
      utimesSync(path.join(place, each), 1, 1);
    await run('npm pack --silent --ignore-scripts', 'again');
    expect(packed.equals(readFileSync(path.join(place, file)))).toBe(true);
  });
});

test('the documents have steps that install the SDK', () => {
  expect(installing.map(({ document }) => document)).toEqual([
    ...Array<string>(3).fill('packages/sdk/README.md'),
    'docs/guides/start.md',
  ]);
});

test.each(installing.map((step, index) => ({ ...step, index })))(
  '$document: step $index installs the SDK without a registry, and its command runs',
  async ({ text, index }) => {
    const place = `step-${index}`;
    mkdirSync(path.join(folder.path, place, '.data'), { recursive: true });
    writeFileSync(
      path.join(folder.path, place, '.data', 'demo.json'),
      JSON.stringify({
        base_url: `http://127.0.0.1:${service.port}`,
        companies: [0, 1, 2].map(() => ({ environments: { test: {} } })),
      }),
    );
    // The demo's steps set variables to the demo's pair and go to another folder.
    const steps = text.replace(/^export CONTRIBUTION_API_.*$/gm, '').replaceAll('../sdk-trial', './trial');
    const { exitCode, output } = await run(
      `${steps}
${command} doctor --json
node -p "'integrity ' + require('./package-lock.json').packages['node_modules/${name}'].integrity"`,
      place,
    );
    expect([exitCode, output]).toEqual([0, expect.stringContaining('"ok":true')]);
    expect(output).toContain(`integrity sha512-${createHash('sha512').update(packed).digest('base64')}`);
    expect(requests).toEqual([]);
  },
);

test('the command of the README prints the hash of the file', async () => {
  const [check] = blocksOf(readFileSync(path.join(sdk, 'README.md'), 'utf8'), ['sh']).filter(({ text }) =>
    text.includes('openssl'),
  );
  const { output } = await run(`cp '${path.join(sdk, 'packed', file)}' .\n${check!.text}`, 'hash');
  expect(output.trim()).toBe(createHash('sha512').update(packed).digest('base64'));
});

test('the command of the documents asks no registry in a folder without the SDK', async () => {
  const { exitCode } = await run(`${command} doctor`, 'empty');
  expect([exitCode, requests]).toEqual([127, []]);
  // npx would.
  await run(`npx --no-install ${name} doctor || true`, 'empty');
  expect(requests).toEqual([`GET /${name}`]);
});

test.each(['', path.join('packed', file)])('npm refuses to publish packages/sdk/%s', async (place) => {
  const { host } = new URL(registryUrl());
  const token = { [`npm_config_//${host}/:_authToken`]: 'token' };
  const publish = `npm publish '${path.join(sdk, place)}' --ignore-scripts`;
  const { exitCode, output } = await run(publish, 'publish', token);
  expect([exitCode, output]).toEqual([1, expect.stringContaining('EPRIVATE')]);
  expect(requests.filter((each) => !each.startsWith('GET '))).toEqual([]);
});

describe('no text that a partner sees resolves the name from a registry', () => {
  test('the pages', async () => {
    const { text: index } = await service.anonymous.raw('get', '/docs');
    const pages = new Set([...index.matchAll(/href="(docs\/[a-z-]+)"/g)].map(([, page]) => `/${page}`));
    expect(pages.size).toBeGreaterThan(10);
    for (const page of ['/docs', ...pages]) {
      const { text } = await service.anonymous.raw('get', page);
      const plain = text.replace(/<[^>]+>/g, '').replaceAll('&#39;', "'");
      expect([page, namesFromRegistry(plain)]).toEqual([page, []]);
    }
  });

  test("the command's help", async () => {
    const program = `node ${path.join(sdk, 'dist', 'command', 'main.js')}`;
    const { output: overview } = await run(`${program} --help`, 'help');
    expect(overview).toContain(command);
    const commands = [...overview.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, each]) => each);
    expect(commands.length).toBeGreaterThan(10);
    const { output } = await run(commands.map((each) => `${program} ${each} --help`).join('\n'), 'help');
    expect(namesFromRegistry(overview + output)).toEqual([]);
  });
});
