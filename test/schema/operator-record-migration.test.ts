import knex, { type Knex } from 'knex';

import { createKnexConfig } from '../../src/db/migrations/knex-config';
import { knownMigrations } from '../../src/db/migrations/schema-state';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { operate } from '../support/operations';
import { verificationOf } from '../support/verification';

/** Actions that version 0.1.0 recorded, before the hash chain. */
const chain = '20261122006100_operator_action_chain';
let database: TestDatabase;
let migrations: Knex;

beforeAll(async () => {
  database = await createTestDatabase('template1');
  const silent = Object.fromEntries(
    ['warn', 'error', 'deprecate', 'debug'].map((level) => [level, () => undefined]),
  );
  migrations = knex({ ...createKnexConfig(database.ownerUrl), log: silent });
  for (let next = 0; knownMigrations()[next] !== chain; next += 1) await migrations.migrate.up();
  await database.admin.query(
    `INSERT INTO operator_actions (action_id, acted_at, operator, command, target, arguments, result)
     VALUES (gen_random_uuid(), '2026-11-02Z', 'anna', 'keys revoke', 'second', '{"b": 1}', '{}'),
            (gen_random_uuid(), '2026-11-01Z', 'Änne', 'keys issue', NULL, '{}', '{"a": "é"}'),
            (gen_random_uuid(), '2026-11-03Z', 'anna', 'keys list', 'third', '{}', '{}')`,
  );
}, 60_000);
afterAll(async () => {
  await migrations.destroy();
  await database.drop();
});

const records = async (claimed: string) =>
  (
    await database.admin.query<Record<string, unknown>>(
      `SELECT acted_at::text, ${claimed} AS claimed, database_role, command, target, arguments, result
         FROM operator_actions ORDER BY acted_at`,
    )
  ).rows;

test('earlier actions are chained in order and otherwise unchanged, up and down', async () => {
  const before = await records('operator');
  await migrations.migrate.up();
  expect(await records('claimed_operator')).toEqual(before);
  await migrations.migrate.down();
  expect(await records('operator')).toEqual(before);
  await migrations.migrate.latest();
  expect(await records('claimed_operator')).toEqual(before);

  const { rows } = await database.admin.query(
    'SELECT position::integer, command FROM operator_actions ORDER BY position',
  );
  expect(rows).toEqual([
    { position: 1, command: 'keys issue' },
    { position: 2, command: 'keys revoke' },
    { position: 3, command: 'keys list' },
  ]);
  const next = { claimedOperator: 'anna', command: 'keys show', target: null, arguments: {}, result: {} };
  await operate(database, ({ actions }) => actions.record(next));
  const report = await verificationOf(database.operatorUrl);
  expect(report).toMatchObject({ violationCount: 0, failures: [] });
  expect(report.checks.find(({ check }) => check === 'audit-chain')?.rowCount).toBe(4);
  await expect(database.admin.query('DELETE FROM operator_actions')).rejects.toMatchObject({
    constraint: 'operator_actions_append_only',
  });
});
