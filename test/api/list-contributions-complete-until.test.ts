import type { Pool, PoolClient } from 'pg';

import { generateTransactionId } from '../../src/shared/transaction-id';
import { addProject } from '../support/catalogue';
import type { Client } from '../support/client';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { createPool } from '../support/pool';
import { startService, type TestService } from '../support/service';
import { createSlowLists } from '../support/slow-lists';
import { longTest } from '../support/full-run';

/**
 * A reader who continues from `complete_until` misses nothing, even if a transaction commits long
 * after it has read the clock.
 */
const contributions = '/company/integration/contributions';

let service: TestService;
let client: Client;
/** A contribution of the company, which the tests copy. */
let original: string;

interface Listed {
  data: { transaction_id: string; created_at: string; completed_at: string | null }[];
  next_cursor: string | null;
  complete_until: string;
}

async function list(query = ''): Promise<Listed> {
  const response = await client
    .get(`${contributions}?${query.includes('limit=') ? '' : 'limit=1000&'}${query}`)
    .expect(200);
  return response.body as Listed;
}

const idsOf = ({ data }: Listed): string[] => data.map(({ transaction_id: id }) => id);

async function useService(database?: TestDatabase): Promise<void> {
  service = await startService(database ? { database } : {});
  const projectId = await addProject(service.database.admin);
  client = (await service.addCompany()).test;
  original = await create(projectId);
}

async function create(projectId: number): Promise<string> {
  const response = await client
    .put(`${contributions}/create`, { project_id: projectId, amount: 1, user_hash: 'user==' })
    .expect(201);
  return response.body.transaction_id as string;
}

/**
 * A session of the service's role with an uncommitted change, as every write of a contribution has.
 */
async function beginning<T>(change: (session: PoolClient) => Promise<T>): Promise<{
  result: T;
  commit: () => Promise<void>;
}> {
  const session = await (writers ??= createPool(service.database.url)).connect();
  try {
    await session.query('BEGIN');
    const result = await change(session);
    return {
      result,
      async commit() {
        await session.query('COMMIT');
        session.release();
      },
    };
  } catch (error) {
    session.release(true);
    throw error;
  }
}

/** Reads the clock as a create does, and becomes visible when it commits. */
async function insertCopy(session: PoolClient): Promise<{ id: string; at: Date }> {
  const id = generateTransactionId(original.slice(0, 4), new Date());
  const { rows } = await session.query<{ created_at: Date }>(
    `INSERT INTO transactions
       (environment_id, transaction_id, user_id, project_id, amount_cents, currency, status, created_by_api_key, created_at)
     SELECT environment_id, $2, user_id, project_id, amount_cents, currency, 'pending', 'cpk_test_copy', clock_timestamp()
       FROM transactions WHERE transaction_id = $1
     RETURNING created_at`,
    [original, id],
  );
  return { id, at: rows[0]!.created_at };
}

async function completeOriginal(session: PoolClient): Promise<{ id: string; at: Date }> {
  const clock = await session.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
  const { rows } = await session.query<{ completed_at: Date }>(
    `UPDATE transactions SET status = 'completed', completed_at = $2,
            completed_by_environment_id = environment_id, completed_by_api_key = 'cpk_test_copy'
      WHERE transaction_id = $1 RETURNING completed_at`,
    [original, clock.rows[0]!.now],
  );
  return { id: original, at: rows[0]!.completed_at };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let ownDatabase: TestDatabase | undefined;
let writers: Pool | undefined;

afterEach(async () => {
  await writers?.end();
  writers = undefined;
  await service.stop();
  await ownDatabase?.drop();
  ownDatabase = undefined;
});

test('with no transaction in progress it is the current time', async () => {
  await useService();
  const before = Date.now();
  const { complete_until: completeUntil } = await list();
  expect(completeUntil).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  // The client and the database are on the same machine and share its clock.
  expect(Date.parse(completeUntil)).toBeGreaterThan(before - 1_000);
  expect(Date.parse(completeUntil)).toBeLessThanOrEqual(Date.now());
});

test.each([
  ['creation', 'created_from', insertCopy],
  ['completion', 'completed_from', completeOriginal],
])(
  'an uncommitted %s keeps complete_until before it, and a reader who continues from it finds that change',
  async (_what, from, change) => {
    await useService();
    const { result, commit } = await beginning(change);
    const query = `${from}=2000-01-01T00:00:00Z`;

    const first = await list(query);
    await pause(50);
    const second = await list(query);
    for (const response of [first, second]) {
      expect(idsOf(response)).not.toContain(from === 'created_from' ? result.id : original);
      expect(Date.parse(response.complete_until)).toBeLessThanOrEqual(result.at.getTime());
    }

    await commit();
    const next = await list(`${from}=${second.complete_until}`);
    expect(idsOf(next)).toContain(result.id);
    expect(Date.parse(next.complete_until)).toBeGreaterThanOrEqual(result.at.getTime());
  },
);

test('a create that commits between two pages is found by a reader who continues from complete_until of the last page', async () => {
  await useService();
  const projectId = await addProject(service.database.admin);
  const { result: late, commit } = await beginning(insertCopy);
  const later = [await create(projectId), await create(projectId), await create(projectId)];

  // The first page ends after the time of the late create, so no later page shows it.
  const pages = [await list('limit=3')];
  expect(idsOf(pages[0]!)).toEqual([original, ...later.slice(0, 2)]);
  await commit();
  await pause(5);
  while (pages.at(-1)!.next_cursor !== null) {
    pages.push(await list(`limit=3&cursor=${pages.at(-1)!.next_cursor}`));
  }

  expect(pages.length).toBeGreaterThan(1);
  expect(pages.flatMap(idsOf)).toEqual([original, ...later]);
  expect(new Set(pages.map(({ complete_until: until }) => until)).size).toBe(1);
  const next = await list(`created_from=${pages.at(-1)!.complete_until}`);
  expect(idsOf(next)).toContain(late.id);
});

longTest(
  'a reader who pages slowly and continues from complete_until finds every contribution, and each list ends',
  async () => {
    await useService();
    const projectId = await addProject(service.database.admin);
    const created = [original];
    const seen = new Set<string>();
    let from = '2000-01-01T00:00:00.000Z';
    // Three windows. Between two pages of each, more contributions are created than a page shows.
    for (let window = 0; window < 3; window += 1) {
      created.push(await create(projectId), await create(projectId), await create(projectId));
      let page = await list(`created_from=${from}&limit=2`);
      const { complete_until: until } = page;
      for (let count = 1; ; count += 1) {
        for (const { transaction_id: id } of page.data) seen.add(id);
        expect(page.complete_until).toBe(until);
        expect(count).toBeLessThan(20);
        if (page.next_cursor === null) break;
        const { commit, result } = await beginning(insertCopy);
        created.push(await create(projectId), await create(projectId), await create(projectId), result.id);
        page = await list(`created_from=${from}&limit=2&cursor=${page.next_cursor}`);
        await commit();
      }
      from = until;
    }
    await pause(5);
    for (const { transaction_id: id } of (await list(`created_from=${from}`)).data) seen.add(id);
    expect([...seen].sort()).toEqual([...created].sort());
  },
);

longTest(
  'a reader who follows it during concurrent creates finds every contribution exactly once',
  async () => {
    await useService();
    const projectId = await addProject(service.database.admin);
    const created: string[] = [];
    const creating = (async () => {
      for (let round = 0; round < 20; round += 1) {
        created.push(...(await Promise.all(Array.from({ length: 10 }, () => create(projectId)))));
      }
    })();

    const seen: string[] = [];
    let from = '2000-01-01T00:00:00.000Z';
    const read = async (): Promise<void> => {
      const { complete_until: until } = await list(`created_from=${from}`);
      seen.push(...idsOf(await list(`created_from=${from}&created_to=${until}`)));
      from = until;
    };
    while (created.length < 200) await read();
    await creating;
    await pause(5);
    await read();

    expect(seen.filter((id) => id !== original).sort()).toEqual(created.sort());
  },
);

longTest('a create that starts while the sessions are being read is not skipped', async () => {
  // The statement that has read the sessions pauses for half a second before it continues.
  const database = (ownDatabase = await createTestDatabase());
  await createSlowLists(database, 0.5, 'after');
  await useService(database);

  const startedAt = Date.now();
  const listing = list();
  await pause(200);
  const { result, commit } = await beginning(insertCopy);
  const response = await listing;
  await commit();

  // Otherwise the pause did not happen, and the test proves nothing.
  expect(Date.now() - startedAt).toBeGreaterThanOrEqual(500);
  expect(idsOf(response)).not.toContain(result.id);
  expect(Date.parse(response.complete_until)).toBeLessThanOrEqual(result.at.getTime());
});
