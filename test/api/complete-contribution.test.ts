import type { Response, Test } from 'supertest';

import { addProject, archiveProject } from '../support/catalogue';
import type { Client } from '../support/client';
import { eventsAfterCreation } from '../support/events';
import { startService, type TestCompany, type TestService } from '../support/service';

/** Completing a contribution (specification 3, 4.6 and 4.7). */
let service: TestService;
let company: TestCompany;
let projectId: number;

const message = 'The transaction was updated to completed.';
const address = (id: string): string => `/company/integration/contributions/${encodeURIComponent(id)}`;

let userCount = 0;
async function createPending(
  client: Client = company.test,
  body: { project_id?: number; user_hash?: string } = {},
): Promise<string> {
  const response = await client
    .put('/company/integration/contributions/create', {
      project_id: projectId,
      amount: '25.50',
      user_hash: `user-${(userCount += 1)}`,
      ...body,
    })
    .expect(201);
  return response.body.transaction_id as string;
}

function complete(id: string, evidence: object = {}, client: Client = company.test): Test {
  return client.put(address(id), { status: 'completed', ...evidence });
}

async function rows(sql: string, values: unknown[]): Promise<Record<string, unknown>[]> {
  return (await service.database.admin.query<Record<string, unknown>>(sql, values)).rows;
}

const eventsOf = (id: string) => eventsAfterCreation(service.database.admin, id);

async function stateOf(id: string): Promise<unknown> {
  const [row] = await rows('SELECT to_jsonb(t) AS row FROM transactions t WHERE transaction_id = $1', [id]);
  return row!['row'];
}

const supportsOf = (id: string) =>
  rows(
    `SELECT s.project_id, s.first_supported_at, s.last_supported_at, t.completed_at
       FROM transactions t JOIN supports s USING (environment_id, user_id) WHERE transaction_id = $1`,
    [id],
  );

const isReplay = (response: Response): boolean => response.get('Idempotent-Replayed') === 'true';

beforeAll(async () => {
  // Hundreds of concurrent requests may wait long in the queue on a busy machine.
  service = await startService({ settings: { DATABASE_ACQUIRE_TIMEOUT_MS: '10000' } });
  company = await service.addCompany();
  projectId = await addProject(service.database.admin);
});

afterAll(() => service.stop());

describe('the first completion', () => {
  test('gets 200 with exactly transaction_id, status and message', async () => {
    const id = await createPending();
    const response = await complete(id).expect(200);

    expect(response.body).toEqual({ transaction_id: id, status: 'completed', message });
    expect(response.get('Idempotent-Replayed')).toBeUndefined();
    expect(response.get('Environment')).toBe('test');
  });

  test('is stored with its time and with the environment that completed it', async () => {
    const id = await createPending();
    await complete(id).expect(200);

    const [row] = await rows('SELECT * FROM transactions WHERE transaction_id = $1', [id]);
    expect(row).toMatchObject({
      status: 'completed',
      amount_cents: '2550',
      completed_by_environment_id: row!['environment_id'],
      completed_by_api_key: company.test.apiKey,
      bank_reference: null,
      value_date: null,
    });
    const createdAt = row!['created_at'] as Date;
    expect((row!['completed_at'] as Date).getTime()).toBeGreaterThanOrEqual(createdAt.getTime());
  });

  test('makes the user a supporter of the project and appends one event', async () => {
    const id = await createPending();
    expect(await supportsOf(id)).toEqual([]);
    await complete(id).expect(200);

    const [support, ...others] = await supportsOf(id);
    expect(others).toEqual([]);
    expect(support).toMatchObject({ project_id: projectId });
    expect(support!['first_supported_at']).toEqual(support!['completed_at']);
    expect(support!['last_supported_at']).toEqual(support!['completed_at']);
    expect(await eventsOf(id)).toEqual([{ type: 'contribution.completed', evidence: {} }]);
  });

  test('of a second contribution to the same project changes only the time of last support', async () => {
    const userHash = 'supports twice'.replace(/ /g, '-');
    const first = await createPending(company.test, { user_hash: userHash });
    const second = await createPending(company.test, { user_hash: userHash });
    await complete(first).expect(200);
    const [before] = await supportsOf(first);
    await complete(second).expect(200);

    const [after, ...others] = await supportsOf(second);
    expect(others).toEqual([]);
    expect(after!['first_supported_at']).toEqual(before!['first_supported_at']);
    expect(after!['last_supported_at']).toEqual(after!['completed_at']);
  });

  test('is accepted for a project that has since been archived', async () => {
    const archived = await addProject(service.database.admin);
    const id = await createPending(company.test, { project_id: archived });
    await archiveProject(service.database.admin, archived);
    await complete(id).expect(200);
  });

  test('is accepted for a company that has since been suspended, and so is its repeat', async () => {
    const suspended = await service.addCompany();
    const id = await createPending(suspended.test);
    await rows('UPDATE companies SET suspended_at = now() WHERE name = $1', [suspended.name]);
    await complete(id, {}, suspended.test).expect(200);
    await complete(id, {}, suspended.test).expect(200);
  });

  test('is accepted from a key pair other than the one that created the contribution', async () => {
    const id = await createPending();
    const pair = await service.addPair(company, 'test', ['contributions:complete']);
    await complete(id, {}, pair).expect(200);
  });

  test('gets 401 when the key pair was just revoked, even if this process has not received the revocation', async () => {
    const pair = await service.addPair(company, 'test', ['contributions:complete']);
    const first = await createPending();
    const second = await createPending();
    await complete(first, {}, pair).expect(200);
    await rows('UPDATE key_pairs SET revoked_at = clock_timestamp() WHERE api_key = $1', [pair.apiKey]);

    const response = await complete(second, {}, pair).expect(401);
    expect(response.body.code).toBe('credentials_invalid');
    expect(response.get('WWW-Authenticate')).toMatch(/^API-Key /);
    expect(await eventsOf(second)).toEqual([]);
  });
});

describe('a repeated completion', () => {
  test('gets 200 with the same body and Idempotent-Replayed, and changes nothing', async () => {
    const id = await createPending();
    const first = await complete(id).expect(200);
    const before = [await stateOf(id), await supportsOf(id), await eventsOf(id)];

    for (let count = 0; count < 3; count += 1) {
      const again = await complete(id).expect(200);
      expect(again.body).toEqual(first.body);
      expect(isReplay(again)).toBe(true);
    }
    expect([await stateOf(id), await supportsOf(id), await eventsOf(id)]).toEqual(before);
  });

  test('does not wait for other transactions', async () => {
    const id = await createPending();
    await createPending();
    await complete(id).expect(200);
    const [row] = await rows('SELECT environment_id FROM transactions WHERE transaction_id = $1', [id]);
    const holder = await service.database.admin.connect();
    try {
      await holder.query('BEGIN');
      // Citus locks rows of one environment only.
      await holder.query(
        'SELECT FROM transactions WHERE environment_id = $1 AND transaction_id <> $2 FOR UPDATE',
        [row!['environment_id'], id],
      );
      expect(isReplay(await complete(id).expect(200))).toBe(true);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
  });

  test('with the same bank reference records nothing', async () => {
    const id = await createPending();
    const evidence = { amount: '25.50', bank_reference: 'FT-1', value_date: '2026-01-31' };
    await complete(id, evidence).expect(200);
    expect(isReplay(await complete(id, evidence).expect(200))).toBe(true);
    expect(await eventsOf(id)).toHaveLength(1);
  });

  test('that omits the first bank reference records nothing', async () => {
    const id = await createPending();
    await complete(id, { bank_reference: 'FT-1' }).expect(200);
    expect(isReplay(await complete(id).expect(200))).toBe(true);
    expect(await eventsOf(id)).toHaveLength(1);
  });

  test.each([
    ['another bank reference', { bank_reference: 'FT-1' }],
    ['the first bank reference', {}],
  ])('with %s gets 200 and is recorded, and the stored evidence does not change', async (_what, first) => {
    const id = await createPending();
    await complete(id, first).expect(200);
    const before = await stateOf(id);
    const again = await complete(id, { bank_reference: 'FT-2', value_date: '2026-02-01' }).expect(200);

    expect(isReplay(again)).toBe(true);
    expect(await stateOf(id)).toEqual(before);
    expect(await eventsOf(id)).toEqual([
      { type: 'contribution.completed', evidence: first },
      {
        type: 'contribution.completion_repeated',
        evidence: { bank_reference: 'FT-2', value_date: '2026-02-01' },
      },
    ]);
  });
});

test('two hundred concurrent completions make one transition, and all get 200', async () => {
  const id = await createPending();
  const responses = await Promise.all(Array.from({ length: 200 }, () => complete(id).expect(200)));

  for (const response of responses) {
    expect(response.body).toEqual({ transaction_id: id, status: 'completed', message });
  }
  expect(responses.filter((response) => !isReplay(response))).toHaveLength(1);
  expect(await eventsOf(id)).toEqual([{ type: 'contribution.completed', evidence: {} }]);
  expect(await supportsOf(id)).toHaveLength(1);
});

test('concurrent completions with two references store one reference, and record each of the others', async () => {
  const id = await createPending();
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_none, index) => complete(id, { bank_reference: `FT-${index % 2}` })),
  );

  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  const [first, ...repeats] = await eventsOf(id);
  expect(first!['type']).toBe('contribution.completed');
  expect(repeats.map(({ type }) => type)).toEqual(
    Array.from({ length: 10 }, () => 'contribution.completion_repeated'),
  );
  expect(await stateOf(id)).toMatchObject(first!['evidence'] as object);
});

test('concurrent completions of several contributions of one user to one project all succeed', async () => {
  const userHash = 'gives-often';
  const ids = await Promise.all(
    Array.from({ length: 50 }, () => createPending(company.test, { user_hash: userHash })),
  );
  await Promise.all(ids.map((id) => complete(id).expect(200)));

  const [support, ...others] = await supportsOf(ids[0]!);
  expect(others).toEqual([]);
  const [times] = await rows(
    'SELECT min(completed_at) AS first, max(completed_at) AS last FROM transactions WHERE transaction_id = ANY ($1)',
    [ids],
  );
  expect(support!['first_supported_at']).toEqual(times!['first']);
  expect(support!['last_supported_at']).toEqual(times!['last']);
});

describe('the id in the path', () => {
  const writings: [string, (id: string) => string][] = [
    ['in lower case', (id) => id.toLowerCase()],
    ['in groups with spaces', (id) => id.replace(/(.{4})(?=.)/g, '$1 ')],
    ['in groups with hyphens', (id) => id.replace(/(.{5})(?=.)/g, '$1-')],
    ['with O for 0', (id) => id.replace(/0/g, 'O')],
    ['with o, i and l', (id) => id.replace(/0/g, 'o').replace('1', 'i').replace(/1/g, 'l')],
    ['with I and L for 1', (id) => id.replace('1', 'I').replace(/1/g, 'L')],
    ['with spaces around it', (id) => ` ${id} `],
  ];

  test.each(writings)('may be written %s, and the response has the issued id', async (_how, write) => {
    let id = await createPending();
    // An id without a 0 or a 1 would make this test meaningless.
    while (!/0.*1|1.*0/.test(id)) id = await createPending();
    const response = await complete(write(id)).expect(200);
    expect(response.body.transaction_id).toBe(id);
    const read = await company.test.get(address(write(id))).expect(200);
    expect(read.body).toMatchObject({ transaction_id: id, status: 'completed' });
  });

  test.each([
    ['a wrong check character', (id: string) => id.slice(0, 14) + (id.endsWith('0') ? '2' : '0')],
    ['a wrong character', (id: string) => (id.startsWith('A') ? 'B' : 'A') + id.slice(1)],
    ['one character less', (id: string) => id.slice(0, 14)],
    ['one character more', (id: string) => `${id}0`],
    ['a U', (id: string) => `${id.slice(0, 5)}U${id.slice(6)}`],
    ['a character that is neither a letter nor a digit', (id: string) => `${id.slice(0, 5)}%${id.slice(6)}`],
    ['a NUL', (id: string) => `${id}\u0000`],
  ])('with %s gets 404 with a hint, without a lookup', async (_what, misspell) => {
    const id = await createPending();
    const run = jest.spyOn(service.container.database, 'run');
    try {
      for (const test of [complete(misspell(id)), company.test.get(address(misspell(id)))]) {
        const response = await test.expect(404);
        expect(response.body).toMatchObject({
          code: 'transaction_not_found',
          detail: expect.stringMatching(/not a valid transaction_id.*check character/),
        });
      }
      expect(run.mock.calls.filter(([{ name }]) => name.includes('transaction'))).toEqual([]);
    } finally {
      run.mockRestore();
    }
    expect(await stateOf(id)).toMatchObject({ status: 'pending' });
  });
});
