import { setTimeout as delay } from 'node:timers/promises';

import knex, { type Knex } from 'knex';
import type { Client } from 'pg';

import { isDirect } from '../pool/direct';
import { createKnexConfig, migrationsApplicationName } from './knex-config';

export interface MigratorOptions {
  /** Of the role that owns the schema, to the server itself. */
  connectionString: string;
  /**
   * How long one statement of a migration waits for a lock, 10–1000: everybody who comes after it
   * waits behind it.
   */
  lockTimeoutMs?: number;
  /** How often a migration, and the lock of the whole run, is tried before it is given up. */
  attempts?: number;
  /** Told a line for each attempt that failed and each migration that is done. */
  onProgress?: (line: string) => void;
  /** Other migrations than the program's own, for tests. */
  migrations?: Knex.MigratorConfig;
}

export const defaultLockTimeoutMs = 100;
export const defaultAttempts = 60;

/** A run that ended before it was done, in words for an operator. */
export class MigrationError extends Error {}

/**
 * Any number of this program's own: whoever migrates a database holds this advisory lock in it, for
 * the whole session.
 */
const migrationsLock = 7_266_422;

const shortestPauseMs = 100;
const longestPauseMs = 2_000;
/**
 * Doubles from attempt to attempt: a short transaction is outwaited soon, a long one is not asked
 * after all the time.
 */
export const pauseMs = (attempt: number): number =>
  Math.min(longestPauseMs, shortestPauseMs * 2 ** (attempt - 1));

class LockedByAnotherRun extends Error {}

const silent: Knex.Logger = {
  warn: () => undefined,
  error: () => undefined,
  deprecate: () => undefined,
  debug: () => undefined,
};

/**
 * Makes a connection fit for migrating: it goes to the server, and holds the lock for as long as it
 * lives.
 */
async function prepareConnection(client: Client, lockTimeoutMs: number): Promise<void> {
  if (!(await isDirect(client))) {
    throw new MigrationError(
      'Migrations need a connection to the server itself, not through a pooler: set DATABASE_OWNER_URL to it.',
    );
  }
  const { rows } = await client.query<{ locked: boolean }>(
    // Read committed, whatever the server's default: what others commit before a lock is granted
    // must be visible after it.
    `SELECT pg_try_advisory_lock(${migrationsLock}) AS locked, set_config('lock_timeout', $1, false),
            set_config('default_transaction_isolation', 'read committed', false)`,
    [`${lockTimeoutMs}ms`],
  );
  if (rows[0]?.locked !== true) throw new LockedByAnotherRun();
}

/**
 * Runs work on a Knex that is the only one to migrate this database: it has one connection, which
 * holds the lock.
 *
 * @throws MigrationError when somebody else holds the lock for longer than the attempts take, and
 *   for a pooler in between
 */
export async function withMigrator<T>(
  options: MigratorOptions,
  work: (database: Knex) => Promise<T>,
): Promise<T> {
  const { connectionString, lockTimeoutMs = defaultLockTimeoutMs } = options;
  const database = knex({
    ...createKnexConfig(connectionString),
    // One connection, on which the lock is held and everything done: neither can outlive the other.
    pool: {
      min: 0,
      max: 1,
      afterCreate: (client: Client, done: (error: Error | undefined, client: Client) => void) => {
        prepareConnection(client, lockTimeoutMs).then(
          () => {
            done(undefined, client);
          },
          (error: unknown) => {
            // The pool forgets a connection that was never fit for use, without closing it.
            void client.end().catch(() => undefined);
            done(error as Error, client);
          },
        );
      },
    },
    log: silent,
  });
  try {
    await takeLock(options, database);
    await freeStaleLock(options, database);
    return await work(database);
  } catch (error) {
    throw explain(error);
  } finally {
    await database.destroy();
  }
}

/** Takes the lock of the whole run by making the connection that holds it. */
async function takeLock(
  { attempts = defaultAttempts, onProgress = () => undefined }: MigratorOptions,
  database: Knex,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await database.raw('SELECT');
      return;
    } catch (error) {
      if (!(error instanceof LockedByAnotherRun)) throw error;
      if (attempt >= attempts) {
        throw new MigrationError(
          `Somebody else migrates this database, and was not done in ${attempt} attempts. Nothing was done.`,
        );
      }
      if (attempt === 1) onProgress('waiting: somebody else migrates this database');
      await delay(pauseMs(attempt));
    }
  }
}

/**
 * Knex has a lock of its own, a row, which a run that was killed leaves behind. Nobody who takes
 * the advisory lock holds it now; somebody with an earlier version of this program might.
 */
async function freeStaleLock(
  { migrations, onProgress = () => undefined }: MigratorOptions,
  database: Knex,
): Promise<void> {
  const table = `${migrations?.tableName ?? 'knex_migrations'}_lock`;
  if (!(await database.schema.hasTable(table))) return;
  const locked: unknown = await database(table).where({ is_locked: 1 }).first('is_locked');
  if (locked === undefined) return;
  const other = await otherRun(database);
  if (other !== undefined) {
    throw new MigrationError(
      `Process ${other} of the server migrates this database with another version of this program. Nothing was done.`,
    );
  }
  onProgress('an earlier run was killed and has left its lock; it is taken away');
  await database.migrate.forceFreeMigrationsLock(migrations);
}

async function otherRun(database: Knex): Promise<number | undefined> {
  const { rows } = await database.raw<{ rows: { pid: number }[] }>(
    `SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = ? AND pid <> pg_backend_pid()`,
    [migrationsApplicationName],
  );
  return rows[0]?.pid;
}

function explain(error: unknown): unknown {
  if (error instanceof Error && error.message.startsWith('The migration directory is corrupt')) {
    const [, names = ''] = /missing: (.*)$/s.exec(error.message) ?? [];
    return new MigrationError(
      `The database has migrations that this version does not know: ${names}. Use the version that brought them.`,
      { cause: error },
    );
  }
  return error;
}
