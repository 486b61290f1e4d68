import type { Pool } from 'pg';

import { ownerRole, serviceRole } from '../../src/db/roles/roles';
import { generateTransactionId } from '../../src/shared/transaction-id';
import { addProject } from '../support/catalogue';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { createPool } from '../support/pool';

/**
 * Actions that PostgreSQL denies to the service's role, whatever statement the service may send.
 */
let database: TestDatabase;
let service: Pool;
let environmentId: number;
let pendingId: string;
let completedId: string;

const privilege = '42501'; // insufficient_privilege
const completion = `status = 'completed', completed_at = now() + interval '1 hour', completed_by_environment_id = environment_id, completed_by_api_key = 'k'`;

/**
 * How PostgreSQL rejects it: the constraint named by a trigger or a check, otherwise the error
 * code.
 */
async function refusalOf(sql: string, values: unknown[] = []): Promise<string> {
  try {
    await service.query(sql, values);
    return 'accepted';
  } catch (error) {
    const { constraint, code } = error as { constraint?: string; code?: string };
    return constraint ?? code ?? String(error);
  }
}

beforeAll(async () => {
  database = await createTestDatabase();
  service = createPool(database.url, { max: 2 });
  const { admin } = database;
  const projectId = await addProject(admin);
  const { rows } = await admin.query<{ environment_id: number }>(
    `WITH company AS (INSERT INTO companies (company_id, name) VALUES (gen_random_uuid(), 'A') RETURNING company_id)
     INSERT INTO environments (company_id, kind, transaction_tag)
     SELECT company_id, 'test', 'AAA0' FROM company RETURNING environment_id`,
  );
  environmentId = rows[0]!.environment_id;
  await admin.query(
    `INSERT INTO key_pairs (api_key, environment_id, secret_hmac, pepper_version, scopes, slot, revoked_at)
     VALUES ('revoked', $1, $2, 1, '{projects:read}', 1, now())`,
    [environmentId, Buffer.alloc(32)],
  );

  // Rows that the service adds itself, with its own role.
  const { rows: users } = await service.query<{ user_id: string }>(
    `INSERT INTO users (environment_id, user_hash) VALUES ($1, 'hash') RETURNING user_id`,
    [environmentId],
  );
  const add = async (): Promise<string> => {
    const id = generateTransactionId('AAA0', new Date());
    await service.query(
      `INSERT INTO transactions (environment_id, transaction_id, user_id, project_id, amount_cents, currency, status, created_by_api_key, created_at)
       VALUES ($1, $2, $3, $4, 1000, 'USD', 'pending', 'k', now())`,
      [environmentId, id, users[0]!.user_id, projectId],
    );
    await service.query(
      `INSERT INTO events (environment_id, event_id, transaction_id, type, actor_environment_id, actor_api_key)
       VALUES ($1, gen_random_uuid(), $2, 'contribution.created', $1, 'k')`,
      [environmentId, id],
    );
    return id;
  };
  pendingId = await add();
  completedId = await add();
  expect(
    await refusalOf(`UPDATE transactions SET ${completion} WHERE transaction_id = $1`, [completedId]),
  ).toBe('accepted');
});
afterAll(async () => {
  await service.end();
  await database.drop();
});

/** The rows of the money and history tables, to check that a rejected statement changed nothing. */
async function contents(): Promise<unknown> {
  const { rows } = await database.admin.query<{ contents: unknown }>(
    `SELECT jsonb_build_object(
       'transactions', (SELECT jsonb_agg(to_jsonb(t) ORDER BY t.transaction_id) FROM transactions t),
       'events', (SELECT jsonb_agg(to_jsonb(e) ORDER BY e.event_id) FROM events e)) AS contents`,
  );
  return rows[0]!.contents;
}

test('is an ordinary role that owns nothing and is a member of no other', async () => {
  const { rows } = await database.admin.query(
    `SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
            (SELECT count(*)::integer FROM pg_auth_members WHERE member = r.oid) AS memberships,
            (SELECT count(*)::integer FROM pg_class WHERE relowner = r.oid) AS relations,
            (SELECT count(*)::integer FROM pg_database WHERE datdba = r.oid) AS databases,
            (SELECT string_agg(DISTINCT tableowner, ' ') FROM pg_tables WHERE schemaname = 'public') AS owners
       FROM pg_roles r WHERE rolname = $1`,
    [serviceRole],
  );
  expect(rows).toEqual([
    {
      rolsuper: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolreplication: false,
      rolbypassrls: false,
      memberships: 0,
      relations: 0,
      databases: 0,
      owners: ownerRole,
    },
  ]);
});

describe('a contribution', () => {
  test.each([
    ['amount', 'amount_cents = amount_cents + 1'],
    ['currency', `currency = 'USD'`],
    ['user', 'user_id = user_id'],
    ['project', 'project_id = project_id'],
    ['environment', 'environment_id = environment_id'],
    ['id', 'transaction_id = transaction_id'],
    ['idempotency key', `idempotency_key = 'another'`],
    ['time of creation', `created_at = now() - interval '1 day'`],
    ['creator', `created_by_api_key = 'another'`],
  ])('keeps its %s, even while it is completed', async (_what, set) => {
    const before = await contents();
    for (const change of [set, `${completion}, ${set}`]) {
      expect(
        await refusalOf(`UPDATE transactions SET ${change} WHERE transaction_id = $1`, [pendingId]),
      ).toBe(privilege);
    }
    expect(await contents()).toEqual(before);
  });

  test.each([
    [
      'reopened',
      `status = 'pending', completed_at = NULL, completed_by_environment_id = NULL, completed_by_api_key = NULL`,
    ],
    ['completed again', completion],
    ['given another reference', `bank_reference = 'another'`],
  ])('that is completed cannot be %s', async (_what, set) => {
    const before = await contents();
    expect(await refusalOf(`UPDATE transactions SET ${set} WHERE transaction_id = $1`, [completedId])).toBe(
      'transactions_only_completed',
    );
    expect(await contents()).toEqual(before);
  });

  test('cannot be inserted as completed', async () => {
    const values = [environmentId, generateTransactionId('AAA0', new Date())];
    const columns =
      'environment_id, transaction_id, user_id, project_id, amount_cents, currency, status, created_by_api_key, created_at';
    const select = `SELECT environment_id, $2, user_id, project_id, amount_cents, currency, 'completed', 'k', now()`;
    const from = `FROM transactions WHERE environment_id = $1 LIMIT 1`;
    expect(await refusalOf(`INSERT INTO transactions (${columns}) ${select} ${from}`, values)).toMatch(
      /^transactions_completed_has_/,
    );
    expect(
      await refusalOf(`INSERT INTO transactions (${columns}, completed_at) ${select}, now() ${from}`, values),
    ).toBe(privilege);
  });

  test('can be locked, as a repeated completion does', async () => {
    const lock = 'SELECT transaction_id FROM transactions WHERE transaction_id = $1 FOR KEY SHARE';
    expect(await refusalOf(lock, [completedId])).toBe('accepted');
  });
});

describe('the history', () => {
  test.each(['transactions', 'events', 'users', 'supports', 'story_views'])(
    'in %s can be neither deleted nor truncated',
    async (table) => {
      const before = await contents();
      expect(await refusalOf(`DELETE FROM ${table}`)).toBe(privilege);
      expect(await refusalOf(`TRUNCATE ${table} CASCADE`)).toBe(privilege);
      expect(await contents()).toEqual(before);
    },
  );

  test.each([
    ['change an event', `UPDATE events SET type = 'contribution.completed'`],
    ['change the evidence of an event', `UPDATE events SET evidence = '{}'`],
    ['choose the time of an event', `INSERT INTO events (recorded_at) VALUES (now())`],
    ['read events', 'SELECT type FROM events'],
    ['give a user another hash', `UPDATE users SET user_hash = 'another'`],
    ['forget a user', 'UPDATE users SET user_hash = NULL, first_name = NULL, forgotten_at = now()'],
    ['move a support to another user', 'UPDATE supports SET user_id = user_id'],
  ])('the service cannot %s', async (_what, sql) => {
    expect(await refusalOf(sql)).toBe(privilege);
  });
});

describe("operators' data", () => {
  test('includes the HMAC of a secret, which the service may read to verify it', async () => {
    expect(await refusalOf(`SELECT secret_hmac FROM key_pairs WHERE api_key = 'revoked'`)).toBe('accepted');
  });

  test.each([
    ['replace a secret', `UPDATE key_pairs SET secret_hmac = secret_hmac`],
    ['undo a revocation', `UPDATE key_pairs SET revoked_at = NULL`],
    ['extend the expiry of a pair', `UPDATE key_pairs SET expires_at = NULL`],
    ['widen the scopes of a pair', `UPDATE key_pairs SET scopes = '{contributions:complete}'`],
    ['issue a pair', `INSERT INTO key_pairs (api_key) VALUES ('new')`],
    ['remove a pair', 'DELETE FROM key_pairs'],
    [
      'link a bank',
      'INSERT INTO bank_links (environment_id, bank_environment_id, kind) VALUES (1, 2, $$test$$)',
    ],
    ['end the link of a bank', 'UPDATE bank_links SET unlinked_at = now()'],
    ['void the link of a bank', 'UPDATE bank_links SET voided_at = now()'],
    ['create a company', `INSERT INTO companies (company_id, name) VALUES (gen_random_uuid(), 'B')`],
    ['end a suspension', 'UPDATE companies SET suspended_at = NULL'],
    ['add an environment', `INSERT INTO environments (kind) VALUES ('test')`],
    ['archive a project', `UPDATE projects SET status = 'archived'`],
    ['add a project', `INSERT INTO projects (project_name, project_image_url) VALUES ('B', '/b.svg')`],
    ['publish a story', `UPDATE stories SET status = 'published'`],
    ['remove a highlight', 'DELETE FROM project_highlights'],
    ['pretend that a migration is applied', `INSERT INTO knex_migrations (name) VALUES ('later')`],
    ['block migrations', 'UPDATE knex_migrations_lock SET is_locked = 1'],
  ])('the service cannot %s', async (_what, sql) => {
    expect(await refusalOf(sql)).toBe(privilege);
  });
});

describe('its own restrictions', () => {
  test.each([
    ['disable the guard', 'ALTER TABLE transactions DISABLE TRIGGER transactions_guard'],
    ['drop the guard', 'DROP TRIGGER transactions_guard ON transactions'],
    [
      'replace the guard',
      `CREATE OR REPLACE FUNCTION guard_transactions() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`,
    ],
    [
      'add a trigger',
      'CREATE TRIGGER another BEFORE UPDATE ON transactions FOR EACH ROW EXECUTE FUNCTION guard_transactions()',
    ],
    ['drop a constraint', 'ALTER TABLE transactions DROP CONSTRAINT transactions_amount_bounds'],
    ['add a column', 'ALTER TABLE transactions ADD COLUMN note text'],
    ['switch triggers off for its session', `SET session_replication_role = 'replica'`],
    ['create a table', 'CREATE TABLE another (id integer)'],
    ['create a function', `CREATE FUNCTION another() RETURNS integer LANGUAGE sql AS 'SELECT 1'`],
    ['create a schema', 'CREATE SCHEMA another'],
    ['hide a table behind a temporary one', 'CREATE TEMPORARY TABLE transactions (id integer)'],
    ['become the owner', `SET ROLE ${ownerRole}`],
    ['join the owner', `GRANT ${ownerRole} TO ${serviceRole}`],
    ['take over a table', `ALTER TABLE transactions OWNER TO ${serviceRole}`],
    ['grant itself more', `ALTER ROLE ${serviceRole} SUPERUSER`],
  ])('the service cannot %s', async (_what, sql) => {
    expect(await refusalOf(sql)).toBe(privilege);
  });

  test('a grant by the service has no effect', async () => {
    // PostgreSQL only warns about a grant without the right to grant.
    await refusalOf(`GRANT DELETE ON transactions TO ${serviceRole}`);
    await refusalOf(`GRANT SELECT ON transactions TO PUBLIC`);
    const { rows } = await database.admin.query(
      `SELECT grantee, table_name FROM information_schema.table_privileges WHERE table_schema = 'public' AND grantee IN ('PUBLIC', $1) ORDER BY table_name`,
      [serviceRole],
    );
    // From these the service deletes rows; DELETE is a privilege on a table, not on columns.
    expect(rows).toEqual(
      [
        ...[
          'account_numbers',
          'closed_months',
          'line_allocations',
          'line_exceptions',
          'line_outcomes',
          'project_figure_changes',
          'sandbox_requests',
        ],
        ...['statement_upload_chunks', 'statement_uploads'],
        ...['webhook_attempts', 'webhook_deliveries', 'webhook_endpoints'],
        ...['webhook_replays', 'webhook_retries'],
      ].map((name) => ({
        grantee: serviceRole,
        table_name: name,
      })),
    );
  });
});
