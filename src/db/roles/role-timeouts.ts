import { Client } from 'pg';

import type { Database } from '../pool/database';
import { migrationsApplicationName } from '../migrations/knex-config';

/** PostgreSQL's own limits for a session of the service, in milliseconds. 0: no limit. */
export interface Timeouts {
  statementMs: number;
  lockMs: number;
  idleInTransactionMs: number;
}

const names = {
  statementMs: 'statement_timeout',
  lockMs: 'lock_timeout',
  idleInTransactionMs: 'idle_in_transaction_session_timeout',
} as const;
const limits = Object.keys(names) as (keyof Timeouts)[];

/** Reads the limits in force on a connection of this database. */
export async function readTimeouts(database: Database): Promise<Timeouts> {
  const rows = await database.runUnprepared<{ name: string; setting: string }>(
    'SELECT name, setting FROM pg_settings WHERE name = ANY ($1)',
    [Object.values(names)],
  );
  const of = (name: string): number => Number(rows.find((row) => row.name === name)?.setting ?? 0);
  return {
    statementMs: of(names.statementMs),
    lockMs: of(names.lockMs),
    idleInTransactionMs: of(names.idleInTransactionMs),
  };
}

/** Describes the wrong limits and the solution. Undefined if the limits are as configured. */
export function timeoutsProblem(wanted: Timeouts, found: Timeouts): string | undefined {
  const wrong = limits.filter((limit) => wanted[limit] !== found[limit]);
  if (wrong.length === 0) return undefined;
  const words = wrong.map((limit) => `${names[limit]} is ${found[limit]} ms instead of ${wanted[limit]} ms`);
  return `On connections of DATABASE_URL, ${words.join(', ')}. With DATABASE_TIMEOUTS=role, run npm run migrate and make the pooler reconnect (PgBouncer: RECONNECT). See "Behind PgBouncer" in docs/operations/scale.md.`;
}

/**
 * Stores the limits as settings of this address's role in this database. Every later connection
 * starts with them, also through a pooler. A role may do this for itself.
 *
 * @param connectionString as the service connects
 * @returns the name of the role
 */
export async function setRoleTimeouts(connectionString: string, wanted: Timeouts): Promise<string> {
  const client = new Client({ connectionString, application_name: migrationsApplicationName });
  await client.connect();
  try {
    const { rows } = await client.query<{ role: string; statement: string }>(
      `SELECT current_user AS role,
              format('ALTER ROLE CURRENT_USER IN DATABASE %I SET %I = %L', current_database(), name, milliseconds || 'ms') AS statement
         FROM unnest($1::text[], $2::text[]) AS limits (name, milliseconds)`,
      [limits.map((limit) => names[limit]), limits.map((limit) => String(wanted[limit]))],
    );
    // Sent as one text, the statements are one transaction.
    await client.query(rows.map(({ statement }) => statement).join('; '));
    return rows[0]?.role ?? '';
  } finally {
    await client.end();
  }
}
