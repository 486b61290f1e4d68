import { setTimeout as delay } from 'node:timers/promises';

import knex, { type Knex } from 'knex';
import type { Client } from 'pg';

import { isDirect, isRejectedByPooler } from '../pool/direct';
import { encodingProblem } from '../session-settings';
import { createKnexConfig } from './knex-config';
import { MigrationError } from './migration-error';
import type { SchemaFile } from './schema-files';

export interface MigratorOptions {
  /** A direct address of the server, not a pooler's, for the role that owns the schema. */
  connectionString: string;
  /**
   * The longest that one query of a migration waits for a lock, from 10 to 1000. Other
   * queries on the same table queue behind it.
   */
  lockTimeoutMs?: number;
  /** The most attempts for each migration, and for the lock of the whole run. */
  attempts?: number;
  /** Called with a line for each failed attempt and each finished migration. */
  onProgress?: (line: string) => void;
  /** Replaces the program's migrations, for tests. Without `files`, it then applies no files. */
  migrations?: Knex.MigratorConfig;
  /** Replaces the program's functions and privileges, for tests. */
  files?: readonly SchemaFile[];
}

export const defaultLockTimeoutMs = 100;
export const defaultAttempts = 60;

/** The key of the advisory lock that a run holds for its whole session. The number is arbitrary. */
const migrationsLock = 7_266_422;

const initialPauseMs = 100;
const maxPauseMs = 2_000;
/** Exponential backoff. */
export const pauseMs = (attempt: number): number => Math.min(maxPauseMs, initialPauseMs * 2 ** (attempt - 1));

class LockedByAnotherRun extends Error {}

const silent: Knex.Logger = {
  warn: () => undefined,
  error: () => undefined,
  deprecate: () => undefined,
  debug: () => undefined,
};

const notThroughPooler =
  'Migrations need a direct connection to the server, not through a pooler. Set DATABASE_OWNER_URL to a direct address of the server.';

/**
 * Prepares a connection for migrations. It must be direct, and it holds the lock until it closes.
 *
 * @throws MigrationError for a connection through a pooler, and for another encoding than UTF8
 */
async function prepareConnection(client: Client, lockTimeoutMs: number): Promise<void> {
  if (!(await isDirect(client))) throw new MigrationError(notThroughPooler);
  const { rows } = await client.query<{ encoding: string; locked: boolean }>(
    `SELECT current_setting('server_encoding') AS encoding,
            pg_try_advisory_lock(${migrationsLock}) AS locked, set_config('lock_timeout', $1, false),
            -- PostgreSQL 17 and newer have this limit.
            (SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout')`,
    [`${lockTimeoutMs}ms`],
  );
  const problem = encodingProblem(rows[0]?.encoding);
  if (problem !== undefined) throw new MigrationError(problem);
  if (rows[0]?.locked !== true) throw new LockedByAnotherRun();
}

/**
 * Runs `work` on a Knex with one connection, which holds the lock: no other process migrates this
 * database meanwhile.
 *
 * @throws MigrationError when another process holds the lock during all attempts, and for a
 *   connection through a pooler
 */
export async function withMigrator<T>(
  options: MigratorOptions,
  work: (database: Knex) => Promise<T>,
): Promise<T> {
  const { connectionString, lockTimeoutMs = defaultLockTimeoutMs } = options;
  const database = knex({
    ...createKnexConfig(connectionString),
    // One connection holds the lock and does all work, so neither outlives the other.
    pool: {
      min: 0,
      max: 1,
      afterCreate: (client: Client, done: (error: Error | undefined, client: Client) => void) => {
        prepareConnection(client, lockTimeoutMs).then(
          () => {
            done(undefined, client);
          },
          (error: unknown) => {
            // The pool drops a connection that fails here without closing it.
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

/** Opens the connection that holds the lock of the whole run. */
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
          `Another process is migrating this database and did not finish within ${attempt} attempts. Nothing was changed.`,
        );
      }
      if (attempt === 1) onProgress('waiting: another process is migrating this database');
      await delay(pauseMs(attempt));
    }
  }
}

/**
 * Removes the lock row of Knex that a killed run left behind. Only the run with the advisory lock
 * can hold that row.
 */
async function freeStaleLock(
  { migrations, onProgress = () => undefined }: MigratorOptions,
  database: Knex,
): Promise<void> {
  const table = `${migrations?.tableName ?? 'knex_migrations'}_lock`;
  if (!(await database.schema.hasTable(table))) return;
  const locked: unknown = await database(table).where({ is_locked: 1 }).first('is_locked');
  if (locked === undefined) return;
  onProgress('removing the lock of an earlier run that was killed');
  await database.migrate.forceFreeMigrationsLock(migrations);
}

export const unknownMigrations = (names: string, cause?: unknown): MigrationError =>
  new MigrationError(
    `The database has migrations that this version does not know: ${names}. Use the version that includes them.`,
    { cause },
  );

function explain(error: unknown): unknown {
  if (isRejectedByPooler(error)) return new MigrationError(notThroughPooler, { cause: error });
  if (error instanceof Error && error.message.startsWith('The migration directory is corrupt')) {
    const [, names = ''] = /missing: (.*)$/s.exec(error.message) ?? [];
    return unknownMigrations(names, error);
  }
  return error;
}
