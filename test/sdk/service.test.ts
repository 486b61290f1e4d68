import { readFileSync } from 'node:fs';
import path from 'node:path';

import { ContributionService, type LogEvent, RequestRejected } from '../../packages/sdk/src/index.js';
import { addProject, addStory } from '../support/catalogue';
import { relayAll } from '../support/feed';
import { root } from '../support/program';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import { errorOf, user } from './fake-service';

/** The SDK against the real service: every operation, lists, windows and errors. */
let service: TestService;
let host: TestCompany;
let linked: TestCompany;
let client: ContributionService;
let bank: ContributionService;
let projectId: number;
let storyId: number;
const events: LogEvent[] = [];

function clientOf(company: TestCompany, fetch?: typeof globalThis.fetch): ContributionService {
  const { apiKey = '', apiSecret = '' } = company.test;
  return new ContributionService({
    apiKey,
    apiSecret,
    apiUrl: `http://127.0.0.1:${service.port}/company/integration`,
    expectEnvironment: 'test',
    logger: (event) => events.push(event),
    fetch,
  });
}

beforeAll(async () => {
  service = await startService();
  host = await service.addCompany('Host');
  linked = await service.addCompany('Bank');
  await service.companies.linkBank('test', 'Host', 'Bank');
  [client, bank] = [clientOf(host), clientOf(linked)];
  projectId = await addProject(service.database.admin, { name: 'Water', rank: 1 });
  await addProject(service.database.admin, { name: 'Bread', rank: 2 });
  storyId = await addStory(service.database.admin, projectId);
  await addStory(service.database.admin, projectId);
});
afterAll(() => service.stop());

const create = (amount: string, key = `key ${amount}`) =>
  client.contributions.create(
    { project_id: projectId, amount, user_hash: user, name: 'Amélie' },
    { idempotencyKey: key },
  );

test('a project is listed, read and shown to a user', async () => {
  expect(
    (await client.projectsStories.list({ user_hash: user })).data.map((project) => project.project_name),
  ).toEqual(['Water', 'Bread']);
  expect((await client.projects.list({ limit: 1 })).data).toHaveLength(1);
  const { data, status, requestId, attempts, replayed, headers } = await client.projects
    .retrieve(projectId, { highlights: true, description: true, user_hash: user })
    .withResponse();
  expect(data).toMatchObject({ project_name: 'Water', highlights: [], description: 'A description' });
  expect([status, attempts, replayed, headers.get('Environment')]).toEqual([200, 1, false, 'test']);
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
});

test('a list is read by rows and by pages', async () => {
  const rows: string[] = [];
  for await (const project of client.projects.list({ limit: 1 })) rows.push(project.project_name);
  const pages: number[] = [];
  for await (const page of client.stories.list(projectId, { limit: 1 }).pages()) pages.push(page.data.length);
  expect([rows, pages]).toEqual([
    ['Water', 'Bread'],
    [1, 1],
  ]);
});

test('a list gives its first page when it is awaited, and says that there are more', async () => {
  const list = client.projects.list({ limit: 1 });
  expect(await list).toMatchObject({ data: [{ project_name: 'Water' }], has_more: true });
  const names = (rows: { project_name: string }[]): string[] => rows.map((row) => row.project_name);
  expect(names(await list.autoPagingToArray({ limit: 10 }))).toEqual(['Water', 'Bread']);
  expect(names(await list.autoPagingToArray({ limit: 1 }))).toEqual(['Water']);
});

test('a story is viewed', async () => {
  expect(await client.stories.recordView(storyId, { user_hash: user }).withResponse()).toMatchObject({
    status: 204,
  });
  const viewed: boolean[] = [];
  for await (const story of client.stories.list(projectId, { user_hash: user })) viewed.push(story.is_viewed);
  expect(viewed.sort()).toEqual([false, true]);
});

test('a contribution is created, found, completed by the bank and listed once in its window', async () => {
  const first = await create('25.00').withResponse();
  const again = await create('25', 'key 25.00').withResponse();
  expect(first).toMatchObject({
    status: 201,
    replayed: false,
    idempotencyKey: 'key 25.00',
    data: { status: 'pending' },
  });
  expect(again).toMatchObject({ replayed: true, data: first.data });
  const id = first.data.transaction_id;
  expect(await client.contributions.findByIdempotencyKey('key 25.00')).toMatchObject({
    transaction_id: id,
    amount: '25.00',
  });
  expect(await client.contributions.findByIdempotencyKey('key unknown')).toBeUndefined();
  expect(await client.contributions.retrieve(id.toLowerCase())).toMatchObject({
    status: 'pending',
    name: 'Amélie',
  });

  const evidence = { amount: '25.00', bank_reference: 'FT-1', value_date: '2026-11-20' };
  expect(await bank.bank.complete(id, evidence)).toMatchObject({ status: 'completed' });
  expect(await bank.bank.complete(id, evidence).withResponse()).toMatchObject({ replayed: true });

  const ids: string[] = [];
  let from = '2026-01-01T00:00:00Z';
  for (const deadline = Date.now() + 10_000; ids.length === 0 && Date.now() < deadline;) {
    const { contributions, until } = await bank.bank.readWindow({ from });
    expect(Date.parse(until)).toBeGreaterThanOrEqual(Date.parse(from));
    ids.push(...contributions.map((contribution) => contribution.transaction_id));
    from = until;
  }
  expect(ids).toEqual([id]);
  expect((await bank.bank.readWindow({ from })).contributions).toEqual([]);
  expect(await bank.bank.readWindow({ from: '2100-01-01T00:00:00Z' })).toEqual({
    contributions: [],
    until: '2100-01-01T00:00:00Z',
  });
  expect((await bank.bank.readWindow({ from: new Date(0), by: 'created' })).contributions).toHaveLength(1);
});

test('money of a completed contribution is returned, and the return is undone', async () => {
  const { transaction_id: id } = await create('40.00');
  const moneyReturn = { kind: 'return', code: 'R01', amount: '40.00', bank_reference: 'RT-1' } as const;
  expect(await errorOf(bank.bank.recordReturn(id, moneyReturn))).toMatchObject({
    code: 'contribution_not_completed',
  });
  await bank.bank.complete(id, { amount: '40.00' });
  const returned = await bank.bank.recordReturn(id, moneyReturn);
  expect(returned).toMatchObject({ transaction_id: id, returned_amount: '40.00', net_amount: '0.00' });
  const again = await bank.bank.recordReturn(id, { ...moneyReturn, amount: 40 }).withResponse();
  expect(again).toMatchObject({ replayed: true, data: { return_id: returned.return_id } });
  expect(await errorOf(client.bank.recordReturn(id, moneyReturn))).toMatchObject({ code: 'return_reserved' });

  const undo = { reason: 'paid_again', amount: '40.00', bank_reference: 'PA-1' } as const;
  expect(await bank.bank.undoReturn(id, returned.return_id, undo)).toMatchObject({ net_amount: '40.00' });
  expect(await client.contributions.retrieve(id)).toMatchObject({ returned_amount: '0.00' });
});

test('a completion is corrected, and the old request then adds nothing', async () => {
  const { transaction_id: id } = await create('45.00');
  const evidence = { amount: '45.00', bank_reference: 'FT-45' };
  const reason = 'Completed the wrong contribution';
  expect(await bank.bank.complete(id, evidence)).not.toHaveProperty('net_amount');
  const refused = await errorOf(client.bank.correct(id, { reason }));
  expect(refused).toMatchObject({ code: 'correction_reserved' });
  const corrected = await bank.bank.correct(id, { reason });
  const again = await bank.bank.correct(id, { reason }).withResponse();
  expect(again).toMatchObject({ replayed: true, data: corrected });
  expect(await client.contributions.retrieve(id)).toMatchObject({ ...corrected, net_amount: '0.00' });

  expect(await bank.bank.complete(id, evidence)).toMatchObject({ net_amount: '0.00' });
  const paid = await bank.bank.complete(id, { ...evidence, bank_reference: 'FT-46' });
  expect(paid).not.toHaveProperty('net_amount');
  expect(await client.contributions.retrieve(id)).toMatchObject({ net_amount: '45.00', corrected_at: null });
});

test('the feed is followed from a position, and waits for new events', async () => {
  const { last_sequence: before } = await client.events.list();
  const { transaction_id: id } = await create('70.00');
  await relayAll(service.database.admin);
  const { last_sequence: last } = await client.events.list();
  const seen: string[] = [];
  for await (const event of client.events.follow({ after: last - 1 })) {
    seen.push('transaction_id' in event.data ? (event.data.transaction_id ?? '') : '');
    expect(await client.events.retrieve(event.id)).toEqual(event);
    if (seen.length === 1) {
      void bank.bank.complete(id, { amount: '70.00' }).then(() => relayAll(service.database.admin));
    } else break;
  }
  expect(seen).toEqual([id, id]);
  expect(last).toBeGreaterThan(before);
  expect(await errorOf(client.events.list({ after: 999_999 }))).toMatchObject({ code: 'feed_restarted' });
  expect(await errorOf(client.events.list({ after: -1 }))).toMatchObject({ field: 'after' });
});

test('a reader notices a reset, even if the new feed has grown past its position', async () => {
  const reader = clientOf(await service.addCompany());
  const add = async (): Promise<void> => {
    const body = { project_id: projectId, amount: '1.00', user_hash: user };
    await reader.contributions.create(body, { idempotencyKey: 'ephemeral' });
    await relayAll(service.database.admin);
  };
  await add();
  const feed = reader.events.follow({ after: 0 });
  const { value: first } = await feed.next();
  await reader.sandbox.reset();
  await add();
  await add();
  expect(await errorOf(feed.next())).toMatchObject({ status: 410, code: 'feed_restarted' });
  const { sequence: after, id: after_id } = first!;
  const again = reader.events.follow({ after, after_id });
  expect(await errorOf(again.next())).toMatchObject({ code: 'feed_restarted' });
  const { data, last_sequence: last } = await reader.events.list();
  expect(await reader.events.list({ limit: 1 }).autoPagingToArray({ limit: 100 })).toEqual(data);
  expect(data.at(-1)?.sequence).toBe(last);
  const next = await reader.events.follow({ after: 1, after_id: data[0]!.id }).next();
  expect(next.value).toEqual(data[1]);
});

test('rejections have the code of the service, its advice and the request id', async () => {
  await create('30.00');
  const reused = await errorOf(create('31.00', 'key 30.00'));
  expect(reused).toBeInstanceOf(RequestRejected);
  expect(reused).toMatchObject({ status: 422, code: 'idempotency_key_reused', retryable: false });
  const unknown = await errorOf(
    client.contributions.create({ project_id: 999, amount: 1, user_hash: user }, { idempotencyKey: 'b' }),
  );
  expect(unknown).toMatchObject({
    code: 'project_not_found',
    errors: [{ pointer: '/project_id', code: 'not_found' }],
  });
  const { transaction_id: id } = await create('32.00');
  expect(await errorOf(client.bank.complete(id))).toMatchObject({
    status: 403,
    code: 'completion_reserved_for_bank',
  });
  expect(await errorOf(bank.bank.complete(id, { amount: 33 }))).toMatchObject({ code: 'amount_mismatch' });
  expect(await errorOf(client.contributions.list({ limit: 1_000_000 }))).toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('limit'),
  });
});

test('links are listed from both sides', async () => {
  expect((await client.links.list()).data).toMatchObject([{ role: 'bank', company_name: 'Bank' }]);
  expect((await bank.links.list()).data).toMatchObject([{ role: 'company', company_name: 'Host' }]);
});

test('the sandbox has settings, settles and lists requests', async () => {
  const { bank: mode } = await client.sandbox.replaceSettings({
    bank: 'simulated',
    settle_after_seconds: 3_600,
  });
  expect([mode, await client.sandbox.retrieveSettings()]).toEqual([
    'simulated',
    { bank: 'simulated', settle_after_seconds: 3_600, magic_amounts: true },
  ]);
  const { transaction_id: id } = await create('31.00');
  const settled = client.sandbox.settle(id, {
    amount: '30',
    bank_reference: 'FT-1',
    value_date: '2026-11-20',
  });
  expect((await settled).attempts).toMatchObject([{ outcome: 'amount_mismatch' }]);
  await until('the settlement is in the request log', async () => {
    const [newest] = (await client.sandbox.requests.list({ limit: 1 })).data;
    return newest?.operation === 'settleSandboxContribution' && newest.transaction_id === id;
  });
  await client.sandbox.replaceSettings({ bank: 'linked' });
  // Another company, because the next test needs the contributions of this one.
  const other = clientOf(await service.addCompany());
  const { transaction_ids: ids } = await other.sandbox.reset({ seed: 'demo' });
  expect((await other.contributions.list()).data.map((row) => row.transaction_id)).toEqual(ids);
});

test('these calls used every operation of the contract, and no log event has personal data', () => {
  const { paths } = JSON.parse(readFileSync(path.join(root, 'docs', 'openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const operations = Object.entries(paths).flatMap(([place, methods]) =>
    Object.keys(methods).map(
      (method) => `${method.toUpperCase()} ${place.replace('/company/integration', '')}`,
    ),
  );
  const used = new Set(events.map(({ method, path: place }) => `${method} ${place}`));
  expect([...used].filter((operation) => !operations.includes(operation))).toEqual([]);
  // Not part of the SDK: probes, and two other paths of the same create.
  const leftOut = ['GET /health/live', 'GET /health/ready', 'POST /orders/make', 'POST /create/payment'];
  const today = [
    'GET /contributions',
    'GET /contributions/{transaction_id}',
    'GET /events',
    'GET /events/{event_id}',
    'GET /get/project/{project_id}',
    'GET /get/project/{project_id}/stories',
    'GET /get/projects',
    'GET /links',
    'GET /projects-stories',
    'GET /sandbox/requests',
    'GET /sandbox/settings',
    'POST /contributions/{transaction_id}/correction',
    'POST /contributions/{transaction_id}/returns',
    'POST /contributions/{transaction_id}/returns/{return_id}/undo',
    'POST /sandbox/contributions/{transaction_id}/settle',
    'POST /sandbox/reset',
    'PUT /contributions/create',
    'PUT /contributions/{transaction_id}',
    'PUT /sandbox/settings',
    'PUT /stories/{story_id}/views',
  ];
  expect([...used].sort()).toEqual(today);
  expect(operations).toEqual(expect.arrayContaining([...today, ...leftOut]));
  const logged = JSON.stringify(events);
  for (const secret of [user, encodeURIComponent(user), 'Amélie', host.test.apiSecret!])
    expect(logged).not.toContain(secret);
});

describe('the faults of the sandbox', () => {
  test('are armed, listed and removed', async () => {
    const armed = await client.sandbox.faults.arm({ operation: 'listLinks', kind: '429', times: 3 });
    expect(armed).toMatchObject({ operation: 'listLinks', kind: '429', times: 3, times_left: 3 });
    expect((await client.sandbox.faults.list()).data).toEqual([armed]);
    await client.sandbox.faults.disarm();
    expect((await client.sandbox.faults.list()).data).toEqual([]);
  });

  test('do not lead to a second contribution: the SDK retries until it gets the first response', async () => {
    const kinds = ['answer_lost_after_commit', 'cut_mid_body', 'proxy_502_html'] as const;
    for (const kind of kinds) await client.sandbox.faults.arm({ operation: 'createContribution', kind });
    const created = await create('33.00').withResponse();
    expect(created).toMatchObject({ attempts: 4, replayed: true });
    const { data } = await client.contributions.list({ idempotency_key: 'key 33.00' });
    expect(data.map(({ transaction_id: id }) => id)).toEqual([created.data.transaction_id]);
  });

  test('cannot be armed with a production pair', async () => {
    const { apiKey = '', apiSecret = '' } = host.production;
    const production = new ContributionService({
      apiKey,
      apiSecret,
      apiUrl: 'https://api.test/company/integration',
      expectEnvironment: 'production',
    });
    const error = await errorOf(production.sandbox.faults.list());
    expect(error.message).toContain('test environment');
  });
});

test('many contributions are completed with few requests, also when a response is cut off', async () => {
  const ids: string[] = [];
  for (const number of [1, 2, 3, 4, 5]) {
    const { transaction_id: id } = await create('12.00', `one of many ${number}`);
    ids.push(id);
  }
  let requests = 0;
  const cutting = clientOf(linked, async (input, init) => {
    const response = await fetch(input, init);
    requests += 1;
    const text = await response.text();
    const { status, headers } = response;
    return new Response(requests === 2 ? text.slice(0, text.length / 2) : text, { status, headers });
  });
  async function* transfers() {
    for (const id of [...ids, 'mistyped']) {
      await Promise.resolve();
      yield { transaction_id: id, amount: '12.00', bank_reference: `FT-${id}` };
    }
  }
  const outcomes: unknown[] = [];
  for await (const { line, outcome, code } of cutting.bank.completeMany(
    { completions: transfers() },
    { linesPerRequest: 2 },
  ))
    outcomes.push([line, outcome, code]);
  expect(requests).toBe(4);
  expect(outcomes).toEqual([
    [1, 'completed', null],
    [2, 'completed', null],
    [3, 'replayed', null],
    [4, 'replayed', null],
    [5, 'completed', null],
    [6, 'refused', 'transaction_not_found'],
  ]);
});

test('a wrong number of lines is rejected before anything is sent', async () => {
  const outcomes = bank.bank.completeMany({ completions: [] }, { linesPerRequest: 0 });
  await expect(outcomes).rejects.toThrow('linesPerRequest');
});
