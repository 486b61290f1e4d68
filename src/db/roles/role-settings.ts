import { Client } from 'pg';

import type { Database } from '../pool/database';
import { migrationsApplicationName } from '../migrations/knex-config';
import {
  differingSettings,
  type SessionSettings,
  settingNames,
  superuserSettings,
} from '../session-settings';

/** Reads the settings in force on a connection of this database. */
export async function readSessionSettings(
  database: Pick<Database, 'runUnprepared'>,
): Promise<SessionSettings> {
  const rows = await database.runUnprepared<{ name: string; setting: string }>(
    'SELECT name, setting FROM pg_settings WHERE name = ANY ($1)',
    [settingNames],
  );
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
}

/** Describes the wrong settings and the solution. Undefined if the settings are as wanted. */
export function settingsProblem(wanted: SessionSettings, found: SessionSettings): string | undefined {
  const wrong = differingSettings(wanted, found);
  const unsafe = differingSettings(superuserSettings, found);
  const problems: string[] = [];
  if (wrong.length > 0) {
    problems.push(
      `On connections of DATABASE_URL, ${wrong.join(', ')}. Behind a pooler, set DATABASE_TIMEOUTS=role, run npm run migrate and make the pooler reconnect (PgBouncer: RECONNECT). See "Behind PgBouncer" in docs/operations/scale.md.`,
    );
  }
  if (unsafe.length > 0) {
    problems.push(
      `On connections of DATABASE_URL, ${unsafe.join(', ')}, so foreign keys and triggers do not protect the data. As a superuser, RESET it for the role and the database.`,
    );
  }
  return problems.length === 0 ? undefined : problems.join(' ');
}

/**
 * Stores settings for this address's role in this database. They take precedence over all other
 * defaults. Every later connection starts with them, also through a pooler, and on a
 * cluster also those between servers. A role may do this for itself.
 *
 * @param connectionString as the service connects
 * @returns the name of the role
 */
export async function setRoleSettings(connectionString: string, wanted: SessionSettings): Promise<string> {
  // Sends no settings, because the address may be a pooler's.
  const client = new Client({ connectionString, application_name: migrationsApplicationName });
  await client.connect();
  try {
    const { rows } = await client.query<{ role: string; query: string }>(
      `SELECT current_user AS role,
              format('ALTER ROLE CURRENT_USER IN DATABASE %I SET %I = %L', current_database(), name, value) AS query
         FROM unnest($1::text[], $2::text[]) AS settings (name, value)`,
      [Object.keys(wanted), Object.values(wanted)],
    );
    // Sent as one text, the queries are one transaction. With quote_all_identifiers, PostgreSQL
    // would store quotes in a search path.
    const queries = rows.map(({ query }) => query).join('; ');
    await client.query(`SET LOCAL quote_all_identifiers = off; ${queries}`);
    return rows[0]?.role ?? '';
  } finally {
    await client.end();
  }
}
