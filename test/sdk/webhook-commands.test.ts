import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { Webhook } from 'standardwebhooks';

import { UsageError } from '../../packages/sdk/src/command/command.js';
import { openState } from '../../packages/sdk/src/command/listener.js';
import { run } from '../../packages/sdk/src/command/run.js';
import { createCompletions } from '../support/completions';
import { readFeed } from '../support/feed';
import { longTest } from '../support/full-run';
import { type CommandResult, commandVariables, runSdkCommand } from '../support/sdk-command';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import { accept, startReceiver } from '../support/webhook-receiver';
import { createWebhookWorlds, deliversHere, receives } from '../support/webhook-world';

/** The commands that send events again, against the real service and a real receiver. */
let service: TestService;
let worlds: ReturnType<typeof createWebhookWorlds>;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'webhook-commands-'));
  service = await startService({ settings: deliversHere, pollMs: 50 });
  worlds = createWebhookWorlds(service);
});
afterEach(() => worlds.end());
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const command = (
  { test }: TestCompany,
  args: string[],
  ask?: (question: string) => Promise<string>,
): Promise<CommandResult> => runSdkCommand(args, commandVariables(service, test), ask);

describe('replay', () => {
  /** An endpoint that has got the events of two contributions. */
  async function delivered() {
    const it = await worlds.world();
    await it.createAndComplete();
    await it.createAndComplete();
    await worlds.relay();
    await it.positionReaches(4);
    return it;
  }

  test('previews without sending, asks, and sends the part again', async () => {
    const it = await delivered();
    const preview = await command(it.company, ['replay', '--since', '1h', '--preview']);
    expect(preview).toMatchObject({ exitCode: 0, out: '4 events, from 1 to 4. Nothing was sent.' });
    const asked: string[] = [];
    const refused = await command(it.company, ['replay', '--since', '1h'], (question) => {
      asked.push(question);
      return Promise.resolve('no');
    });
    expect(refused).toMatchObject({ exitCode: 2, error: 'Nothing was replayed.' });
    expect(asked).toEqual([expect.stringContaining('4 events again')]);
    expect(it.receiver.received).toHaveLength(4);

    const types = ['--types', 'contribution.completed'];
    const replayed = await command(it.company, [
      ...['replay', '--from-sequence', '1', '--to-sequence', '3', ...types, '--yes', '--wait'],
    ]);
    expect(replayed).toMatchObject({
      exitCode: 0,
      out: expect.stringMatching(/completed +1 of 1 delivered/) as string,
    });
    expect(it.receiver.received).toHaveLength(5);
    const last = it.receiver.received.at(-1)!;
    expect(last.headers['webhook-replayed']).toBe('true');
    expect((await command(it.company, ['replay', '--list'])).out).toContain('1 of 1 delivered');
  });

  test('cancels a replay', async () => {
    const it = await delivered();
    await it.company.test.post(`${it.one}/disable`).expect(200);
    const started = await command(it.company, ['replay', '--since', '1h', '--yes', '--json']);
    const { replay_id: id } = JSON.parse(started.out) as { replay_id: string };
    const canceled = await command(it.company, ['replay', '--cancel', id]);
    expect(canceled).toMatchObject({ exitCode: 0, out: expect.stringContaining('canceled') as string });
  });

  const set = (it: { endpointId: string }, assignments: string) =>
    service.database.admin.query(`UPDATE webhook_endpoints SET ${assignments} WHERE endpoint_id = $1`, [
      it.endpointId,
    ]);

  longTest('with --wait, says why nothing is sent, and continues to wait', async () => {
    const it = await delivered();
    await set(
      it,
      "failure_count = 20, failing_since = now() - interval '1 hour', next_probe_at = now() + interval '1 hour'",
    );
    const lines: string[] = [];
    const args = ['replay', '--since', '1h', '--yes', '--wait'];
    const replaying = run(args, commandVariables(service, it.company.test), {
      ask: undefined,
      out: (line) => lines.push(line),
      error: (line) => lines.push(line),
    });
    await until('it says why', () => lines.length > 0);
    // The command polls every second, but prints the line once.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await set(it, 'failure_count = 0, failing_since = NULL, next_probe_at = NULL');
    expect(await replaying).toBe(0);
    expect(lines).toEqual([
      expect.stringMatching(/^The endpoint is failing.*attempt at 20.*The replay waits\.$/),
      expect.stringContaining('completed'),
    ]);
  });

  test('with --wait, ends when the endpoint is disabled', async () => {
    const it = await delivered();
    await set(it, "disabled_at = now(), disabled_reason = 'requested'");
    const { exitCode, error } = await command(it.company, ['replay', '--since', '1h', '--yes', '--wait']);
    expect([exitCode, error]).toEqual([2, expect.stringContaining('The endpoint is disabled')]);
  });

  test.each([
    ['no start', [], 'Pass one of --since'],
    ['two starts', ['--since', '1h', '--from-sequence', '1'], 'Pass one of --since'],
    ['a time without a unit', ['--since', '10'], '--since must be a time'],
    ['no terminal', ['--from-sequence', '1'], '--yes, or --preview'],
  ])('rejects %s', async (_what, args, message) => {
    const it = await delivered();
    const { exitCode, error } = await command(it.company, ['replay', ...args]);
    expect([exitCode, error]).toEqual([2, expect.stringContaining(message)]);
    expect(it.receiver.received).toHaveLength(4);
  });
});

test('a resend reaches the receiver of listen, signed with its secret', async () => {
  const company = await service.addCompany();
  await (await createCompletions(service, company)).create();
  await worlds.relay();
  const { data } = await readFeed(company.test);
  const id = data[0]!.id;
  const state = path.join(folder, 'listen.json');
  const resend = (...more: string[]) => command(company, ['resend', id, '--state', state, ...more]);
  expect((await resend()).error).toContain('no webhook endpoint');
  expect((await resend('--listener')).error).toContain('Run "listen" first');

  const receiver = await startReceiver();
  try {
    const listening = ['listen', '--forward-to', receiver.url, '--state', state, '--after', '0', '--once'];
    expect((await command(company, listening)).exitCode).toBe(0);
    await receives(receiver, 1);
    expect(await resend()).toMatchObject({ exitCode: 0, out: `${id}  ${receiver.url}  204` });
    await until('it arrives', () => receiver.received.length === 2);
    const { secret } = JSON.parse(readFileSync(state, 'utf8')) as { secret: string };
    const { body, headers, event } = receiver.received[1]!;
    new Webhook(secret).verify(body, headers as Record<string, string>);
    expect([event.id, headers['webhook-replayed']]).toEqual([id, 'true']);
    expect(receiver.received[0]!.headers['webhook-replayed']).toBeUndefined();
  } finally {
    await receiver.stop();
  }
  expect(await resend()).toMatchObject({
    exitCode: 1,
    out: expect.stringContaining('ECONNREFUSED') as string,
  });
});

describe('listen', () => {
  /** A company whose feed has one event, and a file with the position before it. */
  async function waiting() {
    const company = await service.addCompany();
    const state = path.join(folder, `${company.name}.json`);
    const read = () => JSON.parse(readFileSync(state, 'utf8')) as { secret: string; after: number };
    const listening = (url: string) => ['listen', '--forward-to', url, '--state', state, '--once'];
    expect((await command(company, listening('http://127.0.0.1:1'))).exitCode).toBe(0);
    await (await createCompletions(service, company)).create();
    await worlds.relay();
    return { company, read, listening };
  }

  test('keeps its position while the receiver refuses connections, and delivers when it runs', async () => {
    const { company, read, listening } = await waiting();
    const earlier = await startReceiver();
    await earlier.stop();
    const lines: string[] = [];
    const ended = run(listening(earlier.url), commandVariables(service, company.test), {
      out: (line) => lines.push(line),
      error: (line) => lines.push(line),
    });
    const advice = /ECONNREFUSED: is your receiver running\? next attempt in 1 s/;
    await until('it says what to do', () => lines.some((line) => advice.test(line)));
    expect(read().after).toBe(0);

    const receiver = await startReceiver(accept, Number(new URL(earlier.url).port));
    try {
      expect(await ended).toBe(0);
      expect(receiver.received.map(({ event }) => event.sequence)).toEqual([1]);
      expect(read().after).toBe(1);
    } finally {
      await receiver.stop();
    }
  });

  longTest('says what to check if the service is down at its start, and keeps its position', async () => {
    const { company, read, listening } = await waiting();
    const before = read();
    const CONTRIBUTION_API_URL = 'http://127.0.0.1:1/company/integration';
    const variables = { ...commandVariables(service, company.test), CONTRIBUTION_API_URL };
    const { exitCode, error } = await runSdkCommand(listening('http://127.0.0.1:1'), variables);
    expect([exitCode, error.split('\n')]).toEqual([
      1,
      [expect.stringContaining('Check apiUrl and the network')],
    ]);
    expect(read()).toEqual({ ...before, run_id: expect.any(String) as string });
  });

  /** Runs it until a line matches, and closes it as with Ctrl-C. */
  async function closed(company: TestCompany, args: string[], line: RegExp): Promise<void> {
    const print = (text: string): void => {
      if (line.test(text)) setImmediate(() => process.emit('SIGINT'));
    };
    const variables = commandVariables(service, company.test);
    expect(await run(args, variables, { ask: undefined, out: print, error: print })).toBe(0);
  }

  /** A file without a position, and the arguments that use it. */
  function first(company: TestCompany) {
    const state = path.join(folder, `first-${company.name}.json`);
    return (url: string, ...more: string[]) => ['listen', '--forward-to', url, '--state', state, ...more];
  }

  test('continues at the start of its first run, if that run ended before an event', async () => {
    const company = await service.addCompany();
    const listening = first(company);
    const receiver = await startReceiver();
    try {
      await closed(company, listening(receiver.url), /Forwarding after 0/);
      await (await createCompletions(service, company)).create();
      await worlds.relay();
      expect((await command(company, listening(receiver.url, '--once'))).exitCode).toBe(0);
      expect(receiver.received.map(({ event }) => event.sequence)).toEqual([1]);
    } finally {
      await receiver.stop();
    }
  });

  test('continues where --after said, if the receiver was down, and resend finds the receiver', async () => {
    const company = await service.addCompany();
    const listening = first(company);
    await (await createCompletions(service, company)).create();
    await worlds.relay();
    const earlier = await startReceiver();
    await earlier.stop();
    await closed(company, listening(earlier.url, '--after', '0'), /ECONNREFUSED/);
    const receiver = await startReceiver(accept, Number(new URL(earlier.url).port));
    try {
      const [{ id } = { id: '' }] = (await readFeed(company.test)).data;
      const state = listening('').at(-1)!;
      const resent = await command(company, ['resend', id, '--state', state, '--listener']);
      expect(resent).toMatchObject({ exitCode: 0, out: expect.stringContaining('204') as string });
      expect((await command(company, listening(receiver.url, '--once'))).exitCode).toBe(0);
      expect(receiver.received.map(({ event }) => event.sequence)).toEqual([1, 1]);
    } finally {
      await receiver.stop();
    }
  });

  test('ends with advice when another one uses its file', async () => {
    const company = await service.addCompany();
    const receiver = await startReceiver();
    const listening = first(company)(receiver.url);
    const lines: string[] = [];
    try {
      const ended = run(listening, commandVariables(service, company.test), {
        ask: undefined,
        out: (line) => lines.push(line),
        error: (line) => lines.push(line),
      });
      await until('it listens', () => lines.some((line) => line.includes('Forwarding after 0')));
      expect((await command(company, [...listening, '--once'])).exitCode).toBe(0);
      // The next event ends its wait.
      await (await createCompletions(service, company)).create();
      await worlds.relay();
      expect([await ended, lines.at(-1)]).toEqual([
        2,
        expect.stringMatching(/^Another "listen" uses .*--state/),
      ]);
    } finally {
      await receiver.stop();
    }
  });

  test('concurrent saves of one file break none of them', async () => {
    const file = path.join(folder, 'shared.json');
    const [one, other] = [await openState(file), await openState(file)];
    const saves = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? one : other).save());
    const outcomes = await Promise.allSettled(saves);
    const expected = outcomes.filter(
      (outcome) => outcome.status === 'fulfilled' || outcome.reason instanceof UsageError,
    );
    expect(expected).toHaveLength(40);
    expect((await openState(file)).state.secret).toBe(one.state.secret);
  });

  test('does not store a position behind the end of the feed', async () => {
    const { company, read, listening } = await waiting();
    const before = read();
    for (const after of ['2', '99']) {
      const args = [...listening('http://127.0.0.1:1'), '--after', after];
      const { exitCode, error } = await command(company, args);
      expect([exitCode, error]).toEqual([1, expect.stringContaining('Check --after')]);
    }
    expect(read()).toEqual({ ...before, run_id: expect.any(String) as string });
  });

  test('notices a reset, even if it has forwarded no event', async () => {
    const company = await service.addCompany();
    const completions = await createCompletions(service, company);
    for (let count = 0; count < 2; count += 1) await completions.create();
    await worlds.relay();
    const listening = first(company)('http://127.0.0.1:1');
    await closed(company, listening, /Forwarding after 2/);
    await company.test.post('/company/integration/sandbox/reset', {}).expect(200);
    const shorter = await command(company, [...listening, '--once']);
    expect([shorter.exitCode, shorter.error]).toEqual([1, expect.stringContaining('with --after 0')]);
    const after = await createCompletions(service, company);
    for (let count = 0; count < 3; count += 1) await after.create();
    await worlds.relay();
    const longer = await command(company, [...listening, '--once']);
    expect([longer.exitCode, longer.error]).toEqual([2, expect.stringMatching(/restarted.*--after 0/)]);
  });
});
