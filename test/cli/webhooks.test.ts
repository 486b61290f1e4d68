import { Client } from 'pg';

import { sessionConfig } from '../../src/db/session-settings';
import { createCompletions } from '../support/completions';
import { longTest, sample } from '../support/full-run';
import { operatorSettings, runOps } from '../support/operator-commands';
import { startService, type TestService } from '../support/service';
import { until } from '../support/until';
import { accept, type Received, respondWith } from '../support/webhook-receiver';
import { createWebhookWorlds, deliversHere, receives } from '../support/webhook-world';

/** The operator's commands about webhook endpoints, beside a running service. */
let service: TestService;
let worlds: ReturnType<typeof createWebhookWorlds>;
const unknownId = '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3c';

beforeAll(async () => {
  service = await startService({ settings: deliversHere, pollMs: 50 });
  worlds = createWebhookWorlds(service);
});
afterEach(() => worlds.end());
afterAll(() => service.stop());

const webhooks = (...words: string[]) => command('webhooks', ...words);
const command = (...words: string[]) => runOps(words, operatorSettings(service.database));

/** The result of a command that succeeds. */
async function result(...words: string[]): Promise<Record<string, unknown>> {
  const { output, exitCode } = await webhooks(...words, '--json');
  if (exitCode !== 0) throw new Error(output);
  // Notes follow on standard error.
  return JSON.parse(output.slice(0, output.lastIndexOf('}') + 1)) as Record<string, unknown>;
}

/** What the audit log has about an endpoint, without dry runs. */
async function recorded(endpointId: string): Promise<string[]> {
  const { rows } = await service.database.admin.query<{ command: string }>(
    'SELECT command FROM operator_actions WHERE target = $1 ORDER BY position',
    [endpointId],
  );
  return rows.map(({ command }) => command);
}

test.each(sample(['show', 'disable', 'enable', 'replay', 'cancel-replay'], 1))(
  '%s rejects an unknown endpoint',
  async (command) => {
    const more = command === 'replay' ? ['--from-sequence', '1'] : [];
    const unknown = await webhooks(command, unknownId, ...more);
    expect(unknown).toEqual({ exitCode: 1, output: 'There is no webhook endpoint with this id.\n' });
    const malformed = await webhooks(command, 'endpoint-1', ...more);
    expect(malformed.exitCode).toBe(2);
    expect(malformed.output).toContain('An endpoint_id is a UUID. "webhooks list" shows it.');
  },
);

test.each([
  ['webhooks list', 'webhooks', 'list'],
  ['events feed', 'events', 'feed'],
  ['events list', 'events', 'list'],
  ['keys list', 'keys', 'list'],
  ['keys safe-to-revoke', 'keys', 'safe-to-revoke'],
  ['contributions list', 'contributions', 'list'],
  ['contributions totals', 'contributions', 'totals'],
])('%s rejects an unknown company', async (_name, ...words) => {
  const message = 'There is no company named "Nobody". Run companies list to see all companies.';
  const asJson = JSON.stringify({ error: { message, exit_code: 1 } });
  for (const [output, ...more] of [[message], [asJson, '--json']] as const) {
    expect(await command(...words, 'Nobody', ...more)).toEqual({ exitCode: 1, output: `${output}\n` });
  }
});

test('show has the endpoint, what waits, and its last attempts', async () => {
  const it = await worlds.worldWith(2);
  it.receiver.behave(respondWith(503));
  await it.completions.create();
  await worlds.relay();
  await receives(it.receiver, 3);
  await until('it waits', async () => (await result('show', it.endpointId))['events_waiting'] === 1);
  const { attempts, ...shown } = await result('show', it.endpointId);
  expect(shown).toMatchObject({
    endpoint_id: it.endpointId,
    company: it.company.name,
    environment: 'test',
    status: 'enabled',
    position: 3,
    events_behind: 0,
    replay_id: null,
  });
  // On a busy machine, the first retry may precede it.
  const first = { kind: 'first', attempt: 1, outcome: 'failed', failure: 'status', status: 503 };
  expect(attempts).toContainEqual(expect.objectContaining(first));
  const delivered = { kind: 'first', attempt: 1, outcome: 'delivered', failure: null, status: 204 };
  expect((attempts as unknown[]).at(-1)).toMatchObject(delivered);
  const [{ event }] = it.receiver.received as [Received];
  expect((await result('show', it.endpointId, '--event', event.id))['attempts']).toMatchObject([
    { ...delivered, event_id: event.id, duration_ms: expect.any(Number) },
  ]);
  const { output } = await webhooks('show', it.endpointId);
  expect(output).toMatch(/failed +status +503/);
  const { endpoints } = await result('list', it.company.name);
  expect(endpoints).toMatchObject([{ events_behind: 0, events_waiting: 1 }]);
  expect((await webhooks('list', it.company.name)).output).toMatch(/BEHIND +WAITING/);
});

longTest('enable does not verify an endpoint, and says how the partner does', async () => {
  const it = await worlds.worldWith(2);
  await service.database.admin.query(
    'UPDATE webhook_endpoints SET verified_at = NULL WHERE endpoint_id = $1',
    [it.endpointId],
  );
  expect(await webhooks('enable', it.endpointId)).toEqual({
    exitCode: 1,
    output: `This endpoint is unverified. It receives events after the partner sends POST /webhook-endpoints/${it.endpointId}/ping and its receiver responds with a 2xx status.\n`,
  });
  await result('disable', it.endpointId);
  expect(await result('enable', it.endpointId)).toMatchObject({ status: 'unverified', changed: true });
});

test('disable and enable change once, and are recorded', async () => {
  const it = await worlds.worldWith(2);
  const { endpointId } = it;
  expect(await result('disable', endpointId, '--dry-run')).toMatchObject({ changed: true, dry_run: true });
  expect(await result('show', endpointId)).toMatchObject({ status: 'enabled' });
  expect(await result('disable', endpointId)).toMatchObject({ status: 'disabled', changed: true });
  expect(await result('disable', endpointId)).toMatchObject({ changed: false });
  expect(await result('show', endpointId)).toMatchObject({ status: 'disabled (operator)' });
  await it.createAndComplete();
  await worlds.relay();
  expect(await result('enable', endpointId)).toMatchObject({ status: 'enabled', changed: true });
  expect(await result('enable', endpointId)).toMatchObject({ changed: false });
  await until('it gets what it missed', () => it.receiver.received.length === 4);
  expect(await recorded(endpointId)).toEqual([
    'webhooks disable',
    'webhooks disable',
    'webhooks enable',
    'webhooks enable',
  ]);
});

longTest('enable makes retries of a failing endpoint due, and resets its failures', async () => {
  const it = await worlds.worldWith(2);
  it.receiver.behave(respondWith(503));
  await it.completions.create();
  await worlds.relay();
  await until('it waits', async () => (await result('show', it.endpointId))['events_waiting'] === 1);
  await service.database.admin.query(
    `WITH retries AS (UPDATE webhook_retries SET attempts = 9, outage_attempts = 9,
                             next_attempt_at = now() + interval '10 hours' WHERE endpoint_id = $1)
     UPDATE webhook_endpoints SET failure_count = 10, failing_since = now() - interval '5 hours',
            next_probe_at = now() + interval '1 hour' WHERE endpoint_id = $1`,
    [it.endpointId],
  );
  it.receiver.behave(accept);
  const before = it.receiver.received.length;
  expect(await result('enable', it.endpointId)).toMatchObject({ status: 'enabled', changed: true });
  await until('it arrives', () => it.receiver.received.length > before);
  expect(it.receiver.received.at(-1)?.event.sequence).toBe(3);
});

test('replay counts with --dry-run and sends without it, and show has its progress', async () => {
  const it = await worlds.worldWith(6);
  const { endpointId } = it;
  const preview = await result('replay', endpointId, '--from-sequence', '3', '--dry-run');
  expect(preview).toMatchObject({ from_sequence: 3, to_sequence: 6, event_count: 4, dry_run: true });
  expect(await result('show', endpointId)).toMatchObject({ replay_id: null });
  // The replay stops at its second event for a while.
  it.receiver.behave((received, response) => {
    (received.event.sequence === 4 ? respondWith(503) : accept)(received, response, 0);
  });
  const { replay_id: replayId } = await result('replay', endpointId, '--from-sequence', '3');
  const progress = async () => (await result('show', endpointId))['replay_delivered_count'];
  await until('one is delivered', async () => (await progress()) === 1);
  expect(await result('show', endpointId)).toMatchObject({
    replay_id: replayId,
    replay_position: 3,
    replay_delivered_count: 1,
    replay_event_count: 4,
  });
  const second = await webhooks('replay', endpointId, '--from-sequence', '3');
  expect(second).toEqual({
    exitCode: 1,
    output: `This endpoint has a running replay. Wait until it ends, or run webhooks cancel-replay ${endpointId}.\n`,
  });
  expect(await recorded(endpointId)).toEqual(['webhooks replay']);
});

longTest('cancel-replay ends the running replay of a partner once, and is recorded', async () => {
  const it = await worlds.worldWith(6);
  const { endpointId } = it;
  it.receiver.behave((received, response) => {
    (received.event.sequence === 4 ? respondWith(503) : accept)(received, response, 0);
  });
  const replays = `/company/integration/webhook-endpoints/${endpointId}/replays`;
  const started = await it.company.test.post(replays, { from_sequence: 3 }).expect(201);
  const { replay_id: replayId } = started.body as { replay_id: string };
  const progress = async () => (await result('show', endpointId))['replay_delivered_count'];
  await until('one is delivered', async () => (await progress()) === 1);
  const canceled = { endpoint_id: endpointId, replay_id: replayId, changed: true };
  const part = { replay_position: 3, replay_delivered_count: 1, replay_event_count: 4 };
  expect(await result('cancel-replay', endpointId, '--dry-run')).toEqual({
    ...canceled,
    ...part,
    dry_run: true,
  });
  expect(await result('show', endpointId)).toMatchObject({ replay_id: replayId });
  expect(await result('cancel-replay', endpointId)).toEqual({ ...canceled, ...part });
  const ended = await it.company.test.get(`${replays}/${replayId}`).expect(200);
  expect(ended.body).toMatchObject({
    status: 'canceled',
    position: 3,
    ended_at: expect.any(String) as string,
  });
  expect(await result('cancel-replay', endpointId)).toMatchObject({ replay_id: null, changed: false });
  expect(await result('show', endpointId)).toMatchObject({ replay_id: null, status: 'enabled' });
  expect(await recorded(endpointId)).toEqual(['webhooks cancel-replay', 'webhooks cancel-replay']);
});

test.each([
  [[], 1, 'Specify --from, with or without --to'],
  [['--from', '2026-11-20T08:00:00Z', '--from-sequence', '1'], 1, 'Specify --from, with or without --to'],
  [['--to-sequence', '1'], 1, 'Specify --from, with or without --to'],
  [['--from-sequence', '0'], 2, 'A sequence is a positive integer.'],
  [
    ['--from-sequence', '2', '--to-sequence', '1'],
    1,
    '--to-sequence must not be lower than --from-sequence.',
  ],
  [['--from', '2026-01-02', '--to', '2026-01-01'], 2, '--to must be later than --from.'],
  [['--from', 'yesterday'], 2, "error: option '--from <time>'"],
])('replay %j exits with %d', async (words, exitCode, text) => {
  const it = await worlds.worldWith(2);
  const finished = await webhooks('replay', it.endpointId, ...words);
  expect(finished.output).toContain(text);
  expect(finished.exitCode).toBe(exitCode);
});

test('events feed lists the queued events of a company without a feed', async () => {
  const company = await service.addCompany();
  const completions = await createCompletions(service, company);
  const relayLock = new Client(sessionConfig({ connectionString: service.database.url }));
  await relayLock.connect();
  await relayLock.query('BEGIN');
  await relayLock.query('SELECT pg_advisory_xact_lock(1179010376, 1)');
  await completions.create();
  const { output } = await command('events', 'feed', '--environment', 'test', '--limit', '100', '--json');
  await relayLock.end();
  const { feeds } = JSON.parse(output.slice(0, output.lastIndexOf('}') + 1)) as {
    feeds: { company: string }[];
  };
  expect(feeds.find((feed) => feed.company === company.name)).toMatchObject({
    last_sequence: 0,
    queued_events: 1,
    oldest_queued_at: expect.any(String) as string,
  });
});

longTest('events feed shows the numbers of all feeds, and finds the number of an event', async () => {
  const it = await worlds.worldWith(2);
  const id = await it.completions.create();
  const json = async (...words: string[]) => {
    const { output, exitCode } = await command('events', 'feed', ...words, '--json');
    expect(exitCode).toBe(0);
    return JSON.parse(output.slice(0, output.lastIndexOf('}') + 1)) as Record<
      string,
      Record<string, unknown>[]
    >;
  };
  await worlds.relay();
  const { feeds } = await json('--environment', 'test', '--limit', '100');
  expect(feeds!.find(({ company }) => company === it.company.name)).toEqual({
    company: it.company.name,
    environment: 'test',
    first_sequence: 1,
    last_sequence: 3,
    queued_events: 0,
    oldest_queued_at: null,
  });
  const { events } = await json(it.company.name, '--transaction', id);
  expect(events).toMatchObject([
    { sequence: 3, type: 'contribution.created', transaction_id: id, environment: 'test' },
  ]);
  const one = await json(it.company.name, '--sequence', '2');
  expect(one['events']).toHaveLength(1);
  expect((await command('events', 'feed', it.company.name)).output).toContain(id);
  expect(await json(it.company.name, '--limit', '1', '--skip', '1')).toMatchObject({
    events: [{ sequence: 2, environment: 'test' }],
    has_more: true,
  });
  expect((await command('events', 'feed', it.company.name, '--sequence', '0')).exitCode).toBe(2);
});
