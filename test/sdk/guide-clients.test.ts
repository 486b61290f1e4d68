import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';

import ts from 'typescript';

import { blocksOf } from '../support/documents';
import { sample } from '../support/full-run';
import { root, temporaryFolder } from '../support/program';

/** The clients without a library. Their last lines list projects: leave them out. */
const guide = readFileSync(path.join(root, 'docs', 'guides', 'start.md'), 'utf8');
const clientOf = (language: string, end: string): string =>
  blocksOf(guide, [language])
    .find(({ text }) => text.includes('RequestFailed'))!
    .text.split(end)[0]!;

const programs = {
  JavaScript: {
    command: process.execPath,
    file: 'client.mjs',
    text: `${ts.transpile(clientOf('ts', '\ninterface Project '), { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext })}
await send('PUT', '/contributions/create', { amount: '25.00' }, { 'Idempotency-Key': 'order-1' }).catch((error) =>
  console.log(JSON.stringify([error.status, error.problem?.code ?? null, error.mayBeRecorded])));`,
  },
  Python: {
    command: 'python3',
    file: 'client.py',
    text: `${clientOf('py', '\nprojects = send')}
try:
    send("PUT", "/contributions/create", {"amount": "25.00"}, {"Idempotency-Key": "order-1"})
except RequestFailed as error:
    print(json.dumps([error.status, error.problem and error.problem["code"], error.may_be_recorded]))`,
  },
};

interface Response {
  status: number;
  type: string;
  body: string;
}
const page: Response = { status: 403, type: 'text/html', body: '<h1>Blocked</h1>' };
const json = { ...page, type: 'application/json', body: '{"message": "Forbidden"}' };
const problem: Response = {
  status: 409,
  type: 'application/problem+json; charset=utf-8',
  body: '{"code": "project_not_accepting", "detail": "It is archived.", "retryable": false}',
};

let server: Server;
let folder: ReturnType<typeof temporaryFolder>;
let response: Response;
const received: string[] = [];

beforeAll(async () => {
  folder = temporaryFolder();
  server = createServer((request, reply) => {
    received.push(`${request.method ?? ''} ${request.url ?? ''}`);
    request.resume().on('end', () => {
      reply.writeHead(response.status, { 'Content-Type': response.type, Location: '/elsewhere' });
      reply.end(response.body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => received.splice(0));
afterAll(() => {
  server.close();
  folder.remove();
});

describe.each(Object.entries(programs))('the client of the guide in %s', (_name, { command, file, text }) => {
  test.each(
    sample<[string, Response, unknown[]]>(
      [
        ['the page of a firewall as an unknown outcome', page, [403, null, true]],
        ['JSON of a firewall as an unknown outcome', json, [403, null, true]],
        [
          'a redirect as an unknown outcome, and does not follow it',
          { ...page, status: 302 },
          [302, null, true],
        ],
        ['a problem document as a rejection', problem, [409, 'project_not_accepting', false]],
      ],
      1,
    ),
  )('takes %s', async (_what, given, expected) => {
    response = given;
    const program = path.join(folder.path, file);
    writeFileSync(program, text);
    const { port } = server.address() as AddressInfo;
    const env = {
      ...process.env,
      CONTRIBUTION_API_URL: `http://127.0.0.1:${port}/company/integration`,
      CONTRIBUTION_API_KEY: 'key',
      CONTRIBUTION_API_SECRET: 'secret',
    };
    const { stdout } = await promisify(execFile)(command, [program], { env });
    expect([JSON.parse(stdout), received]).toEqual([
      expected,
      ['PUT /company/integration/contributions/create'],
    ]);
  });
});
