import { createHash } from 'node:crypto';
import { hostname, userInfo } from 'node:os';

import { Client } from 'pg';

import { sessionConfig } from '../../src/db/session-settings';
import { claimedOperator } from '../../src/operator/cli/claimed-operator';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { operate } from '../support/operations';
import { operatorLogin } from '../support/role-url';
import { verificationOf } from '../support/verification';
import { longTest } from '../support/full-run';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const action = (command: string) => ({
  claimedOperator: 'anna',
  command,
  target: null,
  arguments: {},
  result: {},
});
const commands = async (command?: string) =>
  (await operate(database, ({ actions }) => actions.list({ command, limit: 10 }), 'read')).map(
    (listed) => listed.command,
  );

test('a command that fails leaves neither its change nor its entry', async () => {
  await expect(
    operate(database, async ({ actions, companies }) => {
      await companies.create('Half Done');
      await actions.record(action('companies create'));
      throw new Error('the last step failed');
    }),
  ).rejects.toThrow('the last step failed');
  expect(await commands()).toEqual([]);
  const { rows } = await database.admin.query(`SELECT FROM companies WHERE name = 'Half Done'`);
  expect(rows).toEqual([]);
});

test('entries are listed latest first, and filtered by the first words of the command', async () => {
  for (const command of ['keys issue', 'keys revoke', 'keysmith call']) {
    await operate(database, ({ actions }) => actions.record(action(command)));
  }
  expect(await commands()).toEqual(['keysmith call', 'keys revoke', 'keys issue']);
  expect(await commands('keys')).toEqual(['keys revoke', 'keys issue']);
  expect(await commands('keys issue')).toEqual(['keys issue']);
});

longTest('a command that cannot lock the audit log names the session that holds the lock', async () => {
  const holder = new Client(
    sessionConfig({ connectionString: database.operatorUrl, application_name: 'left open' }),
  );
  await holder.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(`SELECT record_operator_action(gen_random_uuid(), 'x', 'x', NULL, '{}', '{}')`);
    const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const failure = await operate(database, ({ actions }) => actions.record(action('keys revoke'))).catch(
      String,
    );
    expect(failure).toMatch(
      new RegExp(
        `pid ${rows[0]!.pid}, login ${operatorLogin}, application_name "left open", in a transaction since \\d{4}-.*Z`,
      ),
    );
    expect(failure).toContain(`SELECT pg_terminate_backend(${rows[0]!.pid})`);
  } finally {
    await holder.end();
  }
});

test('concurrent commands all succeed for a login whose default isolation is repeatable read', async () => {
  const url = new URL(database.operatorUrl);
  url.searchParams.set('options', '-c default_transaction_isolation=repeatable\\ read');
  const login = { operatorUrl: url.href };
  const outcomes = await Promise.allSettled(
    Array.from({ length: 6 }, (_, number) =>
      operate(login, async ({ actions, companies }) => {
        await companies.create(`Isolated ${number}`);
        await actions.record(action('companies create'));
      }),
    ),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(Array(6).fill('fulfilled'));
});

/** Recomputes the hash chain from the documented format, without the database's functions. */
async function recomputedHashes(): Promise<{ hash: string; recomputed: string }[]> {
  const { rows } = await database.admin.query<Record<string, string | null>>(
    `SELECT position, action_id, to_char(acted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS acted_at,
            database_role, claimed_operator, command, target, arguments::text, result::text, encode(hash, 'hex') AS hash
       FROM operator_actions ORDER BY position`,
  );
  let before = '0'.repeat(64);
  return rows.map(({ hash, ...fields }) => {
    const serialized = [before, ...Object.values(fields)].map((field) =>
      field === null ? '-,' : `${Buffer.byteLength(field)}:${field},`,
    );
    before = createHash('sha256').update(serialized.join('')).digest('hex');
    return { hash: hash!, recomputed: before };
  });
}

test('every entry has the hash that decision record 37 specifies', async () => {
  await operate(database, ({ actions }) =>
    actions.record({ ...action('a'), target: 'Größe, 1:2', arguments: { b: 'ü', a: [1.5] } }),
  );
  await operate(database, ({ actions }) => actions.record({ ...action('a'), target: '' }));
  const hashes = await recomputedHashes();
  expect(hashes.length).toBeGreaterThan(3);
  expect(hashes.map(({ recomputed }) => recomputed)).toEqual(hashes.map(({ hash }) => hash));
  const head = await operate(database, ({ actions }) => actions.head(), 'read');
  expect(head).toEqual({
    position: hashes.length,
    hash: hashes.at(-1)!.hash,
    actedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
  });
});

test('an entry names the login that PostgreSQL verified, not the claimed name', async () => {
  await operate(database, ({ actions }) => actions.record({ ...action('b'), claimedOperator: 'the owner' }));
  const [latest] = await operate(
    database,
    ({ actions }) => actions.list({ command: undefined, limit: 1 }),
    'read',
  );
  expect(latest).toMatchObject({ databaseRole: operatorLogin, claimedOperator: 'the owner' });
  expect(Math.abs(latest!.actedAt.getTime() - Date.now())).toBeLessThan(60_000);
});

longTest('concurrent commands, failures and dry runs leave a chain without gaps', async () => {
  const { position: before } = await operate(database, ({ actions }) => actions.head(), 'read');
  const outcomes = await Promise.allSettled(
    Array.from({ length: 30 }, (_, number) =>
      operate(
        database,
        async ({ actions }) => {
          await actions.record(action(`race ${number}`));
          if (number % 3 === 1) throw new Error('it fails after its record');
        },
        number % 3 === 2 ? 'dry-run' : 'write',
      ),
    ),
  );
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(10);
  const { rows } = await database.admin.query<{ position: string }>(
    'SELECT position FROM operator_actions ORDER BY position',
  );
  expect(rows.map(({ position }) => Number(position))).toEqual(rows.map((_row, index) => index + 1));
  expect(rows).toHaveLength(before + 10);
  expect((await verificationOf(database.operatorUrl)).violationCount).toBe(0);
});

test('a long command does not block others before it adds its entry', async () => {
  await operate(database, async ({ companies, actions }) => {
    await companies.create('Long');
    await operate(database, (other) => other.actions.record(action('short')));
    await actions.record(action('long'));
  });
  expect((await commands()).slice(0, 2)).toEqual(['long', 'short']);
});

test('an old snapshot cannot assign a position twice', async () => {
  const client = new Client(sessionConfig({ connectionString: database.operatorUrl }));
  await client.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await client.query('SELECT count(*) FROM operator_actions');
    await operate(database, ({ actions }) => actions.record(action('between')));
    await expect(
      client.query(`SELECT record_operator_action(gen_random_uuid(), 'a', 'b', NULL, '{}', '{}')`),
    ).rejects.toMatchObject({ constraint: 'operator_actions_position_key' });
  } finally {
    await client.end();
  }
});

test.each([
  ['changed', `UPDATE operator_actions SET claimed_operator = 'nobody'`],
  ['removed', 'DELETE FROM operator_actions'],
  ['emptied', 'TRUNCATE operator_actions'],
])('entries are never %s, not even by the owner', async (_what, sql) => {
  const owner = new Client(sessionConfig({ connectionString: database.ownerUrl }));
  await owner.connect();
  try {
    await expect(owner.query(sql)).rejects.toMatchObject({ constraint: 'operator_actions_append_only' });
  } finally {
    await owner.end();
  }
});

test('the claimed name is the setting, or the account and the machine, with the account behind sudo', () => {
  expect(claimedOperator('anna', { SUDO_USER: 'berta' })).toBe('anna');
  expect(claimedOperator(undefined, {})).toBe(`${userInfo().username}@${hostname()}`);
  expect(claimedOperator(undefined, { SUDO_USER: 'berta' })).toBe(
    `berta as ${userInfo().username}@${hostname()}`,
  );
});

test('a read command cannot write', async () => {
  await expect(operate(database, ({ companies }) => companies.create('Never'), 'read')).rejects.toMatchObject(
    {
      cause: { code: '25006' },
    },
  );
});
