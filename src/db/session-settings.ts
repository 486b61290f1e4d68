import type { ClientConfig } from 'pg';

import { pgOptions } from './pg-variables';

/** Settings of a PostgreSQL session, by name. The values are as `pg_settings` shows them. */
export type SessionSettings = Readonly<Record<string, string>>;

/**
 * Every setting of a session that the program depends on, apart from its time limits. No default of
 * the server, the database, the login or the address replaces them.
 *
 * - Connections to the server itself send them when they open: {@link sessionConfig}.
 * - The operator's commands set them for their transaction, also through a pooler:
 *   {@link setLocally}.
 * - Through a pooler and on a cluster, they are settings of the role:
 *   `db/roles/role-settings.ts`.
 */
export const sessionSettings = {
  // The form of values as text.
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  // The meaning of queries.
  array_nulls: 'on',
  check_function_bodies: 'on',
  quote_all_identifiers: 'off',
  search_path: 'public',
  standard_conforming_strings: 'on',
  // Transactions. A confirmed contribution is on disk, and on the standby.
  default_transaction_deferrable: 'off',
  default_transaction_isolation: 'read committed',
  synchronous_commit: 'on',
  // A query that fails leaves the connection usable.
  exit_on_error: 'off',
  // Warnings of a commit that was not replicated.
  client_min_messages: 'notice',
  // Idle connections stay in the pool.
  idle_session_timeout: '0',
} as const satisfies SessionSettings;

/** Only a superuser may set it. Another value disables foreign keys and triggers. */
export const superuserSettings = { session_replication_role: 'origin' } as const satisfies SessionSettings;

/** The settings that the program needs but does not set. `doctor` checks them. */
export const unsetSettings = {
  ...superuserSettings,
  // Set by administrators, and by providers before the disk is full, to stop all writes.
  default_transaction_read_only: 'off',
  // Older versions than PostgreSQL 17 reject a connection that sends it.
  transaction_timeout: '0',
} as const satisfies SessionSettings;

/**
 * Why the program cannot use a database with this `server_encoding`; undefined if it can, or
 * if the encoding was not found. With another encoding than UTF8, PostgreSQL rejects or miscounts
 * letters.
 */
export const encodingProblem = (encoding: string | undefined): string | undefined =>
  encoding === undefined || encoding === 'UTF8'
    ? undefined
    : `The encoding of the database is ${encoding} and cannot be changed, so create a new database with ENCODING 'UTF8' TEMPLATE template0: see "What it needs" in docs/operations/install.md.`;

/** PostgreSQL's own limits for a session of the service, in milliseconds. 0: no limit. */
export interface Timeouts {
  statementMs: number;
  lockMs: number;
  idleInTransactionMs: number;
}

export const limitsOf = ({ statementMs, lockMs, idleInTransactionMs }: Timeouts): SessionSettings => ({
  statement_timeout: String(statementMs),
  lock_timeout: String(lockMs),
  idle_in_transaction_session_timeout: String(idleInTransactionMs),
});

/** The settings of each session of the service. */
export const serviceSettings = (timeouts: Timeouts): SessionSettings => ({
  ...sessionSettings,
  ...limitsOf(timeouts),
});

/** The names of all settings whose value in a session matters. */
export const settingNames = Object.keys({
  ...serviceSettings({ statementMs: 0, lockMs: 0, idleInTransactionMs: 0 }),
  ...superuserSettings,
});

const noLimits = limitsOf({ statementMs: 0, lockMs: 0, idleInTransactionMs: 0 });

/**
 * Makes pg send the session settings when it connects. They replace those of the address and of
 * PGOPTIONS. A pooler rejects or ignores them.
 *
 * @param more further settings, such as limits. Without them, the session has no time limits
 */
export function sessionConfig<Config extends ClientConfig>(
  config: Config & { connectionString: string },
  more: SessionSettings = {},
): Config & { connectionString: string } {
  // pg uses the last of several values, and prefers the address to `options`. The rest of the
  // address stays as it is, because pg also reads addresses that are not valid URLs.
  let given = pgOptions();
  const connectionString = config.connectionString.replace(/([?&])options=[^&]*/g, (parameter, before) => {
    given = new URLSearchParams(parameter.slice(1)).get('options') ?? '';
    return before === '?' ? '?' : '';
  });
  // PostgreSQL uses the last value of each setting.
  const options = `${given} ${asOptions({ ...sessionSettings, ...noLimits, ...more })}`.trim();
  return { ...config, connectionString, options };
}

/** As PostgreSQL's command line, in which a backslash keeps a space in a value. */
const asOptions = (settings: SessionSettings): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
    .join(' ');

const localQueries = (settings: SessionSettings): string[] =>
  Object.entries(settings).map(([name, value]) => `SET LOCAL ${name} = '${value}'`);

/** Begins a transaction that only reads, and that has these settings until its end. */
export const beginReadOnly = (settings: SessionSettings): string =>
  ['BEGIN READ ONLY', ...localQueries(settings)].join('; ');

/** The queries that set the session settings until the end of the transaction. */
export const setLocally = (more: SessionSettings): string =>
  localQueries({ ...sessionSettings, ...more })
    // PostgreSQL 17 and newer have this limit.
    .concat("SELECT set_config(name, '0', true) FROM pg_settings WHERE name = 'transaction_timeout'")
    .join('; ');

/** Each setting with another value than the wanted one. Leaves out a setting that was not found. */
export const differingSettings = (wanted: SessionSettings, found: SessionSettings): string[] =>
  Object.entries(wanted)
    .filter(([name, value]) => found[name] !== undefined && found[name] !== value)
    .map(([name, value]) => {
      const unit = name.endsWith('_timeout') ? ' ms' : '';
      return `${name} is ${found[name]}${unit} instead of ${value}${unit}`;
    });
