import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

import ts from 'typescript';

import { blocksOf } from '../support/documents';
import { root, run, temporaryFolder } from '../support/program';
import { startService } from '../support/service';

/**
 * Runs the samples of the reference in every language against a server that records what arrives.
 * Each language must send the same requests.
 */
const languages = ['sh', 'ts', 'py'] as const;
type Language = (typeof languages)[number];

let folder: ReturnType<typeof temporaryFolder>;
let server: Server;
let received: object[] = [];
const samples = new Map<Language, string[]>();

const textOf = (html: string): string =>
  html
    .replace(/<[^>]+>/g, '')
    .replace(
      /&(lt|gt|quot|#x27|#39);/g,
      (_whole, name: string) => ({ lt: '<', gt: '>', quot: '"' })[name] ?? "'",
    )
    .replaceAll('&amp;', '&');

beforeAll(async () => {
  folder = temporaryFolder();
  const service = await startService();
  const page = await fetch(`http://127.0.0.1:${service.port}/docs/reference`);
  const html = await page.text();
  await service.stop();
  for (const language of languages) {
    const figures = html.matchAll(
      new RegExp(`<figure class="code" data-language="${language}">.*?<code>(.*?)</code></pre>`, 'gs'),
    );
    samples.set(
      language,
      [...figures].map(([, code = '']) => textOf(code)),
    );
  }
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      received.push({
        request: `${request.method} ${request.url}`,
        key: request.headers['idempotency-key'],
        credentials: [request.headers['api-key'], request.headers['api-secret']],
        body: body === '' ? undefined : (JSON.parse(body) as unknown),
      });
      // The client of the guide lists projects first.
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"data": []}');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
}, 60_000);
afterAll(() => {
  server.close();
  folder.remove();
});

const start = readFileSync(path.join(root, 'docs', 'guides', 'start.md'), 'utf8');

function programOf(language: Language): string {
  const [client = ''] = blocksOf(start, [language]).map(({ text }) => text);
  // The curl example exports the reader's values; here they come from the environment.
  const prelude = language === 'sh' ? (/^call\(\).*$/m.exec(client)?.[0] ?? '') : client;
  const program = [prelude, ...samples.get(language)!].join('\n');
  if (language !== 'ts') return program;
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  return ts.transpileModule(program, { compilerOptions }).outputText;
}

const programs = {
  sh: ['bash', 'samples.sh'],
  ts: [process.execPath, 'samples.mjs'],
  py: ['python3', 'samples.py'],
};

async function requestsOf(language: Language): Promise<object[]> {
  received = [];
  const [program = '', file = ''] = programs[language];
  writeFileSync(path.join(folder.path, file), programOf(language));
  const { port } = server.address() as AddressInfo;
  const settings = {
    API: `http://127.0.0.1:${port}/company/integration`,
    API_KEY: 'key',
    API_SECRET: 'secret',
  };
  const { exitCode, output } = await run(program, [file], settings, folder.path);
  expect([exitCode, exitCode === 0 ? '' : output]).toEqual([0, '']);
  // Without the request of the client itself.
  return language === 'sh' ? received : received.slice(1);
}

test('every operation has a sample in every language', () => {
  const counts = languages.map((language) => samples.get(language)!.length);
  expect(counts[0]).toBeGreaterThanOrEqual(15);
  expect(new Set(counts).size).toBe(1);
});

const hasProgram = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

test('the samples send the same requests in every language', async () => {
  const inTypeScript = await requestsOf('ts');
  expect(inTypeScript).toHaveLength(samples.get('ts')!.length);
  expect(inTypeScript).toContainEqual({
    request: 'PUT /company/integration/contributions/create',
    key: 'order-1001',
    credentials: ['key', 'secret'],
    body: expect.objectContaining({ project_id: expect.anything(), amount: expect.anything() }),
  });
  if (hasProgram('curl')) expect(await requestsOf('sh')).toEqual(inTypeScript);
  if (hasProgram('python3')) expect(await requestsOf('py')).toEqual(inTypeScript);
}, 60_000);
