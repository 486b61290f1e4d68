import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';

import { addProject } from '../../support/catalogue';
import { blocksOf } from '../../support/documents';
import { root, runProcess, temporaryFolder } from '../../support/program';
import { startService, type TestCompany, type TestService } from '../../support/service';
import { startTcpProxy, type TcpProxy } from '../faults/network/tcp-proxy';
import { createProject, nodeOf, packSdk, sdkFolder, succeed, tools } from './tools';

/**
 * The packed SDK as partners install it, against the real service. A proxy loses the first response
 * to each create.
 */
jest.setTimeout(300_000);

/** 32 KiB. */
const mostBytes = 32 * 1_024;
let service: TestService;
let company: TestCompany;
let proxy: TcpProxy;
let folder: ReturnType<typeof temporaryFolder>;
let packed: string;
let lostResponses = 0;
/** Keys of creates whose response was lost once. */
const lostKeys = new Set<string>();
const creates = new WeakMap<object, string>();

/** Loses the response to the first create with each key, after the service has recorded it. */
function loseFirstResponses(): void {
  proxy.watcher = (direction, data, connection) => {
    const [, key] =
      /^PUT \S+\/contributions\/create[\s\S]*idempotency-key: (\S+)/i.exec(data.toString('latin1')) ?? [];
    if (direction === 'requests') {
      if (key !== undefined) creates.set(connection, key);
      return 'pass';
    }
    const create = creates.get(connection);
    creates.delete(connection);
    if (create === undefined || lostKeys.has(create)) return 'pass';
    lostKeys.add(create);
    lostResponses += 1;
    proxy.cut();
    return 'drop';
  };
}

const settings = (): Record<string, string> => ({
  CONTRIBUTION_API_URL: `http://127.0.0.1:${proxy.port}/company/integration`,
  CONTRIBUTION_API_KEY: company.test.apiKey ?? '',
  CONTRIBUTION_API_SECRET: company.test.apiSecret ?? '',
});

beforeAll(async () => {
  folder = temporaryFolder();
  service = await startService();
  company = await service.addCompany();
  for (const name of ['Water', 'Bread']) await addProject(service.database.admin, { name });
  proxy = await startTcpProxy(service.port);
  loseFirstResponses();
  packed = await packSdk();
});
afterAll(async () => {
  await proxy.stop();
  await service.stop();
  folder.remove();
});

/** What the program of each kind of project does. It ends with its results as JSON. */
const work = `
  const client = new ContributionService({ store: new FileIntentStore('intents') });
  const names = [];
  for await (const project of client.projects.list({ limit: 1 })) names.push(project.project_name);
  const { data, attempts, replayed } = await client.contributions
    .create({ project_id: 1, amount: '25.00', user_hash: 'abc=' })
    .withResponse();
  const done = await client.bank.complete(data.transaction_id, { amount: '25.00' });
  const error = await client.projects.retrieve(999).catch((reason) => reason);
  const { remaining } = await client.recover();
  const results = [
    names.join(), attempts, replayed, transactionId.isValid(data.transaction_id), done.status,
    error instanceof RequestRejected && error.code, remaining.length,
  ];
`;
const names = 'ContributionService, RequestRejected, transactionId';
const imports = `import { ${names} } from 'contribution-service-sdk';
import { FileIntentStore } from 'contribution-service-sdk/node';
`;
const requires = `const { ${names} } = require('contribution-service-sdk');
const { FileIntentStore } = require('contribution-service-sdk/node');
`;
const main = `async function main() {${work}  console.log(JSON.stringify(results));\n}\nvoid main();\n`;
const typed = (code: string): string =>
  code.replace('const names = []', 'const names: string[] = []').replace('(reason)', '(reason: unknown)');
const readmeSamples = (): string[] =>
  blocksOf(readFileSync(path.join(sdkFolder, 'README.md'), 'utf8'), ['js']).map(({ text }) => text);
const expected = ['Water,Bread', 2, true, true, 'completed', 'resource_not_found', 0];
const isExpected = `expect(results).toEqual(${JSON.stringify(expected)});`;

/** A service of NestJS: CommonJS, decorators, and their metadata. */
const nest = typed(`${imports}
function Injectable(): ClassDecorator { return () => undefined; }
@Injectable()
class Donations {
  constructor(private readonly client: ContributionService) {}
  first() { return this.client.projects.list({ limit: 1 }); }
}
async function main() {${work}
  const { data: [first] } = await new Donations(client).first();
  if (first?.project_name !== names[0]) throw new Error('another project');
  console.log(JSON.stringify(results));
}
void main();
`);

const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const compilerOptions = {
  target: 'ES2023',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  types: ['node'],
  typeRoots: [path.join(root, 'node_modules', '@types')],
};
/** How projects find types: each compiles the same program in both formats. */
const resolutions: Record<string, object> = {
  node10: { module: 'CommonJS', moduleResolution: 'node10', ignoreDeprecations: '6.0' },
  node16: { module: 'node16' },
  node18: { module: 'node18' },
  nodenext: { module: 'nodenext' },
  bundler: { module: 'preserve', moduleResolution: 'bundler', noEmit: true },
};

describe('installed into an empty project', () => {
  const place = (name: string): string => path.join(folder.path, name);
  beforeAll(async () => {
    await createProject(place('esm'), packed, { type: 'module' }, { 'main.js': imports + main });
    await createProject(place('cjs'), packed, { type: 'commonjs' }, { 'main.js': requires + main });
    const nodenext = { ...compilerOptions, module: 'NodeNext' };
    await createProject(
      place('typescript'),
      packed,
      { type: 'module' },
      {
        'main.ts': typed(imports + main),
        ...Object.fromEntries(
          readmeSamples()
            .slice(0, 3)
            .map((text, index) => [`sample${index}.mts`, text]),
        ),
        'tsconfig.json': JSON.stringify({ compilerOptions: nodenext, include: ['main.ts', '*.mts'] }),
      },
    );
    const decorators = { experimentalDecorators: true, emitDecoratorMetadata: true, esModuleInterop: true };
    await createProject(
      place('nest'),
      packed,
      { type: 'commonjs' },
      {
        'main.ts': nest,
        'tsconfig.json': JSON.stringify({
          compilerOptions: { ...compilerOptions, ...decorators, ...resolutions['node10'] },
          include: ['main.ts'],
        }),
      },
    );
    for (const kind of ['typescript', 'nest']) await succeed(process.execPath, [compiler], place(kind));
  });

  test.each(Object.entries(resolutions))('TypeScript finds the types with %s', async (name, options) => {
    const files = name === 'node10' || name === 'bundler' ? ['main.ts'] : ['main.cts', 'main.mts'];
    const target = path.join(place('nest'), name);
    mkdirSync(target);
    for (const file of files) writeFileSync(path.join(target, file), typed(imports + main));
    writeFileSync(
      path.join(target, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...compilerOptions, ...options, outDir: 'out' }, files }),
    );
    await succeed(process.execPath, [compiler], target);
  });

  test('Jest runs it without any setting', async () => {
    const file = `${requires}\ntest('the SDK', async () => {${work}  ${isExpected}\n}, 60_000);\n`;
    writeFileSync(path.join(place('cjs'), 'sdk.test.js'), file);
    const jestProgram = path.join(root, 'node_modules', 'jest', 'bin', 'jest.js');
    await succeed(process.execPath, [jestProgram, '--rootDir', '.'], place('cjs'), settings());
  });

  test('Vitest runs it without any setting', async () => {
    const file = `import { expect, test } from 'vitest';\n${imports}\ntest('the SDK', async () => {${work}  ${isExpected}\n}, 60_000);\n`;
    writeFileSync(path.join(place('esm'), 'sdk.test.js'), file);
    await succeed('npm', ['install', '--no-audit', '--no-fund', tools.vitest], place('esm'));
    await succeed('npx', ['vitest', 'run'], place('esm'), settings());
  });

  test('an error of one format is recognized by the class of the other', async () => {
    const file = `import { createRequire } from 'node:module';
import * as esm from 'contribution-service-sdk';
const cjs = createRequire(import.meta.url)('contribution-service-sdk');
const error = new cjs.InvalidInput('amount', 'Pass it.');
console.log(cjs === esm, error instanceof esm.InvalidInput, error instanceof esm.RateLimited);
`;
    writeFileSync(path.join(place('esm'), 'both.js'), file);
    expect(await succeed(process.execPath, ['both.js'], place('esm'))).toBe('false true false\n');
  });

  test.each([20, 22, 24])('the command works on Node %d', async (version) => {
    const node = await nodeOf(version, folder.path);
    const file = path.join('node_modules', 'contribution-service-sdk', 'dist', 'command', 'main.js');
    const output = await succeed(node, [file, 'doctor', '--json'], place('esm'), settings());
    expect(JSON.parse(output)).toMatchObject({ ok: true });
  });

  test('the installed command runs, and its bank completes what is pending', async () => {
    const { body: created } = await company.test
      .put('/company/integration/contributions/create', { project_id: 1, amount: '7.00', user_hash: 'abc=' })
      .expect(201);
    writeFileSync(path.join(place('cjs'), 'bank.json'), JSON.stringify({ store: 'bank-intents' }));
    const command = path.join(place('cjs'), 'node_modules', '.bin', 'contribution-service-sdk');
    const args = ['bank', '--once', '--config', 'bank.json'];
    const output = await succeed(command, args, place('cjs'), settings());
    expect(output).toContain(`${(created as { transaction_id: string }).transaction_id}  completed`);
    const { exitCode } = await runProcess(command, ['settle'], settings(), place('cjs'));
    expect(exitCode).toBe(2);
  });

  test.each(
    [20, 22, 24].flatMap((version) =>
      ['esm', 'cjs', 'typescript', 'nest'].map((kind) => [kind, version] as const),
    ),
  )('%s works on Node %d, and a create survives a lost response', async (kind, version) => {
    const node = await nodeOf(version, folder.path);
    const lostBefore = lostResponses;
    const output = await succeed(node, ['main.js'], place(kind), settings());
    expect(JSON.parse(output.trim().split('\n').at(-1) ?? '')).toEqual(expected);
    expect(lostResponses).toBe(lostBefore + 1);
  });
});

test('the samples of the README run unchanged from an empty folder', async () => {
  const samples = readmeSamples();
  expect(samples[0]!.trim().split('\n').length).toBeLessThanOrEqual(10);
  const names = ['first', 'create', 'bank', 'webhooks', 'partner'].map((name) => `${name}.mjs`);
  expect(samples).toHaveLength(names.length);
  const place = path.join(folder.path, 'readme');
  const files = Object.fromEntries(names.map((name, index) => [name, samples[index]!]));
  await createProject(place, packed, {}, files);
  const runSample = (name: string, more = {}): Promise<string> =>
    succeed(process.execPath, [name], place, {
      ...settings(),
      WEBHOOK_SECRET: `whsec_${'A'.repeat(43)}=`,
      ...more,
    });
  expect(await runSample('first.mjs')).toBe('Water\nBread\n');
  const id = '[0-9A-Z]{15}';
  expect(await runSample('create.mjs')).toMatch(
    new RegExp(`^create order-4001 succeeded\n${id} { attempts: 2, replayed: true }\n$`),
  );
  expect(await runSample('bank.mjs')).toMatch(
    new RegExp(`^completed ${id}\ntrue \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z\n$`),
  );
  expect(await runSample('webhooks.mjs')).toBe('');
  const task = { CONFORM_TASK: '{"task": "list_projects"}', CONFORM_FOLDER: place };
  expect(await runSample('partner.mjs', task)).toContain("project_name: 'Water'");
});

describe('the SDK of the last release', () => {
  // The folder has one file, which each release replaces. Its README shows the names of its time.
  const releases = path.join(__dirname, 'released');
  const released = path.join(releases, readdirSync(releases)[0]!);

  test('runs the samples of its README against this service, and a create survives a lost response', async () => {
    const readme = await succeed('tar', ['-xzOf', released, 'package/README.md'], folder.path);
    const samples = blocksOf(readme, ['js']).map(({ text }) => text);
    const place = path.join(folder.path, 'released');
    await createProject(place, released, {}, { 'all.mjs': samples.join('\n') });
    const lostBefore = lostResponses;
    const variables = {
      API: `http://127.0.0.1:${proxy.port}`,
      API_KEY: company.test.apiKey ?? '',
      API_SECRET: company.test.apiSecret ?? '',
    };
    const output =
      /^Water\nBread\ncreate succeeded\n15\ncomplete succeeded\ntrue \d{4}-\d\d-\d\dT[\d:.]+Z\n$/;
    expect(await succeed(process.execPath, ['all.mjs'], place, variables)).toMatch(output);
    expect(lostResponses).toBe(lostBefore + 1);
  });
});

/**
 * Measures what a program gets with `import { ContributionCore }`: every operation except those of
 * statements and reconciliation, all checks of inputs, the retries and the stored intents. It is
 * one file, minified by esbuild and not compressed. Programs that import `ContributionService`,
 * `webhooks` or `contribution-service-sdk/node` get more.
 */
test('the core bundles for a Worker within 32 KiB, and runs with web globals only', async () => {
  const place = path.join(folder.path, 'worker');
  await createProject(
    place,
    packed,
    { type: 'module' },
    {
      'entry.js': `import { ContributionCore } from 'contribution-service-sdk';\nglobalThis.ContributionCore = ContributionCore;`,
    },
  );
  // With the platform "neutral", an import of a Node module fails the bundle.
  const flags = ['--bundle', '--minify', '--platform=neutral', '--format=iife'];
  await succeed('npx', ['--yes', tools.esbuild, 'entry.js', ...flags, '--outfile=bundle.js'], place);
  const bundle = readFileSync(path.join(place, 'bundle.js'), 'utf8');
  expect(Buffer.byteLength(bundle)).toBeLessThanOrEqual(mostBytes);
  expect(bundle).not.toMatch(/\brequire\(|node:/);
  const timers = { setTimeout, clearTimeout };
  const web = { fetch, crypto, performance, URL, URLSearchParams, AbortController, TextDecoder, ...timers };
  const variables = settings();
  const context = vm.createContext({
    ...web,
    settings: {
      apiUrl: variables['CONTRIBUTION_API_URL'],
      apiKey: variables['CONTRIBUTION_API_KEY'],
      apiSecret: variables['CONTRIBUTION_API_SECRET'],
    },
  });
  vm.runInContext(bundle, context);
  const data = (await vm.runInContext('new ContributionCore(settings).projects.list()', context)) as {
    data: unknown[];
  };
  expect(data.data).toHaveLength(2);
});

describe('the packed file', () => {
  test('passes publint', async () => {
    await succeed('npx', ['--yes', tools.publint, 'run', packed, '--strict'], folder.path);
  });

  test('has types that every kind of resolution finds', async () => {
    await succeed('npx', ['--yes', tools.types, packed], folder.path);
  });

  test('has a version that is in the changelog', () => {
    const { version } = JSON.parse(readFileSync(path.join(sdkFolder, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(path.basename(packed)).toBe(`contribution-service-sdk-${version}.tgz`);
    expect(readFileSync(path.join(sdkFolder, 'CHANGELOG.md'), 'utf8')).toContain(`\n## ${version}\n`);
  });
});
