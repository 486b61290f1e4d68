import { randomUUID } from 'node:crypto';

import { Client } from 'pg';

import { sessionConfig } from '../../../src/db/session-settings';
import { composeTransactionId } from '../../../src/shared/transaction-id';
import { addProject } from '../../support/catalogue';
import { citusNodeUrls } from '../../support/citus/databases';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { operate } from '../../support/operations';

/** The memory of a connection to the tenant's worker. It must not grow with the number of calls. */
let database: TestDatabase;
let client: Client;
let environment: { environment_id: number; transaction_tag: string; port: number };
let projectId: number;

const warmUp = 20;
const calls = 200;
/** The bytes for plans of one statement are more. */
const mostBytesPerCall = 5_000;

beforeAll(async () => {
  database = await createTestDatabase();
  projectId = await addProject(database.admin);
  await operate(database, ({ companies }) => companies.create('Acme'));
  const { rows } = await database.admin.query<typeof environment>(
    `SELECT e.environment_id, e.transaction_tag, n.nodeport AS port
       FROM environments e JOIN companies c USING (company_id)
       JOIN pg_dist_placement p
         ON p.shardid = get_shard_id_for_distribution_column('users', e.environment_id)
       JOIN pg_dist_node n USING (groupid)
      WHERE c.name = 'Acme' AND e.kind = 'test'`,
  );
  environment = rows[0]!;
  const worker = new URL(citusNodeUrls()!.find((url) => url.includes(`:${environment.port}/`))!);
  worker.pathname = new URL(database.adminUrl).pathname;
  client = new Client(sessionConfig({ connectionString: worker.href }));
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

async function usedBytes(): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    'SELECT sum(used_bytes) AS bytes FROM pg_backend_memory_contexts',
  );
  return Number(rows[0]?.bytes);
}

/** @returns bytes per call */
async function growth(call: (number: number) => Promise<unknown>): Promise<number> {
  for (let number = 0; number < warmUp; number += 1) await call(number);
  const before = await usedBytes();
  for (let number = warmUp; number < warmUp + calls; number += 1) await call(number);
  return ((await usedBytes()) - before) / calls;
}

test('creates keep no plans', async () => {
  const text = `SELECT * FROM create_contribution($1, $2, $3, 100, $4, NULL, NULL, 'k', $5)`;
  let ids = 0;
  const create = (number: number): Promise<unknown> => {
    let id: string | undefined;
    while (id === undefined) id = composeTransactionId(environment.transaction_tag, new Date(0), (ids += 1));
    const values = [environment.environment_id, id, projectId, `user-${number % 2}`, randomUUID()];
    return client.query({ name: 'create', text, values });
  };
  expect(await growth(create)).toBeLessThan(mostBytesPerCall);
});
