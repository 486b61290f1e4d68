import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

import ts from 'typescript';

import { pathOf, referencePages } from '../../src/features/documentation/links';
import { drawKeyPair } from '../../src/core/key-pairs/credentials';
import { operationsOf, exampleResponseOf } from '../support/api-document';
import { blocksOf } from '../support/documents';
import { build, root, runProcess, temporaryFolder } from '../support/program';
import { startService } from '../support/service';

/**
 * Runs the samples of the reference in every language against a server that records what arrives.
 * Each language must send the same requests.
 */
const languages = ['js', 'sh', 'ts', 'py'] as const;
type Language = (typeof languages)[number];

/** Two other paths of the same create. The SDK has one method for all three. */
const withoutSdk = ['makeOrder', 'createPayment'];
/** Uploads of files. The client of the guides cannot send them, but curl can. */
const uploads = ['completeContributions', 'importStatement', 'importSettlements'];

interface Sample {
  operationId: string;
  code: string;
}

interface Received {
  operationId: string | undefined;
  request: string;
  key: unknown;
  credentials: unknown[];
  body: unknown;
}

let folder: ReturnType<typeof temporaryFolder>;
let server: Server;
let received: Received[] = [];
const samples = new Map<Language, Sample[]>();

const textOf = (html: string): string =>
  html
    .replace(/<[^>]+>/g, '')
    .replace(
      /&(lt|gt|quot|#x27|#39);/g,
      (_whole, name: string) => ({ lt: '<', gt: '>', quot: '"' })[name] ?? "'",
    )
    .replaceAll('&amp;', '&');

function samplesIn(html: string, language: Language): Sample[] {
  return html
    .split('<section class="operation row chapter" aria-labelledby="')
    .slice(1)
    .flatMap((section) => {
      const part = new RegExp(
        `<div class="part" data-languages="${language}">.*?<code>(.*?)</code></pre>`,
        's',
      );
      const code = part.exec(section)?.[1];
      return code === undefined
        ? []
        : [{ operationId: section.slice(0, section.indexOf('"')), code: textOf(code) }];
    });
}

/** Parses a body of JSON. Other bodies stay text. */
function bodyOf(text: string): unknown {
  try {
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}

beforeAll(async () => {
  await build();
  folder = temporaryFolder();
  symlinkSync(path.join(root, 'node_modules'), path.join(folder.path, 'node_modules'));
  writeFileSync(path.join(folder.path, 'statement.xml'), 'a statement');
  const service = await startService();
  const pages = await Promise.all(
    referencePages.map(async (name) => {
      const page = await fetch(`http://127.0.0.1:${service.port}${pathOf(name)}`);
      return page.text();
    }),
  );
  const html = pages.join('');
  await service.stop();
  for (const language of languages) samples.set(language, samplesIn(html, language));
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { status, type, text, operationId } = exampleResponseOf(request.method ?? '', request.url ?? '');
      received.push({
        operationId,
        request: `${request.method} ${request.url}`,
        key: request.headers['idempotency-key'],
        credentials: [request.headers['api-key'], request.headers['api-secret']],
        body: bodyOf(Buffer.concat(chunks).toString()),
      });
      response.writeHead(status, text === '' ? {} : { 'Content-Type': type }).end(text);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  server.close();
  folder.remove();
});

const start = readFileSync(path.join(root, 'docs', 'guides', 'start.md'), 'utf8');

function programOf(language: Language): string {
  const [client = ''] = blocksOf(start, [language]).map(({ text }) => text);
  // The curl example exports the reader's values; here they come from the environment.
  const prelude = language === 'sh' ? (/^call\(\) \{$[\s\S]*?^\}$/m.exec(client)?.[0] ?? '') : client;
  const program = [prelude, ...samples.get(language)!.map(({ code }) => code)].join('\n');
  if (language !== 'ts') return program;
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  return ts.transpileModule(program, { compilerOptions }).outputText;
}

const programs = {
  js: [process.execPath, 'samples.sdk.mjs'],
  sh: ['bash', 'samples.sh'],
  ts: [process.execPath, 'samples.mjs'],
  py: ['python3', 'samples.py'],
};

const { apiKey, apiSecret } = drawKeyPair('test');

async function requestsOf(language: Language): Promise<Received[]> {
  received = [];
  const [program = '', file = ''] = programs[language];
  writeFileSync(path.join(folder.path, file), programOf(language));
  const { port } = server.address() as AddressInfo;
  const settings = {
    CONTRIBUTION_API_URL: `http://127.0.0.1:${port}/company/integration`,
    CONTRIBUTION_API_KEY: apiKey,
    CONTRIBUTION_API_SECRET: apiSecret,
  };
  const { exitCode, output } = await runProcess(program, [file], settings, folder.path);
  expect([exitCode, exitCode === 0 ? '' : output]).toEqual([0, '']);
  // Requests that the client sends on its own are left out.
  return language === 'sh' ? received : received.slice(1);
}

/** The operations of the reference. The probes need no sample. */
const documented = operationsOf()
  .filter(({ path: pattern }) => pattern.startsWith('/company/'))
  .map(({ operationId }) => operationId);

test('every operation has a sample in every language, and the SDK is the first', () => {
  const shown = (language: Language) =>
    samples
      .get(language)!
      .map(({ operationId }) => operationId)
      .sort();
  const without = (names: string[]) => documented.filter((name) => !names.includes(name)).sort();
  expect(shown('js')).toEqual(without(withoutSdk));
  expect(shown('sh')).toEqual([...documented].sort());
  for (const language of ['ts', 'py'] as const) expect(shown(language)).toEqual(without(uploads));
});

const hasProgram = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

test('the samples send the same requests in every language', async () => {
  const inTypeScript = await requestsOf('ts');
  expect(inTypeScript).toHaveLength(samples.get('ts')!.length);
  expect(inTypeScript).toContainEqual({
    operationId: 'createContribution',
    request: 'PUT /company/integration/contributions/create',
    key: 'order-7001',
    credentials: [apiKey, apiSecret],
    body: expect.objectContaining({ project_id: expect.anything(), amount: expect.anything() }),
  });
  if (hasProgram('python3')) expect(await requestsOf('py')).toEqual(inTypeScript);
  const withSdk = await requestsOf('js');
  expect(withSdk.map(({ operationId }) => operationId)).toEqual(
    samples.get('js')!.map(({ operationId }) => operationId),
  );
  const among = (all: Received[], names: string[]) =>
    all.filter(({ operationId = '' }) => names.includes(operationId));
  const shared = documented.filter((name) => ![...withoutSdk, ...uploads].includes(name));
  expect(among(withSdk, shared)).toEqual(among(inTypeScript, shared));
  if (!hasProgram('curl')) return;
  const withCurl = await requestsOf('sh');
  expect(among(withCurl, [...shared, ...withoutSdk])).toEqual(inTypeScript);
  expect(among(withCurl, uploads)).toEqual(among(withSdk, uploads));
});
