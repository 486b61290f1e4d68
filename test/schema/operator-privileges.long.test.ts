import { readFileSync } from 'node:fs';
import path from 'node:path';

import { Client } from 'pg';

import { sessionConfig } from '../../src/db/session-settings';
import { operatorRole } from '../../src/db/roles/roles';
import { operatorSettings } from '../support/operator-commands';
import { root, temporaryFolder } from '../support/program';
import { operatorLogin } from '../support/role-url';
import { startService, type TestService } from '../support/service';
import { commandNames, createActivity, runEveryCommand } from './every-command';

/**
 * Runs every command as an operator's login. The role has exactly the privileges that the commands
 * need.
 */
let service: TestService;
let folder: ReturnType<typeof temporaryFolder>;
let admin: Client;
/** The queries that the operator's connections have sent. */
const queries = new Set<string>();
let ran: ReadonlySet<string>;

/** Queries from the runbooks that an operator runs by hand. */
function addRunbookStatements(): void {
  const runbook = readFileSync(path.join(root, 'docs/operations/alerts.md'), 'utf8');
  for (const [, sql = ''] of runbook.matchAll(/^```sql\n(.*?)^```/gms)) {
    for (const query of sql.split(/;$/m)) if (query.trim() !== '') queries.add(query.trim());
  }
}

function recordStatements(): void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called below on the client that was meant
  const original = Client.prototype.query as (...parameters: unknown[]) => unknown;
  jest.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...parameters: unknown[]) {
    const [query] = parameters as [string | { text?: string }];
    const text = typeof query === 'string' ? query : query.text;
    if (this.user === operatorLogin && text !== undefined) queries.add(text);
    return original.apply(this, parameters) as never;
  });
}

beforeAll(async () => {
  service = await startService();
  folder = temporaryFolder();
  const activity = await createActivity(service);
  recordStatements();
  try {
    const settings = { ...operatorSettings(service.database), DATA_DIRECTORY: folder.path };
    ran = await runEveryCommand(settings, folder.path, activity);
  } finally {
    jest.restoreAllMocks();
  }
  addRunbookStatements();
  admin = new Client(sessionConfig({ connectionString: service.database.adminUrl }));
  await admin.connect();
  // A custom plan would remove branches that NULL parameters make unreachable.
  await admin.query(`SET plan_cache_mode = 'force_generic_plan'`);
});
afterAll(async () => {
  await admin.end();
  folder.remove();
  await service.stop();
});

test('every command runs as an operator', () => {
  expect([...ran].sort()).toEqual(commandNames().sort());
});

/**
 * Whether the role may run it. PostgreSQL checks privileges when execution of a plan starts, and
 * EXPLAIN starts it.
 */
async function mayRun(text: string): Promise<boolean> {
  await admin.query('SAVEPOINT attempt');
  try {
    if (text.startsWith('LOCK')) {
      await admin.query(text);
      return true;
    }
    await admin.query(`PREPARE attempt AS ${text}`);
    const { rows } = await admin.query<{ parameters: number }>(
      `SELECT cardinality(parameter_types) AS parameters FROM pg_prepared_statements WHERE name = 'attempt'`,
    );
    const nulls = Array.from({ length: rows[0]!.parameters }, () => 'NULL').join(', ');
    await admin.query(`EXPLAIN EXECUTE attempt${nulls === '' ? '' : `(${nulls})`}`);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error;
    return false;
  } finally {
    await admin.query('ROLLBACK TO SAVEPOINT attempt');
    await admin.query('DEALLOCATE ALL');
  }
}

interface Granted {
  object: string;
  /** For example "UPDATE (status) ON companies". */
  privilege: string;
}

async function readGranted(): Promise<Granted[]> {
  const { rows } = await admin.query<Granted>(
    `SELECT c.relname AS object, format('%s ON %I', a.privilege_type, c.relname) AS privilege
       FROM pg_class c, aclexplode(c.relacl) a
      WHERE c.relnamespace = 'public'::regnamespace AND a.grantee = $1::regrole
     UNION ALL
     SELECT c.relname, format('%s (%I) ON %I', a.privilege_type, t.attname, c.relname)
       FROM pg_attribute t JOIN pg_class c ON c.oid = t.attrelid, aclexplode(t.attacl) a
      WHERE c.relnamespace = 'public'::regnamespace AND a.grantee = $1::regrole
     UNION ALL
     SELECT p.proname, format('%s ON FUNCTION %s', a.privilege_type, p.oid::regprocedure)
       FROM pg_proc p, aclexplode(p.proacl) a
      WHERE p.pronamespace = 'public'::regnamespace AND a.grantee = $1::regrole`,
    [operatorRole],
  );
  return rows;
}

/**
 * On a Citus cluster only: `wait_for_contribution_writers` calls the first one on every node, as
 * the caller, and lists of contributions need the second one.
 */
const neededOnCitus = [
  'EXECUTE ON FUNCTION contribution_writers()',
  'EXECUTE ON FUNCTION visibility_horizon_of(integer)',
];

/** The texts of the functions that run with the privileges of the operator who calls them. */
async function readFunctions(): Promise<string[]> {
  const { rows } = await admin.query<{ text: string }>(
    `SELECT p.prosrc AS text FROM pg_proc p, aclexplode(p.proacl) a
      WHERE p.pronamespace = 'public'::regnamespace AND a.grantee = $1::regrole AND NOT p.prosecdef`,
    [operatorRole],
  );
  return rows.map(({ text }) => text);
}

/** EXPLAIN does not start the statements of a function, so their texts are searched. */
function isUsedIn(text: string, privilege: string): boolean {
  const [, called] = /^EXECUTE ON FUNCTION (\w+)/.exec(privilege) ?? [];
  const [, verb = '', column = '', table = ''] = /^(\w+) (?:\((\w+)\) )?ON (\w+)$/.exec(privilege) ?? [];
  const words = { SELECT: 'FROM', INSERT: 'INSERT INTO', UPDATE: 'UPDATE', DELETE: 'DELETE FROM' }[verb];
  return called ? text.includes(`${called}(_`) : text.includes(`${words} ${table}`) && text.includes(column);
}

test('every privilege is needed: without it some statement of the commands fails', async () => {
  const functions = await readFunctions();
  const granted = await readGranted();
  expect(granted.length).toBeGreaterThan(40);
  const tried = [...queries].filter((text) => /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE|LOCK)\b/.test(text));
  const needless: string[] = [];
  for (const { object, privilege } of granted) {
    await admin.query('BEGIN');
    await admin.query(`REVOKE ${privilege} FROM ${operatorRole}`);
    await admin.query(`SET LOCAL ROLE ${operatorRole}`);
    let isNeeded = functions.some((text) => isUsedIn(text, privilege));
    for (const text of tried) if (!isNeeded && text.includes(object)) isNeeded = !(await mayRun(text));
    await admin.query('ROLLBACK');
    if (!isNeeded) needless.push(privilege);
  }
  expect(needless).toEqual(neededOnCitus);
});

test('no privilege can be granted further, and no other role may record actions', async () => {
  const { rows } = await admin.query(
    `SELECT has_function_privilege('contribution_service', p.oid, 'EXECUTE') AS service,
            EXISTS (SELECT FROM aclexplode(p.proacl) a WHERE a.grantee = 0 OR (a.is_grantable AND a.grantee = $1::regrole)) AS others
       FROM pg_proc p WHERE p.proname IN ('record_operator_action', 'operator_action_hash')`,
    [operatorRole],
  );
  expect(rows).toEqual(Array.from({ length: 2 }, () => ({ service: false, others: false })));
});

test.each([
  ...['operator_actions', 'events', 'transactions'].flatMap((table) => [
    `DELETE FROM ${table}`,
    `TRUNCATE ${table} CASCADE`,
    `ALTER TABLE ${table} DISABLE TRIGGER ALL`,
    `DROP TABLE ${table} CASCADE`,
  ]),
  `UPDATE operator_actions SET claimed_operator = 'nobody'`,
  `UPDATE operator_actions SET hash = sha256(hash)`,
  `INSERT INTO operator_actions SELECT * FROM operator_actions`,
  `UPDATE events SET evidence = '{}'`,
  `INSERT INTO events SELECT * FROM events`,
  `UPDATE transactions SET status = 'completed'`,
  `UPDATE transactions SET amount_cents = 1`,
  `INSERT INTO transactions (environment_id) VALUES (1)`,
  `UPDATE project_figure_changes SET amount_cents = 1`,
  `SELECT secret_hmac FROM key_pairs`,
  `UPDATE key_pairs SET secret_hmac = sha256('')`,
  `DELETE FROM key_pairs`,
  `DELETE FROM companies`,
  `DELETE FROM users`,
  `CREATE TABLE mine ()`,
  `CREATE TEMPORARY TABLE operator_actions ()`,
  `SET ROLE contribution_owner`,
  `SET SESSION AUTHORIZATION contribution_owner`,
  `SET session_replication_role = replica`,
  `BEGIN; LOCK TABLE operator_actions IN SHARE ROW EXCLUSIVE MODE`,
  `CREATE OR REPLACE FUNCTION record_operator_action(uuid, text, text, text, jsonb, jsonb) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'`,
])('an operator may not: %s', async (text) => {
  const operator = new Client(sessionConfig({ connectionString: service.database.operatorUrl }));
  await operator.connect();
  try {
    await expect(operator.query(text)).rejects.toMatchObject({ code: '42501' });
  } finally {
    await operator.end();
  }
});
