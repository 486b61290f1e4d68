import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';

import { withAdvice } from '../../packages/sdk/src/command/command.js';
import { relayAll } from '../support/feed';
import { addProject } from '../support/catalogue';
import { runProcess as runProgram } from '../support/program';
import { type CommandResult, commandVariables, runSdkCommand } from '../support/sdk-command';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';

/** The command's messages to a new user who makes a mistake. */
const base = '/company/integration';

let service: TestService;
let company: TestCompany;
let projectId: number;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'command-advice-'));
  service = await startService();
  company = await service.addCompany();
  projectId = await addProject(service.database.admin, { name: 'Water' });
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const command = (
  args: string[],
  { test } = company,
  more: Record<string, string> = {},
): Promise<CommandResult> => runSdkCommand(args, { ...commandVariables(service, test), ...more });

async function create({ test }: TestCompany): Promise<string> {
  const body = { project_id: projectId, amount: '25.00', user_hash: 'somebody' };
  const response = await test.put(`${base}/contributions/create`, body).expect(201);
  return (response.body as { transaction_id: string }).transaction_id;
}

describe('bank', () => {
  const configOf = (name: string, content: object | string): string => {
    const file = path.join(folder, `${name}.json`);
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  };

  test('a refused completion exits with 1, and says why and what to do', async () => {
    const simulated = await service.addCompany();
    const settings = { bank: 'simulated', settle_after_seconds: 3_600 };
    await simulated.test.put(`${base}/sandbox/settings`, settings).expect(200);
    const id = await create(simulated);
    const config = configOf('refused', { store: path.join(folder, 'refused') });
    const { exitCode, out } = await command(['bank', '--once', '--config', config], simulated);
    expect([exitCode, out]).toEqual([1, expect.stringContaining(`${id}  completion_reserved_for_bank  `)]);
    expect(out).toContain('settings --bank none');
  });

  test.each<[string, () => string, RegExp]>([
    ['a missing file', () => '/nowhere.json', /cannot be read: it does not exist/],
    ['a folder', () => folder, /is a folder/],
    ['an empty file', () => configOf('empty', ''), /is empty/],
    ['no JSON', () => configOf('text', '{"store": '), /is not JSON: /],
    [
      'statements in a file',
      () => configOf('file', { store: path.join(folder, 'a'), statements: configOf('taken', 'x') }),
      /"statements" needs the folder .*taken\.json is a file/,
    ],
    [
      'a statement that is a folder',
      () => configOf('folder', { store: path.join(folder, 'b'), statement: folder }),
      /"statement" names a folder/,
    ],
  ])('%s as the config exits with 2', async (_what, file, message) => {
    const { exitCode, error } = await command(['bank', '--once', '--config', file()]);
    expect([exitCode, error]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe('conform', () => {
  const conform = (...args: string[]): Promise<CommandResult> =>
    command(['conform', '--profile', 'host', ...args]);

  test('a report that cannot be written is rejected before the program starts', async () => {
    const started = path.join(folder, 'started');
    const source = `require('fs').mkdirSync(${JSON.stringify(started)}, { recursive: true })`;
    for (const [file, message] of [
      ['/nope/x.html', /the folder \/nope does not exist/],
      [folder, /is a folder/],
    ] as const) {
      const { exitCode, error } = await conform('--report', file, '--', process.execPath, '-e', source);
      expect([exitCode, error]).toEqual([2, expect.stringMatching(message)]);
    }
    expect(existsSync(started)).toBe(false);
  });

  test('a program that fails at once is shown with its error, and ends the run', async () => {
    const { exitCode, out } = await conform('--', process.execPath, path.join(folder, 'missing.mjs'));
    expect(exitCode).toBe(1);
    expect(out).toMatch(/NOT REACHED .*exited with 1\.\n[^]*Cannot find module .*missing\.mjs/);
    expect(out).toMatch(/\n0 of \d\d cases passed; \d+ were not run, because the program did not start\.$/);
  });
});

test('conform --help lists the cases of each profile', async () => {
  const { out } = await command(['conform', '--help']);
  for (const name of ['key', 'pages', 'firewall_403']) expect(out.split(/\s+/)).toContain(name);
  expect(out).toMatch(/ {2}month-end:\n {4}\w+/);
});

test.each<[string, string[], RegExp]>([
  [
    'a misspelt option',
    ['settle', 'x', '--amout', '5'],
    /^Unknown option --amout\. Did you mean --amount\?$/,
  ],
  ['another option', ['requests', '--colour'], /^Unknown option --colour\. Known: --limit, --help, /],
  [
    'an option without a value',
    ['requests', '--limit', '--help'],
    /^Option '--limit' argument is ambiguous\.$/,
  ],
  ['a misspelt command', ['setings'], /^Unknown command: setings\. Did you mean settings\?$/],
  ['swapped arguments', ['fault', '503_before', 'listLinks'], /comes first: fault listLinks 503_before$/],
  ['an unknown type', ['tail', '--once', '--type', 'created'], /Did you mean contribution\.created\?$/],
  [
    'a misspelt type',
    ['tail', '--once', '--type', 'contribution.completd'],
    /mean contribution\.completed\?$/,
  ],
  ['plain HTTP', ['listen', '--forward-to', 'http://example.com/a'], /Plain HTTP .*Use https:/],
])('%s exits with 2', async (_what, args, message) => {
  const { exitCode, out, error } = await command(args);
  expect([exitCode, out + error]).toEqual([2, expect.stringMatching(message)]);
});

test.each([
  [['fault', 'create', '503_before'], /Operation create: Did you mean .*\bcreateContribution\b.*\?/],
  [['fault', 'listLink', '503_before'], /Operation listLink: Did you mean listLinks\?/],
  [['fault', 'listLinks', '503_befor'], /Kind 503_befor: Did you mean 503_before\?/],
])('%j suggests the right name', async (args, message) => {
  const { exitCode, error } = await command(args);
  expect([exitCode, error]).toEqual([1, expect.stringMatching(message)]);
});

test('https for a port without TLS is explained', async () => {
  // Run it in another process: in Jest, an error of Node is not an instance of the global Error.
  const source = `fetch('https://127.0.0.1:${service.port}').catch(({ cause }) => console.log(cause.message))`;
  const { output } = await runProgram(process.execPath, ['-e', source]);
  expect(withAdvice(`No response arrived: ${output.trim()}`)).toMatch(
    /^No response arrived: .* This port does not speak TLS\. For the demo, use http:/,
  );
  expect(withAdvice('No response arrived: ECONNREFUSED.')).toBe('No response arrived: ECONNREFUSED.');
});

test('requests shows which ones were replayed', async () => {
  const own = await service.addCompany();
  const body = { project_id: projectId, amount: '25.00', user_hash: 'somebody' };
  for (const status of [201, 201])
    await own.test.put(`${base}/contributions/create`, body).set('Idempotency-Key', 'order-1').expect(status);
  await until('both are listed', async () => {
    const rows = (await command(['requests'], own)).out.split('\n');
    return rows.length === 2 && / replayed /.test(rows[0]!) && !rows[1]!.includes('replayed');
  });
});

test('listen --once gives up when the receiver stays down, and names the cause', async () => {
  const own = await service.addCompany();
  await create(own);
  await relayAll(service.database.admin);
  const receiver = createServer().listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  receiver.close();
  const state = path.join(folder, 'down.json');
  const args = [
    'listen',
    '--forward-to',
    `http://127.0.0.1:${port}`,
    '--state',
    state,
    '--after',
    '0',
    '--once',
  ];
  const { exitCode, error } = await command(args, own);
  expect([exitCode, error]).toEqual([1, expect.stringMatching(/event 1 in 4 attempts.* ECONNREFUSED\./)]);
});

test('says once that it waits after 429, and for how long', async () => {
  const replies = [429, 429, 200];
  const limited = createServer((_request, response) => {
    response.writeHead(replies.shift() ?? 200, {
      'Content-Type': 'application/json',
      Environment: 'test',
      'Retry-After': '1',
    });
    response.end(JSON.stringify({ data: [], has_more: false }));
  }).listen(0, '127.0.0.1');
  await once(limited, 'listening');
  const { port } = limited.address() as AddressInfo;
  try {
    const variables = commandVariables({ port }, company.test);
    const { exitCode, out, error } = await runSdkCommand(['fault', '--list', '--json'], variables);
    expect([exitCode, error]).toEqual([0, 'The rate limit is exceeded. The command continues in 1 s.']);
    expect(JSON.parse(out)).toEqual({ data: [], has_more: false });
    expect(replies).toEqual([]);
  } finally {
    limited.close();
  }
});
