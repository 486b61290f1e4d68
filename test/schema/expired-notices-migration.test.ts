import knex, { type Knex } from 'knex';

import * as migration from '../../migrations/20261217000000_expire_environment_events';
import { createKnexConfig } from '../../src/db/migrations/knex-config';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { operate } from '../support/operations';
import { verificationOf } from '../support/verification';

/** The migration cleans up after an expiry that deleted events from one feed only. */
let database: TestDatabase;
let owner: Knex;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = knex(createKnexConfig(database.ownerUrl));
});
afterAll(async () => {
  await owner.destroy();
  await database.drop();
});

test('the migration deletes the events whose copy in the feed expired, and no other', async () => {
  await operate(database, ({ companies }) => companies.create('One'));
  await migration.down(owner);
  const append = async (age: string, relayed: number, expired: number): Promise<void> => {
    await database.admin.query(
      `SELECT append_environment_event(environment_id, gen_random_uuid(), 'bank_link.ended', now() - $1::interval, '{}', '{}')
         FROM environments WHERE kind = 'test' AND environment_id > 0`,
      [age],
    );
    await database.admin.query('SELECT relay_events($1)', [relayed]);
    await database.admin.query('DELETE FROM feed_events WHERE sequence <= $1', [expired]);
    await database.admin.query('UPDATE feeds SET first_sequence = $1 + 1', [expired]);
  };
  await append('200 days', 1, 1);
  await append('199 days', 1, 1);
  await append('198 days', 0, 1);
  await migration.up(owner);
  const { rows } = await database.admin.query<{ days: number }>(
    `SELECT round(extract(epoch FROM now() - recorded_at) / 86400)::integer AS days FROM environment_events ORDER BY 1`,
  );
  expect(rows.map(({ days }) => days)).toEqual([198, 199]);
  expect(await verificationOf(database.operatorUrl)).toMatchObject({ violationCount: 0, failures: [] });
});
