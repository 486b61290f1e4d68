import { setTimeout as delay } from 'node:timers/promises';

import type { Knex } from 'knex';

import { type ClusterMigrations, prepareCluster } from '../cluster';
import { checkRoles } from '../roles/required-roles';
import { applyFiles } from './apply-files';
import { type AllowedLosses, guardAgainstLoss } from './data-loss';
import { MigrationError } from './migration-error';
import {
  defaultAttempts,
  type MigratorOptions,
  pauseMs,
  unknownMigrations,
  withMigrator,
} from './migration-session';
import { checkSyntax, isLockFailure } from './run-file';
import { appliedFiles, type SchemaFile } from './schema-files';

/** What a run of {@link migrateUp} changed. */
export interface Migrated {
  /** The names of the applied migrations, in order. */
  migrations: string[];
  /** The paths of the applied files of `database/`. */
  files: string[];
}

/**
 * Applies the missing migrations in order, each in its own transaction unless its `config` says
 * otherwise. It then applies the functions and privileges that differ from their files, all in one
 * transaction. On a cluster, it also distributes the tables that are not distributed yet, and
 * repairs the privileges of functions on servers that were added.
 *
 * @throws MigrationError when a step cannot get a lock, or a file has an error. The step is rolled
 *   back; earlier ones remain. A syntax error is found before the first step
 */
export function migrateUp(options: MigratorOptions): Promise<Migrated> {
  return withMigrator(options, async (database) => {
    const { files = options.migrations ? [] : appliedFiles() } = options;
    const cluster = await prepareCluster(database);
    if (files.length > 0) await checkRoles(database);
    const migrations: string[] = [];
    for (;;) {
      const next = await nextUp(database, options.migrations);
      if (next === undefined) break;
      if (migrations.length === 0) await checkFiles(options, database, files);
      await retryOnLockFailure(options, database, next, () => database.migrate.up(options.migrations));
      migrations.push(next.name);
    }
    // The triggers must exist first: a table that is distributed keeps all of them, but some cannot
    // be added to a distributed table.
    const applied = await applyAll(options, database, files, cluster);
    if (cluster) {
      await distributeTables(options, database, cluster);
      await applyAll(options, database, files, cluster);
      for (const line of await cluster.closeFunctions(database)) options.onProgress?.(line);
    }
    return { migrations, files: applied };
  });
}

/** The run must not apply migrations and then fail on a file that PostgreSQL cannot parse. */
async function checkFiles(
  options: MigratorOptions,
  database: Knex,
  files: readonly SchemaFile[],
): Promise<void> {
  const step = { name: 'syntax of functions', isInTransaction: true, isQuiet: true };
  await retryOnLockFailure(options, database, step, async () => {
    const transaction = await database.transaction();
    await checkSyntax(transaction, files).finally(() => transaction.rollback());
  });
}

async function applyAll(
  options: MigratorOptions,
  database: Knex,
  files: readonly SchemaFile[],
  cluster: ClusterMigrations | undefined,
): Promise<string[]> {
  if (files.length === 0) return [];
  let applied: string[] = [];
  await retryOnLockFailure(
    options,
    database,
    { name: 'functions and privileges', isInTransaction: true, isQuiet: true },
    async () => {
      const result = await database.transaction((transaction) => applyFiles(transaction, files, cluster));
      applied = result.files;
      for (const line of result.lines) options.onProgress?.(line);
    },
  );
  return applied;
}

async function distributeTables(
  options: MigratorOptions,
  database: Knex,
  cluster: ClusterMigrations,
): Promise<void> {
  const step = { name: 'distribution', isInTransaction: true };
  await retryOnLockFailure(options, database, step, async () => {
    for (const line of await cluster.distribute(database)) options.onProgress?.(line);
  });
}

/**
 * Reverts the last migration.
 *
 * @param allowedLosses the data that it may drop (default: none)
 * @returns the name of the migration; undefined when none is applied
 * @throws DataLoss when it would drop other data, and MigrationError when it cannot get a lock.
 *   Nothing was changed then
 */
export function migrateDown(
  options: MigratorOptions,
  allowedLosses: AllowedLosses = new Set(),
): Promise<string | undefined> {
  return withMigrator(options, async (database) => {
    await prepareCluster(database);
    const [applied] = await list(database, options.migrations);
    const last = applied.at(-1);
    if (last === undefined) return undefined;
    await retryOnLockFailure(options, database, await load(database, options.migrations, last), async () =>
      database.migrate.down({
        ...options.migrations,
        migrationSource: guarded(sourceOf(database, options.migrations), allowedLosses),
      }),
    );
    return last;
  });
}

interface Step {
  name: string;
  /** Whether PostgreSQL rolls all of it back on failure. */
  isInTransaction: boolean;
  /** Whether the run reports only attempts that failed. */
  isQuiet?: boolean;
}

type MigrationList = [applied: { name: string }[], missing: unknown[]];

const sourceOf = (database: Knex, config: Knex.MigratorConfig | undefined): Knex.MigrationSource<unknown> =>
  (config?.migrationSource ??
    (database.client as Knex.Client).config.migrations?.migrationSource) as Knex.MigrationSource<unknown>;

function guarded(
  source: Knex.MigrationSource<unknown>,
  allowedLosses: AllowedLosses,
): Knex.MigrationSource<unknown> {
  if (allowedLosses === 'everything') return source;
  return {
    getMigrations: (extensions) => source.getMigrations(extensions),
    getMigrationName: (entry) => source.getMigrationName(entry),
    getMigration: async (entry) => {
      const migration = await source.getMigration(entry);
      return isInTransaction(migration)
        ? guardAgainstLoss(source.getMigrationName(entry), migration, allowedLosses)
        : migration;
    },
  };
}

async function list(
  database: Knex,
  config: Knex.MigratorConfig | undefined,
): Promise<[applied: string[], missing: string[]]> {
  const [applied, missing] = (await database.migrate.list(config)) as MigrationList;
  const source = sourceOf(database, config);
  return [applied.map(({ name }) => name), missing.map((entry) => source.getMigrationName(entry))];
}

async function load(database: Knex, config: Knex.MigratorConfig | undefined, name: string): Promise<Step> {
  const source = sourceOf(database, config);
  const all = await source.getMigrations([]);
  const found = all.find((entry) => source.getMigrationName(entry) === name);
  if (found === undefined) throw unknownMigrations(name);
  return { name, isInTransaction: isInTransaction(await source.getMigration(found)) };
}

/** Knex runs a migration in a transaction unless its `config` says otherwise. */
export function isInTransaction(migration: Knex.Migration & { config?: { transaction?: boolean } }): boolean {
  return migration.config?.transaction !== false;
}

async function nextUp(database: Knex, config: Knex.MigratorConfig | undefined): Promise<Step | undefined> {
  const [, [name]] = await list(database, config);
  return name === undefined ? undefined : load(database, config, name);
}

/**
 * Repeats a step until it gets its locks. This is safe, because a failed transaction changed
 * nothing.
 *
 * @throws MigrationError after the last attempt, and for a step without a transaction
 */
async function retryOnLockFailure(
  { attempts = defaultAttempts, onProgress = () => undefined }: MigratorOptions,
  database: Knex,
  { name, isInTransaction, isQuiet = false }: Step,
  step: () => Promise<unknown>,
): Promise<void> {
  const startedAt = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    try {
      await step();
      if (!isQuiet)
        onProgress(`${name}: done in ${Math.round(performance.now() - startedAt)} ms, attempt ${attempt}`);
      return;
    } catch (error) {
      if (!isLockFailure(error)) throw error;
      if (!isInTransaction) {
        throw new MigrationError(
          `${name}: did not get a lock. It runs without a transaction, so check what it already changed before you run it again.`,
          { cause: error },
        );
      }
      const holder = await oldestTransaction(database);
      if (attempt >= attempts) {
        throw new MigrationError(
          `${name}: did not get a lock in ${attempt} attempts and changed nothing; ${holder}. Run it again when that transaction has ended.`,
          { cause: error },
        );
      }
      onProgress(`${name}: did not get a lock, attempt ${attempt} of ${attempts}; ${holder}`);
      await delay(pauseMs(attempt));
    }
  }
}

/**
 * The transaction that most likely holds the lock, as a clause for a message. PostgreSQL shows
 * other roles' transactions only to privileged roles.
 */
async function oldestTransaction(database: Knex): Promise<string> {
  const { rows } = await database.raw<{ rows: { pid: number; name: string; seconds: number }[] }>(
    `SELECT pid, COALESCE(NULLIF(application_name, ''), usename, '') AS name,
            extract(epoch FROM clock_timestamp() - xact_start)::int AS seconds
       FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
      ORDER BY xact_start LIMIT 1`,
  );
  const [oldest] = rows;
  return oldest
    ? `the oldest transaction belongs to process ${oldest.pid} (${oldest.name}) and is ${oldest.seconds} s old`
    : 'this role cannot see the transaction that holds the lock';
}
