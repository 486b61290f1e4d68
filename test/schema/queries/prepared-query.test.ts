import { Client, type Connection, type QueryResultRow, types } from 'pg';

import { sessionConfig } from '../../../src/db/session-settings';
import { runPrepared } from '../../../src/internals/prepared-query';
import { createTestDatabase, type TestDatabase } from '../../support/database';

/**
 * Compares named queries, which describe their columns once per connection, with `pg`, which
 * describes them each time.
 */
let database: TestDatabase;
let client: Client;
let descriptions = 0;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  client = new Client(sessionConfig({ connectionString: database.adminUrl }));
  await client.connect();
  const { connection } = client as unknown as { connection: Connection };
  descriptions = 0;
  connection.on('rowDescription', () => (descriptions += 1));
});
afterEach(() => client.end());
afterAll(() => database.drop());

const run = (name: string, text: string, values: readonly unknown[] = []): Promise<QueryResultRow[]> =>
  runPrepared(client, { name, text }, values);

const everyType = `
  SELECT $1::bigint AS bigint, $2::int AS int, $3::boolean AS boolean, $4::timestamptz AS time, $5::text[] AS texts,
         $6::jsonb AS json, $7::bytea AS bytes, $8::date AS date, NULL::text AS nothing, '' AS empty, $9::numeric AS numeric
    FROM generate_series(1, 3)`;
const values = [
  9_007_199_254_740_993n,
  -7,
  true,
  new Date('2026-01-02T03:04:05.678Z'),
  ['a"b', null, 'ü,{}'],
  JSON.stringify({ a: [1, null] }),
  Buffer.from([0, 1, 255]),
  '2026-02-03',
  '12.50',
];

test('rows equal those of pg, the first time and every later time', async () => {
  const { rows } = await client.query(everyType, values);
  expect(rows).toHaveLength(3);
  for (let time = 0; time < 3; time += 1) expect(await run('every_type', everyType, values)).toEqual(rows);
  const nothing = everyType.replace('FROM generate_series(1, 3)', 'WHERE false');
  expect(await run('nothing', nothing, values)).toEqual([]);
});

test('columns are described once for each connection', async () => {
  for (let time = 0; time < 5; time += 1) await run('one', 'SELECT $1::int AS a', [time]);
  expect(descriptions).toBe(1);
  await run('another', 'SELECT 1 AS b');
  expect(descriptions).toBe(2);
});

test('a statement without columns returns no rows every time', async () => {
  await client.query('CREATE TEMPORARY TABLE things (a int)');
  for (const value of [1, 2]) expect(await run('add', 'INSERT INTO things VALUES ($1)', [value])).toEqual([]);
  expect(await run('count', 'SELECT count(*)::int AS count FROM things')).toEqual([{ count: 2 }]);
});

test('a statement that fails reports the error, and the next one runs', async () => {
  const divide = (by: number) => run('divide', 'SELECT 6 / $1::int AS result', [by]);
  await expect(divide(0)).rejects.toMatchObject({ code: '22012' });
  expect(await divide(2)).toEqual([{ result: 3 }]);
  await expect(divide(0)).rejects.toMatchObject({ code: '22012' });
  expect(await divide(3)).toEqual([{ result: 2 }]);
  await expect(run('wrong', 'SELECT nothing')).rejects.toMatchObject({ code: '42703' });
  await expect(run('wrong', 'SELECT nothing')).rejects.toMatchObject({ code: '42703' });
  expect(await divide(6)).toEqual([{ result: 1 }]);
});

test('a name is bound to one text, and an invalid value is not sent', async () => {
  expect(await run('same', 'SELECT 1 AS a')).toEqual([{ a: 1 }]);
  await expect(run('same', 'SELECT 2 AS a')).rejects.toThrow('two statements have the name same');
  const endless: unknown[] = [];
  endless.push(endless);
  await expect(run('endless', 'SELECT $1::text[] AS a', [endless])).rejects.toThrow(RangeError);
  expect(await run('same', 'SELECT 1 AS a')).toEqual([{ a: 1 }]);
});

test('changed columns cause an error, never a misread row', async () => {
  await client.query('CREATE TEMPORARY TABLE changing (a int, b text)');
  await client.query(`INSERT INTO changing VALUES (1, 'two')`);
  expect(await run('all', 'SELECT * FROM changing')).toEqual([{ a: 1, b: 'two' }]);
  await client.query('ALTER TABLE changing ALTER COLUMN a TYPE text, ADD COLUMN c int');
  await expect(run('all', 'SELECT * FROM changing')).rejects.toMatchObject({ code: '0A000' });
  expect(await run('others', 'SELECT * FROM changing')).toEqual([{ a: '1', b: 'two', c: null }]);
});

test('a statement that was prepared again with other columns, as by a pooler, causes an error', async () => {
  expect(await run('pair', 'SELECT 1 AS a, 2 AS b')).toEqual([{ a: 1, b: 2 }]);
  await client.query('DEALLOCATE pair; PREPARE pair AS SELECT 2 AS b');
  await expect(run('pair', 'SELECT 1 AS a, 2 AS b')).rejects.toThrow('a row of pair cannot be read');
});

test('a value that cannot be parsed fails its statement and not the process', async () => {
  types.setTypeParser(types.builtins.MONEY, () => {
    throw new Error('no such currency');
  });
  await expect(run('money', `SELECT '1.00'::money AS amount`)).rejects.toThrow(
    'a row of money cannot be read',
  );
  expect(await run('after', 'SELECT 1 AS a')).toEqual([{ a: 1 }]);
});

test('a connection that breaks fails the statement on it', async () => {
  client.on('error', () => undefined);
  await expect(run('end', 'SELECT pg_terminate_backend(pg_backend_pid())')).rejects.toThrow();
});
