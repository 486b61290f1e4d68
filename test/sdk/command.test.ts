import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';

import { checkStatementFile } from '@contribution-service/bank-files';
import { Webhook } from 'standardwebhooks';

import { bankCases } from '../../packages/sdk/src/command/conform/bank-cases.js';
import { hostCases } from '../../packages/sdk/src/command/conform/host-cases.js';
import { monthEndCases } from '../../packages/sdk/src/command/conform/month-end-cases.js';
import { receiverCases, type ReceiverStage } from '../../packages/sdk/src/command/conform/receiver-cases.js';
import { commands, run } from '../../packages/sdk/src/command/run.js';
import { drawKeyPair } from '../../src/core/key-pairs/credentials';
import { transactionIds } from '../../src/features/bank-statements/reading/search-ids.js';
import { addProject } from '../support/catalogue';
import { eventsAfterCreation } from '../support/events';
import { type ReadEvent, readFeed, relayAll } from '../support/feed';
import { longTest } from '../support/full-run';
import { root } from '../support/program';
import { type CommandResult, commandVariables, runSdkCommand } from '../support/sdk-command';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import { verifyEndpoint } from '../support/added-endpoint';

/** The command of the SDK against the real service. */
const base = '/company/integration';

let service: TestService;
let company: TestCompany;
let projectId: number;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'contribution-command-'));
  service = await startService({ pollMs: 100 });
  company = await service.addCompany();
  projectId = await addProject(service.database.admin, { name: 'Water' });
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const variablesOf = (client = company.test): Record<string, string> => commandVariables(service, client);

const command = (
  args: string[],
  variables = variablesOf(),
  ask?: (question: string) => Promise<string>,
): Promise<CommandResult> => runSdkCommand(args, variables, ask);

async function create(client = company.test, amount = '25.00'): Promise<string> {
  const body = { project_id: projectId, amount, user_hash: 'somebody' };
  const response = await client.put(`${base}/contributions/create`, body).expect(201);
  return (response.body as { transaction_id: string }).transaction_id;
}

const statusOf = async (id: string, client = company.test): Promise<string> =>
  ((await client.get(`${base}/contributions/${id}`).expect(200)).body as { status: string }).status;

describe('usage', () => {
  test.each(Object.keys(commands))('%s has help without a pair', async (name) => {
    const { exitCode, out } = await command([name, '--help'], {});
    expect([exitCode, out]).toEqual([0, expect.stringContaining(`contribution-service-sdk ${name}`)]);
    expect((await command(['--help'], {})).out).toContain(`  ${name} `);
  });

  test.each<[string[], number]>([
    [[], 2],
    [['help'], 0],
    [['--help'], 0],
  ])('%j says how to run the command, and lists commands, variables and exit codes', async (args, code) => {
    const { exitCode, out, error } = await command(args, {});
    expect([exitCode, error]).toEqual([code, '']);
    expect(out).toMatch(
      /^Usage: contribution-service-sdk COMMAND \[OPTIONS\]\n\n.*run: \.\/node_modules\/\.bin\/contribution-service-sdk\n\n/,
    );
    for (const [name, { summary }] of Object.entries(commands))
      expect(out).toMatch(new RegExp(`^ {2}${name} +${summary}$`, 'm'));
    for (const word of ['CONTRIBUTION_API_SECRET_FILE', '--production', 'Exit codes: 0 success'])
      expect(out).toContain(word);
  });

  test.each<[string, string[], Record<string, string> | undefined, string]>([
    ['no command', [], undefined, ''],
    ['an unknown command', ['pay'], undefined, 'Unknown command: pay'],
    ['an unknown option', ['doctor', '--fast'], undefined, '--fast'],
    ['no variables', ['doctor'], {}, 'CONTRIBUTION_API_URL, CONTRIBUTION_API_KEY, CONTRIBUTION_API_SECRET'],
    ['no id', ['settle'], undefined, 'one transaction_id'],
    ['a mistyped id', ['settle', 'K7Q20CR5M3V9XHH'], undefined, 'mistyped'],
    ['a wrong number', ['requests', '--limit', 'ten'], undefined, 'whole number'],
    ['half a fault', ['fault', 'listProjects'], undefined, 'an operation and a kind'],
    ['a reset without a terminal', ['reset'], undefined, '--yes'],
    ['a switch that is neither on nor off', ['settings', '--magic-amounts', 'yes'], undefined, 'on or off'],
    ['an unknown seed', ['reset', '--seed', 'full', '--yes'], undefined, '--seed'],
    ['a bank without a scenario', ['bank'], undefined, '--config'],
    ['a listener without an address', ['listen'], undefined, '--forward-to'],
    [
      'a share beyond 1',
      ['listen', '--forward-to', 'http://localhost:1', '--state', '/dev/shm/never/x.json', '--drop', '2'],
      undefined,
      '--drop',
    ],
    ['two positions', ['tail', '--after', '1', '--since', '1h'], undefined, 'not both'],
    ['a time without a unit', ['tail', '--since', '1'], undefined, '--since'],
    ['no profile', ['conform', '--', 'node'], undefined, '--profile host'],
    ['no program', ['conform', '--profile', 'host'], undefined, 'your program'],
    [
      'an unknown case',
      ['conform', '--profile', 'host', '--cases', 'x', '--', 'node'],
      undefined,
      'No case x',
    ],
    ['a missing program', ['conform', '--profile', 'host', '--', '/nowhere'], undefined, 'cannot be started'],
    ['a missing scenario', ['bank', '--config', '/nowhere.json'], undefined, 'cannot be read'],
  ])('%s exits with 2', async (_what, args, variables, message) => {
    const { exitCode, error } = await command(args, variables);
    expect([exitCode, error]).toEqual([2, expect.stringContaining(message)]);
  });

  test('a secret as an argument is not repeated', async () => {
    const { apiSecret } = drawKeyPair('test');
    const { exitCode, error, out } = await command(['settle', apiSecret, '--json']);
    expect(exitCode).toBe(2);
    expect(error + out).toContain('CONTRIBUTION_API_SECRET');
    expect(error + out).not.toContain(apiSecret);
  });

  test('a production pair needs --production, and then reads only', async () => {
    // Nothing listens there, so a request would fail in another way.
    const variables = {
      ...variablesOf(company.production),
      CONTRIBUTION_API_URL: `https://127.0.0.1:1${base}`,
    };
    expect((await command(['doctor'], variables)).exitCode).toBe(2);
    for (const args of [
      ['settle', 'K7Q20CR5M3V9XHG'],
      ['requests'],
      ['fault', '--clear'],
      ['settings'],
      ['reset'],
      ['bank'],
      ['conform'],
      ['listen', '--forward-to', 'http://localhost:1'],
    ]) {
      const { exitCode, error } = await command([...args, '--production'], variables);
      expect([args[0], exitCode, error]).toEqual([args[0], 2, expect.stringContaining('test pair')]);
    }
    const doctor = await command(['doctor', '--production'], variables);
    expect([doctor.exitCode, doctor.out]).toEqual([1, expect.stringMatching(/failed +reachable/)]);
  });
});

describe('tail and listen', () => {
  let reader: TestCompany;
  let receiver: Server;
  let url: string;
  const received: { id: string; transaction: string }[] = [];
  let secret: string;
  let status = 204;
  const state = (): string => path.join(folder, 'listen.json');
  const listen = (...options: string[]): Promise<CommandResult> =>
    command(
      ['listen', '--forward-to', url, '--state', state(), '--once', ...options],
      variablesOf(reader.test),
    );
  const idsOfFeed = async (): Promise<string[]> => (await readFeed(reader.test)).data.map(({ id }) => id);

  beforeAll(async () => {
    reader = await service.addCompany();
    receiver = createServer((req, res) => {
      const parts: Buffer[] = [];
      req.on('data', (part: Buffer) => parts.push(part));
      req.on('end', () => {
        const body = Buffer.concat(parts).toString();
        const { id, data } = new Webhook(secret).verify(
          body,
          req.headers as Record<string, string>,
        ) as ReadEvent;
        received.push({ id, transaction: data.transaction_id });
        res.writeHead(status).end();
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    secret = secretOfFile(await listen());
    expect(received).toEqual([]);
    for (let count = 0; count < 4; count += 1) await create(reader.test);
    await relayAll(service.database.admin);
  });
  afterAll(() => receiver.close());
  beforeEach(() => {
    received.length = 0;
    status = 204;
  });

  function secretOfFile({ exitCode, error }: CommandResult): string {
    expect([exitCode, error]).toEqual([0, '']);
    return (JSON.parse(readFileSync(state(), 'utf8')) as { secret: string }).secret;
  }

  test('tail prints the events after a number, and since a time', async () => {
    const tail = await command(['tail', '--after', '1', '--once', '--json'], variablesOf(reader.test));
    expect(tail.out.split('\n').map((line) => (JSON.parse(line) as ReadEvent).sequence)).toEqual([2, 3, 4]);
    const since = await command(['tail', '--since', '1h', '--once'], variablesOf(reader.test));
    expect(since.out.split('\n')).toHaveLength(4);
    expect(since.out).toContain('contribution.created');
    expect((await command(['tail', '--once'], variablesOf(reader.test))).out).toBe('');
  });

  test('listen forwards signed events, and continues where it stopped', async () => {
    secretOfFile(await listen());
    expect(received.map(({ id }) => id)).toEqual(await idsOfFeed());
    await create(reader.test);
    await relayAll(service.database.admin);
    secretOfFile(await listen());
    expect(received.map(({ id }) => id)).toEqual(await idsOfFeed());
    secretOfFile(await listen());
    expect(received).toHaveLength(5);
    secretOfFile(await listen('--after', '3'));
    expect(received).toHaveLength(7);
  });

  test('listen does not continue at the position of another pair', async () => {
    secretOfFile(await listen());
    const args = ['listen', '--forward-to', url, '--state', state(), '--once'];
    const { exitCode, error } = await command(args);
    expect([exitCode, error]).toEqual([2, expect.stringMatching(/another key pair.*--state.*--after 5/)]);
    expect((await command([...args, '--after', '0'])).exitCode).toBe(0);
    expect((await listen()).exitCode).toBe(2);
    secretOfFile(await listen('--after', '5'));
  });

  test('listen notices a feed that was restarted and has grown again', async () => {
    const restarted = await service.addCompany();
    const args = ['listen', '--forward-to', url, '--state', path.join(folder, 'restarted.json'), '--once'];
    const listenAgain = async (...options: string[]): Promise<CommandResult> => {
      await create(restarted.test);
      await relayAll(service.database.admin);
      return command([...args, ...options], variablesOf(restarted.test));
    };
    status = 204;
    const before = secret;
    await command([...args, '--after', '0'], variablesOf(restarted.test));
    secret = (JSON.parse(readFileSync(path.join(folder, 'restarted.json'), 'utf8')) as { secret: string })
      .secret;
    expect((await listenAgain()).exitCode).toBe(0);
    expect((await listenAgain()).exitCode).toBe(0);
    await restarted.test.post(`${base}/sandbox/reset`, {}).expect(200);
    await create(restarted.test);
    await create(restarted.test);
    const { exitCode, error } = await listenAgain();
    expect([exitCode, error]).toEqual([2, expect.stringMatching(/restarted.*--after 0/)]);
    expect((await listenAgain('--after', '0')).exitCode).toBe(0);
    expect(received).toHaveLength(2 + 4);
    secret = before;
  });

  test('tail says that the feed ends before --after', async () => {
    const { test } = await service.addCompany();
    const { exitCode, error } = await command(['tail', '--after', '99999999', '--once'], variablesOf(test));
    expect([exitCode, error]).toEqual([1, expect.stringContaining('Check --after')]);
    expect(error).not.toContain('A reset restarted the feed');
  });

  longTest('tail notices a reset while it runs', async () => {
    const { test } = await service.addCompany();
    await create(test);
    await relayAll(service.database.admin);
    const tailing = command(['tail', '--after', '0'], variablesOf(test));
    await until('the request waits', async () => {
      const { data } = (await test.get(`${base}/sandbox/requests`)).body as { data: { operation: string }[] };
      return data.some(({ operation }) => operation === 'listEvents');
    });
    await test.post(`${base}/sandbox/reset`, {}).expect(200);
    for (let count = 0; count < 2; count += 1) await create(test);
    await relayAll(service.database.admin);
    const { exitCode, out, error } = await tailing;
    expect([exitCode, error]).toEqual([1, expect.stringMatching(/feed_restarted.*Run again with --after 0/)]);
    expect(out.trim().split('\n')).toHaveLength(1);
  });

  test('listen delivers an event again until the receiver accepts it', async () => {
    status = 500;
    const listening = listen('--after', '4');
    await until('it was rejected', () => Promise.resolve(received.length > 0));
    status = 204;
    expect((await listening).out).toContain('500, next attempt in 1 s');
    expect(new Set(received.map(({ id }) => id)).size).toBe(1);
    expect(received.length).toBeGreaterThan(1);
  });

  test('listen can drop, duplicate and shuffle, and still delivers everything', async () => {
    const { out } = await listen('--after', '0', '--drop', '1', '--duplicate', '1', '--shuffle');
    expect(out).toContain('dropped');
    const feed = await idsOfFeed();
    expect(new Set(received.map(({ id }) => id))).toEqual(new Set(feed));
    expect(received.length).toBeGreaterThan(feed.length);
    expect(received.map(({ id }) => id).indexOf(feed[1]!)).toBeLessThan(
      received.map(({ id }) => id).indexOf(feed[0]!),
    );
  });
});

test('resend sends an event to the endpoint, and shows the response of the receiver', async () => {
  const { test } = await service.addCompany();
  await create(test);
  await relayAll(service.database.admin);
  const { data } = (await test.get(`${base}/events`)).body as { data: { id: string }[] };
  const resend = (...args: string[]): Promise<CommandResult> =>
    command(['resend', ...args], variablesOf(test));
  const without = await resend(data[0]!.id);
  expect([without.exitCode, without.error]).toEqual([2, expect.stringContaining('no webhook endpoint')]);
  // This name has no address.
  const url = 'https://webhooks.example.com/a';
  const { body } = await test.post(`${base}/webhook-endpoints`, { url }).expect(201);
  await verifyEndpoint(service.database.admin, body.endpoint_id as string);
  const { exitCode, out } = await resend(data[0]!.id);
  expect([exitCode, out]).toEqual([
    1,
    expect.stringMatching(new RegExp(`^${data[0]!.id}  failed  \\w+  \\d+ ms`)),
  ]);
  await test.post(`${base}/webhook-endpoints`, { url: 'https://webhooks.example.com/b' }).expect(201);
  const several = await resend(data[0]!.id);
  expect([several.exitCode, several.error]).toEqual([
    2,
    expect.stringMatching(/--endpoint[^]*example.com.b/),
  ]);
});

describe('doctor', () => {
  test('finds nothing wrong with a valid pair, even if its scopes are few', async () => {
    const restricted = await service.addPair(company, 'test', ['contributions:create']);
    for (const client of [company.test, restricted]) {
      const { exitCode, out } = await command(['doctor', '--json'], variablesOf(client));
      const { ok, checks } = JSON.parse(out) as { ok: boolean; checks: { check: string; result: string }[] };
      expect([exitCode, ok]).toEqual([0, true]);
      expect(checks.map(({ check, result }) => `${check} ${result}`)).toEqual([
        'https ok',
        'reachable ok',
        'credentials ok',
        'environment ok',
        'company ok',
        'expiry ok',
        'clock ok',
      ]);
    }
  });

  test('shows what the pair stands for', async () => {
    const { out } = await command(['doctor'], variablesOf(company.test));
    expect(out).toMatch(new RegExp(`^company +${company.name} \\(`, 'm'));
    expect(out).toMatch(/^scopes +projects:read, contributions:create/m);
    expect(out).toMatch(/^service +version \d/m);
    expect(out).not.toContain(company.test.apiSecret);
  });

  test('warns before a pair expires, and if the company is suspended', async () => {
    const other = await service.addCompany();
    const { admin } = service.database;
    await admin.query(`UPDATE key_pairs SET expires_at = now() + interval '9 days' WHERE api_key = $1`, [
      other.test.apiKey,
    ]);
    await admin.query('UPDATE companies SET suspended_at = now() WHERE name = $1', [other.name]);
    const { exitCode, out } = await command(['doctor'], variablesOf(other.test));
    expect([exitCode, out]).toEqual([
      0,
      expect.stringMatching(/^warning +company +Your company is suspended/m),
    ]);
    expect(out).toMatch(/^warning +expiry +The key pair expires on \d{4}-\d\d-\d\d\. Ask/m);
  });

  test('says that a pair is invalid', async () => {
    const { apiKey, apiSecret } = drawKeyPair('test');
    const { exitCode, out } = await command(['doctor'], {
      ...variablesOf(),
      CONTRIBUTION_API_KEY: apiKey,
      CONTRIBUTION_API_SECRET: apiSecret,
    });
    expect([exitCode, out]).toEqual([1, expect.stringMatching(/failed +credentials +credentials_invalid/)]);
  });
});

test('fault --help lists the kinds', async () => {
  const words = (await command(['fault', '--help'])).out.split(/\s+/);
  expect(words).toEqual(expect.arrayContaining(['answer_lost_after_commit', '503_before', '429', 'hold']));
  expect(words.join(' ')).toContain('For deliverWebhook, KIND is one of: duplicate');
});

test('conform stops after the first case of a receiver that does not listen, and names the port', async () => {
  const program = ['--', process.execPath, '-e', ''];
  const { exitCode, out } = await command(['conform', '--profile', 'receiver', ...program]);
  expect(exitCode).toBe(1);
  expect(out).toMatch(/NOT REACHED .* did not listen on PORT, which was \d+\. It exited with 0\.\n/);
  expect(out).toContain('0 of 11 cases passed; 10 were not run, because the program did not start.');
});

test('conform shows why a receiver did not start', async () => {
  const program = ['--', process.execPath, '-e', "throw new Error('no database')"];
  const { out } = await command(['conform', '--profile', 'receiver', '--cases', 'bad_signature', ...program]);
  expect(out).toMatch(/It exited with 1\.\n[^]* {4}Error: no database\n/);
});

test('conform says how to verify if a receiver rejects a good delivery', async () => {
  const { judge } = receiverCases.find(({ name }) => name === 'bad_signature')!;
  const [start, deliver] = [() => Promise.resolve(true), () => Promise.resolve(400)];
  const newEvents = () => Promise.resolve([{ id: 'a' }]);
  const staged = { receiver: { start, deliver }, secret: 'whsec_', newEvents } as unknown as ReceiverStage;
  expect((await judge(staged)).detail).toBe(
    'A good delivery got status 400. Respond with 2xx. Compute HMAC-SHA256 of webhook-id.webhook-timestamp.body, with the raw body. The key is the base64-decoded part of the secret after whsec_.',
  );
});

test('fault says that no delivery is affected without a webhook endpoint', async () => {
  const { exitCode, out } = await command(['fault', 'deliverWebhook', 'duplicate']);
  expect(exitCode).toBe(0);
  expect(out).toContain('You have no webhook endpoint, so no delivery is affected.');
  await command(['fault', '--clear']);
});

test('fault arms, lists and removes faults, and requests shows what they hit', async () => {
  expect((await command(['fault', 'listLinks', '503_before', '--times', '1'])).out).toContain('1 of 1 left');
  expect((await command(['fault', '--list'])).out).toContain('listLinks  503_before');
  await company.test.get(`${base}/links`).expect(503);
  await until('the request is listed', async () =>
    (await command(['requests'])).out.includes('fault 503_before'),
  );
  expect(await command(['fault', '--clear'])).toMatchObject({ exitCode: 0, out: 'No faults.' });
  const rejected = await command(['fault', 'pay', '503_before', '--json']);
  expect([rejected.exitCode, JSON.parse(rejected.out)]).toEqual([
    1,
    { error: expect.objectContaining({ code: 'invalid_request' }) as unknown },
  ]);
});

test('settle lets the simulated bank complete a contribution', async () => {
  const simulated = await service.addCompany();
  const settings = { bank: 'simulated', settle_after_seconds: 3_600 };
  await simulated.test.put(`${base}/sandbox/settings`, settings).expect(200);
  const id = await create(simulated.test);
  const variables = variablesOf(simulated.test);
  expect((await command(['settle', id, '--amount', '24.00'], variables)).out).toContain('amount_mismatch');
  expect((await command(['settle', id], variables)).out).toContain('completed');
  expect(await statusOf(id, simulated.test)).toBe('completed');
});

test('settings shows the settings, and changes only those that it is told to', async () => {
  const variables = variablesOf((await service.addCompany()).test);
  expect((await command(['settings'], variables)).out).toMatch(/bank +none\n/);
  const options = ['--bank', 'simulated', '--settle-after-seconds', '60', '--magic-amounts', 'off'];
  const all = { bank: 'simulated', settle_after_seconds: 60, magic_amounts: false };
  for (const [args, expected] of [
    [options, all],
    [['--magic-amounts', 'on'], { ...all, magic_amounts: true }],
    [[], { ...all, magic_amounts: true }],
    [['--bank', 'none'], { ...all, bank: 'none', magic_amounts: true }],
  ] as const) {
    const { exitCode, out } = await command(['settings', '--json', ...args], variables);
    expect([exitCode, JSON.parse(out)]).toEqual([0, expected]);
  }
  expect((await command(['settings', '--bank', 'central'], variables)).exitCode).toBe(1);
});

describe('conform', () => {
  const program = (source: string): string[] => ['--', process.execPath, '-e', source];

  longTest('a program that does nothing reaches no case, and one that hangs fails it', async () => {
    const args = ['conform', '--profile', 'host', '--cases', 'key,pages'];
    const idle = await command([...args, ...program('process.exit(3)')]);
    expect([idle.exitCode, idle.out]).toEqual([
      1,
      expect.stringMatching(/NOT REACHED {2}key.*exited with 3/),
    ]);
    const hanging = await command([...args, '--timeout', '1', ...program('setInterval(() => {}, 1000)')]);
    expect([hanging.exitCode, hanging.out]).toEqual([1, expect.stringMatching(/FAILED +key.*exit in time/)]);
  });

  test('the report escapes what the program prints, and removes the secret', async () => {
    const file = path.join(folder, 'report.html');
    const source = "console.log('<b>&', process.env.CONTRIBUTION_API_SECRET)";
    const args = ['conform', '--profile', 'host', '--cases', 'key', '--report', file];
    expect((await command([...args, ...program(source)])).exitCode).toBe(1);
    const html = readFileSync(file, 'utf8');
    expect(html).toContain('&#60;b&#62;&#38; [redacted]');
    expect(html).not.toContain(company.test.apiSecret);
  });

  test('the report shows no part of a secret that was printed before a lot of other output', async () => {
    const file = path.join(folder, 'report.html');
    const source = "console.log(process.env.CONTRIBUTION_API_SECRET + 'x'.repeat(1970))";
    await command(['conform', '--profile', 'host', '--cases', 'key', '--report', file, ...program(source)]);
    expect(readFileSync(file, 'utf8')).not.toContain(company.test.apiSecret!.slice(-10));
  });

  longTest('the report shows a query that is not percent-encoded', async () => {
    const source = `
      const { CONTRIBUTION_API_URL: api, CONTRIBUTION_API_KEY: key, CONTRIBUTION_API_SECRET: secret } = process.env;
      fetch(api + '/get/projects?limit=%zz', { headers: { 'API-Key': key, 'API-Secret': secret } });`;
    const args = ['conform', '--profile', 'host', '--cases', 'pages', '--json', ...program(source)];
    const { out } = await command(args);
    expect(JSON.parse(out)).toMatchObject({
      cases: [{ exchanges: [{ path: '/get/projects?limit=%zz' }] }],
    });
  });

  test.each(['host', 'receiver'])(
    'a program that cannot be started is named, profile %s',
    async (profile) => {
      const { exitCode, error } = await command(['conform', '--profile', profile, '--', 'no-such-program']);
      expect([exitCode, error]).toEqual([2, expect.stringContaining('no-such-program cannot be started')]);
    },
  );

  test('a bank needs a company without a bank', async () => {
    const simulated = await service.addCompany();
    await simulated.test.put(`${base}/sandbox/settings`, { bank: 'simulated' }).expect(200);
    const args = ['conform', '--profile', 'bank', ...program('')];
    const { exitCode, error } = await command(args, variablesOf(simulated.test));
    expect([exitCode, error]).toEqual([2, expect.stringMatching(/without a bank.*settings --bank none/)]);
    // Only the operator ends the link of a linked bank.
    const linked = await service.addCompany();
    const partner = await service.addCompany();
    await service.companies.linkBank('test', linked.name, partner.name);
    const withBank = await command(args, variablesOf(linked.test));
    expect([withBank.exitCode, withBank.error]).toEqual([2, expect.stringContaining('ask the operator')]);
  });

  longTest('a program that did its task but exits with another code fails the case', async () => {
    const source = (code: number): string =>
      `const { CONTRIBUTION_API_URL: api, CONTRIBUTION_API_KEY: key, CONTRIBUTION_API_SECRET: secret } = process.env;
       fetch(api + '/get/projects', { headers: { 'API-Key': key, 'API-Secret': secret } })
         .then((response) => response.text()).then(() => process.exit(${code}))`;
    const args = ['conform', '--profile', 'host', '--cases', 'plus_in_user_hash'];
    const user = source(7).replace(
      '/get/projects',
      '/projects-stories?user_hash=conform%2Bplus%2Fand%3Dequals%2BZz0%3D',
    );
    const { exitCode, out } = await command([...args, ...program(user)]);
    expect([exitCode, out]).toEqual([1, expect.stringMatching(/FAILED .*unchanged\. But it exited with 7/)]);
  });

  test('every case links to a section that the guides have', () => {
    for (const { guide } of [...hostCases, ...bankCases, ...monthEndCases]) {
      const [page = '', section = ''] = guide.split('#');
      const headings = readFileSync(path.join(root, 'docs', 'guides', `${page}.md`), 'utf8').match(
        /^#+ .+$/gm,
      )!;
      const ids = headings.map((line) =>
        line
          .replace(/^#+ /, '')
          .toLowerCase()
          .replace(/[^\p{L}\p{N}\s_-]/gu, '')
          .replaceAll(' ', '-'),
      );
      expect(ids).toContain(section);
    }
  });
});

test('reset asks first, and then starts an empty test environment', async () => {
  const { test: client } = await service.addCompany();
  const variables = variablesOf(client);
  const id = await create(client);
  const questions: string[] = [];
  const reply = (text: string) => (question: string) => {
    questions.push(question);
    return Promise.resolve(text);
  };
  const kept = await command(['reset'], variables, reply('no'));
  expect([kept.exitCode, kept.error]).toEqual([2, 'Nothing was reset.']);
  expect(await statusOf(id, client)).toBe('pending');
  const done = await command(['reset'], variables, reply(' Yes\n'));
  expect([done.exitCode, done.out]).toEqual([0, expect.stringMatching(/resets left within 24 hours +4/)]);
  expect(questions).toHaveLength(2);
  await client.get(`${base}/contributions/${id}`).expect(404);
  const { out } = await command(['reset', '--yes', '--seed', 'demo', '--json'], variables);
  const { transaction_ids: ids } = JSON.parse(out) as { transaction_ids: string[] };
  expect(await Promise.all(ids.map((each) => statusOf(each, client)))).toEqual(ids.map(() => 'pending'));
});

describe('bank', () => {
  function scenario(name: string, more: object = {}): string {
    const file = path.join(folder, `${name}.json`);
    const rules = [
      { amount_ends_in: '.41', do: 'wrong_amount_first' },
      { amount_ends_in: '.42', do: 'complete_twice' },
      { amount_ends_in: '.43', do: 'nothing' },
    ];
    writeFileSync(file, JSON.stringify({ store: path.join(folder, name), rules, ...more }));
    return file;
  }

  test('completes pending contributions by the scenario, and a second run changes nothing', async () => {
    const own = await service.addCompany();
    const ids = [await create(own.test), await create(own.test, '9.41'), await create(own.test, '9.43')];
    const args = ['bank', '--once', '--config', scenario('plain')];
    const { exitCode, out } = await command(args, variablesOf(own.test));
    expect(exitCode).toBe(0);
    expect(out.split('\n')).toEqual([
      `${ids[0]}  completed`,
      `${ids[1]}  amount_mismatch`,
      `${ids[1]}  completed`,
    ]);
    expect(await Promise.all(ids.map((id) => statusOf(id, own.test)))).toEqual([
      'completed',
      'completed',
      'pending',
    ]);
    expect(await command(args, variablesOf(own.test))).toEqual({ exitCode: 0, out: '', error: '' });
  });

  test('completes twice, and the second completion is recorded as another transfer', async () => {
    const own = await service.addCompany();
    const id = await create(own.test, '9.42');
    const args = ['bank', '--once', '--config', scenario('twice')];
    const { exitCode, out } = await command(args, variablesOf(own.test));
    expect([exitCode, out.split('\n')]).toEqual([0, [`${id}  completed`, `${id}  repeated`]]);
    const references = (await eventsAfterCreation(service.database.admin, id)).map(
      ({ evidence }) => (evidence as { bank_reference: string }).bank_reference,
    );
    expect(references).toEqual([`BANK-${id}`, `BANK-${id}-2`]);
  });

  test('writes a statement with each transfer once, also after a restart', async () => {
    const own = await service.addCompany();
    const amounts = ['9.00', '9.41', '9.42', '9.43'];
    const ids: string[] = [];
    for (const amount of amounts) ids.push(await create(own.test, amount));
    const file = path.join(folder, 'statement.xml');
    const args = ['bank', '--once', '--config', scenario('stated', { statement: file })];
    const check = () => {
      const { problems, statements, entries } = checkStatementFile(readFileSync(file), {
        ids: transactionIds(new Date()),
      });
      expect([problems, statements.map(({ balance }) => balance)]).toEqual([[], ['balanced']]);
      return entries.map(({ amountCents, outcome, ids, bankReference }) => [
        ...[amountCents, outcome, ids.join(), bankReference],
      ]);
    };
    const entry = (cents: bigint, id = '', end = '') => [cents, 'found', id, `BANK-${id}${end}`];
    const expected = [
      entry(900n, ids[0]),
      entry(941n, ids[1]),
      entry(942n, ids[2]),
      entry(942n, ids[2], '-2'),
    ];
    expect((await command(args, variablesOf(own.test))).exitCode).toBe(0);
    expect(check()).toEqual(expected);
    // A crash while an entry was written, and before the statement was.
    rmSync(file);
    appendFileSync(`${file}.entries`, '{"transaction_id": "K7');
    ids.push(await create(own.test, '1.00'));
    expect((await command(args, variablesOf(own.test))).exitCode).toBe(0);
    expect(check()).toEqual([...expected, entry(100n, ids[4])]);
  });

  test('writes a statement without entries if there was no transfer', async () => {
    const own = await service.addCompany();
    const file = path.join(folder, 'none.xml');
    await command(
      ['bank', '--once', '--config', scenario('none', { statement: file })],
      variablesOf(own.test),
    );
    const { problems, statements, entries } = checkStatementFile(readFileSync(file), {
      ids: transactionIds(new Date()),
    });
    expect([problems, statements[0]?.balance, entries]).toEqual([[], 'balanced', []]);
  });

  test('leaves contributions that are not due yet', async () => {
    const own = await service.addCompany();
    await create(own.test);
    const args = ['bank', '--once', '--config', scenario('late', { after_seconds: 3_600 })];
    expect((await command(args, variablesOf(own.test))).out).toBe('');
  });

  test('stops after the contribution in progress', async () => {
    const own = await service.addCompany();
    const ids = [await create(own.test), await create(own.test), await create(own.test)];
    const lines: string[] = [];
    const exitCode = await run(['bank', '--config', scenario('stopped')], variablesOf(own.test), {
      out: (line) => {
        lines.push(line);
        process.emit('SIGINT');
      },
      error: (line) => lines.push(line),
    });
    expect([exitCode, lines]).toEqual([0, [`${ids[0]}  completed`]]);
    expect(await statusOf(ids[1]!, own.test)).toBe('pending');
  });

  test('repeats a completion without an outcome after a restart', async () => {
    const own = await service.addCompany();
    const id = await create(own.test);
    const fault = { operation: 'completeContribution', kind: 'answer_lost_after_commit', times: 5 };
    await own.test.post(`${base}/sandbox/faults`, fault).expect(200);
    const args = ['bank', '--once', '--config', scenario('lost')];
    const first = await command(args, variablesOf(own.test));
    expect([first.exitCode, first.error]).toEqual([1, expect.stringContaining(id)]);
    const second = await command(args, variablesOf(own.test));
    expect([second.exitCode, second.out]).toEqual([0, '']);
    expect(await statusOf(id, own.test)).toBe('completed');
  });

  test.each([
    [{ store: '' }, 'store'],
    [{ interval_seconds: 0 }, 'interval_seconds'],
    [{ rules: [{ amount_ends_in: 'x', do: 'nothing' }] }, 'amount_ends_in'],
    [
      { rules: [{ amount_ends_in: '.41', do: 'steal' }] },
      'complete, complete_twice, complete_together, complete_and_return, wrong_amount_first, nothing',
    ],
    [{ after: 1 }, 'after'],
    [{ statement: 1 }, '"statement" must be the name of a file'],
    [{ statements: '' }, '"statements" must be the name of a folder'],
    [{ statement: 'a', statements: 'b' }, 'not both'],
  ])('rejects the scenario %j', async (more, message) => {
    const { exitCode, error } = await command(['bank', '--config', scenario('wrong', more)]);
    expect([exitCode, error]).toEqual([2, expect.stringContaining(message)]);
  });
});
