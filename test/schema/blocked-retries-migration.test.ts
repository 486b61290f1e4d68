import { randomUUID } from 'node:crypto';

import knex, { type Knex } from 'knex';

import * as migration from '../../migrations/20261218000300_blocked_retries_are_not_due';
import { createKnexConfig } from '../../src/db/migrations/knex-config';
import { migrateDown, migrateUp } from '../../src/db/migrations/migrator';
import { addEndpoint, type AddedEndpoint } from '../support/added-endpoint';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { operate } from '../support/operations';
import { until } from '../support/until';

/** Earlier versions never attempt a retry whose time is `infinity`, so undoing must leave none. */
let database: TestDatabase;
let owner: Knex;
let endpoint: AddedEndpoint;
let leaseId: string;

const name = '20261218000300_blocked_retries_are_not_due';
const options = () => ({ connectionString: database.ownerUrl });
const query = async <Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> =>
  (await database.admin.query<Row>(sql, values)).rows;

/** Undoes all later migrations. */
async function migrateDownToIt(): Promise<void> {
  const later = await query<{ name: string }>('SELECT name FROM knex_migrations WHERE name > $1', [name]);
  for (let left = later.length; left > 0; left -= 1) await migrateDown(options(), 'everything');
}

beforeEach(async () => {
  database = await createTestDatabase();
  owner = knex(createKnexConfig(database.ownerUrl));
  await operate(database, ({ companies }) => companies.create('One'));
  endpoint = await addEndpoint(database.admin, 'One');
  leaseId = randomUUID();
  await endpoint.change(`lease_id = '${leaseId}', leased_until = now() + interval '30 seconds'`);
  await migrateDownToIt();
}, 60_000);
afterEach(async () => {
  await owner.destroy();
  await database.drop();
});

/** Records a failure of the first of two events of a contribution. The second waits for it. */
async function settle(): Promise<boolean | null> {
  const postponed = (sequence: number, attempts: number, waitSeconds: number) => ({
    event_id: randomUUID(),
    sequence,
    transaction_id: 'A'.repeat(15),
    attempts,
    outage_attempts: attempts,
    wait_seconds: waitSeconds,
  });
  const [settings] = await query<{ at: string }>('SELECT updated_at::text AS at FROM webhook_endpoints');
  const batch = {
    ...{ settings: settings!.at, position: 2, has_success: false, continues: false, disabled_reason: null },
    ...{ health: null, health_notices: [], exhausted_notices: [], ends_failures: false, ends_outage: false },
    ...{ attempts: [], rescheduled: [], removed: [], exhausted: [] },
    postponed: [postponed(1, 1, 5), postponed(2, 0, 0)],
  };
  const [settled] = await query<{ continues: boolean | null }>(
    'SELECT settle_webhook_batch($1, $2, $3, $4) AS continues',
    [endpoint.environmentId, endpoint.endpointId, leaseId, JSON.stringify(batch)],
  );
  return settled!.continues;
}

const waitingLocks = () =>
  query(`SELECT FROM pg_locks WHERE NOT granted
            AND (database = (SELECT oid FROM pg_database WHERE datname = current_database()) OR database IS NULL)`);

const times = () =>
  query<{ time: string }>('SELECT next_attempt_at::text AS time FROM webhook_retries ORDER BY sequence');

test('undoing it makes retries due that waited for an earlier one, and it can be applied again', async () => {
  expect(await settle()).toBe(false);
  expect(await times()).toEqual([{ time: expect.any(String) as string }, { time: 'infinity' }]);
  expect(await migrateDown(options())).toBe(name);
  expect(await times()).not.toContainEqual({ time: 'infinity' });
  await migrateUp(options());
  expect(await times()).toHaveLength(2);
}, 60_000);

test('undoing it also makes the retries due of a batch that is being recorded', async () => {
  const change = await database.admin.connect();
  try {
    await change.query('BEGIN; SELECT FROM webhook_endpoints FOR UPDATE');
    const settled = settle();
    await until('the batch waits', async () => (await waitingLocks()).length > 0);
    const undone = migrateDown(options());
    await Promise.race([undone, until('both wait', async () => (await waitingLocks()).length > 1)]);
    await change.query('COMMIT');
    expect(await settled).toBe(false);
    expect(await undone).toBe(name);
  } finally {
    change.release();
  }
  expect(await times()).toHaveLength(2);
  expect(await times()).not.toContainEqual({ time: 'infinity' });
}, 60_000);

test('a batch that waits until it is undone records nothing, because its lease is lost', async () => {
  const undoing = await owner.transaction();
  await migration.down(undoing);
  const settled = settle();
  await Promise.race([settled, until('the batch waits', async () => (await waitingLocks()).length > 0)]);
  await undoing.commit();
  expect(await settled).toBeNull();
  expect(await times()).toEqual([]);
}, 60_000);
