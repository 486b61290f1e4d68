import knex, { type Knex } from 'knex';

import { createKnexConfig } from '../../src/db/migrations/knex-config';
import { matchingRules } from '../../src/modules/statements/matching/matching-rules';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { createPool } from '../support/pool';
import { startService } from '../support/service';
import { statementFile, uploadAndMatch } from '../support/statement-files';

/** Migrations of the matching rules, reverted and applied again in a database with a statement. */
let database: TestDatabase;
let migrations: Knex;

beforeAll(async () => {
  database = await createTestDatabase();
  migrations = knex(createKnexConfig(database.ownerUrl));
  const service = await startService({ database, settings: { SANDBOX_REQUEST_LOG: 'off' } });
  const { test: client } = await service.addCompany();
  const file = statementFile([{ cents: 1_00n }], { from: '2026-11-20', madeAt: '2026-11-21T02:00:00-05:00' });
  await uploadAndMatch(client, file);
  // A service of this version cannot use the database of an earlier one.
  await service.stop();
}, 60_000);
afterAll(async () => {
  await migrations.destroy();
  await database.drop();
});

const rowsOf = async (sql: string): Promise<unknown[]> => (await database.admin.query<object>(sql)).rows;
const progress = (): Promise<unknown[]> =>
  rowsOf('SELECT * FROM matching_progress WHERE rules > 0 ORDER BY environment_id');
const down = async (name: string): Promise<void> => {
  await migrations.migrate.down({ name });
};
const up = async (): Promise<void> => {
  await migrations.migrate.latest();
};

test('operators read the rules only while their migration is applied, and nothing else changes', async () => {
  const operator = createPool(database.operatorUrl);
  const read = (column: string) => operator.query(`SELECT ${column} FROM matching_progress`);
  try {
    const before = await progress();
    expect(before).toHaveLength(1);
    await read('rules');
    await down('20261218000700_operators_read_rules');
    await expect(read('rules')).rejects.toMatchObject({ code: '42501' });
    await read('environment_id, positions_due_at');
    expect(await progress()).toEqual(before);
    await up();
    expect((await read('rules')).rows).toContainEqual({ rules: matchingRules });
    expect(await progress()).toEqual(before);
  } finally {
    await operator.end();
  }
});

test('the comment on the next attempt exists only while its migration is applied', async () => {
  const comment = (): Promise<unknown[]> =>
    rowsOf(`SELECT col_description(attrelid, attnum) AS text FROM pg_attribute
             WHERE attrelid = 'webhook_retries'::regclass AND attname = 'next_attempt_at'`);
  const before = await comment();
  await down('20261218000700_comment_on_next_attempt');
  expect(await comment()).toEqual([{ text: null }]);
  await up();
  expect(await comment()).toEqual(before);
});

test('without the creation times, the version before may compare, and all results are outdated', async () => {
  const state = (): Promise<unknown[]> =>
    rowsOf(
      `SELECT p.rules AS newest, f.rules, f.state FROM statement_files f JOIN matching_progress p USING (environment_id)`,
    );
  const madeAt = (): Promise<unknown[]> => rowsOf('SELECT made_at FROM statements');
  expect(await state()).toEqual([{ newest: matchingRules, rules: matchingRules, state: 'matched' }]);
  expect(await madeAt()).toEqual([{ made_at: '2026-11-21T07:00:00.000Z' }]);
  await down('20261220000000_creation_times_of_statements');
  const reverted = [{ newest: 1, rules: 0, state: 'matched' }];
  expect(await state()).toEqual(reverted);
  await expect(madeAt()).rejects.toMatchObject({ code: '42703' });
  await up();
  expect(await state()).toEqual(reverted);
  expect(await madeAt()).toEqual([{ made_at: null }]);
});
