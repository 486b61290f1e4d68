import { setTimeout as delay } from 'node:timers/promises';

import type { Knex } from 'knex';

import { guardAgainstLoss, type LossAgreement } from './data-loss';
import {
  defaultAttempts,
  MigrationError,
  type MigratorOptions,
  pauseMs,
  withMigrator,
} from './migration-session';

/**
 * Applies, one after the other and each in a transaction of its own, what the database lacks.
 *
 * @returns the names of the migrations applied, in order
 * @throws MigrationError when a lock cannot be had; what was applied before remains, of the one
 *   that failed nothing does
 */
export function migrateUp(options: MigratorOptions): Promise<string[]> {
  return withMigrator(options, async (database) => {
    const applied: string[] = [];
    for (;;) {
      const next = await nextUp(database, options.migrations);
      if (next === undefined) return applied;
      await untilLocked(options, database, next, () => database.migrate.up(options.migrations));
      applied.push(next.name);
    }
  });
}

/**
 * Undoes the last migration.
 *
 * @param agreement the data that it may drop; without it none
 * @returns its name; undefined when none is applied
 * @throws DataLoss when it would drop other data, and MigrationError when a lock cannot be had:
 *   nothing was done then
 */
export function migrateDown(
  options: MigratorOptions,
  agreement: LossAgreement = new Set(),
): Promise<string | undefined> {
  return withMigrator(options, async (database) => {
    const [applied] = await list(database, options.migrations);
    const last = applied.at(-1);
    if (last === undefined) return undefined;
    await untilLocked(options, database, await load(database, options.migrations, last), () =>
      database.migrate.down({
        ...options.migrations,
        migrationSource: guarded(sourceOf(database, options.migrations), agreement),
      }),
    );
    return last;
  });
}

interface Step {
  name: string;
  /** Whether PostgreSQL takes all of it back when it fails. */
  isInTransaction: boolean;
}

type MigrationList = [applied: { name: string }[], missing: unknown[]];

function sourceOf(database: Knex, config: Knex.MigratorConfig | undefined): Knex.MigrationSource<unknown> {
  const source: unknown =
    config?.migrationSource ?? (database.client as Knex.Client).config.migrations?.migrationSource;
  return source as Knex.MigrationSource<unknown>;
}

function guarded(
  source: Knex.MigrationSource<unknown>,
  agreement: LossAgreement,
): Knex.MigrationSource<unknown> {
  if (agreement === 'everything') return source;
  return {
    getMigrations: (extensions) => source.getMigrations(extensions),
    getMigrationName: (entry) => source.getMigrationName(entry),
    getMigration: async (entry) => {
      const migration = await source.getMigration(entry);
      return isInTransaction(migration)
        ? guardAgainstLoss(source.getMigrationName(entry), migration, agreement)
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
  return { name, isInTransaction: isInTransaction(await source.getMigration(found)) };
}

/** Knex runs each in a transaction that does not say otherwise. */
export function isInTransaction(migration: Knex.Migration & { config?: { transaction?: boolean } }): boolean {
  return migration.config?.transaction !== false;
}

async function nextUp(database: Knex, config: Knex.MigratorConfig | undefined): Promise<Step | undefined> {
  const [, [name]] = await list(database, config);
  return name === undefined ? undefined : load(database, config, name);
}

/** lock_not_available: lock_timeout; deadlock_detected. */
const lockCodes = new Set(['55P03', '40P01']);
const isAboutLocks = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && lockCodes.has(String(error.code));

/**
 * Runs a step until it gets its locks: a transaction that did not has left nothing, and can be
 * tried again.
 */
async function untilLocked(
  { attempts = defaultAttempts, onProgress = () => undefined }: MigratorOptions,
  database: Knex,
  { name, isInTransaction }: Step,
  step: () => Promise<unknown>,
): Promise<void> {
  const startedAt = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    try {
      await step();
      onProgress(`${name}: done in ${Math.round(performance.now() - startedAt)} ms, attempt ${attempt}`);
      return;
    } catch (error) {
      if (!isAboutLocks(error)) throw error;
      if (!isInTransaction) {
        throw new MigrationError(
          `${name}: did not get a lock. It runs without a transaction, so look what it has left before you run it again.`,
          { cause: error },
        );
      }
      const holder = await oldestTransaction(database);
      if (attempt >= attempts) {
        throw new MigrationError(
          `${name}: did not get a lock in ${attempt} attempts, and nothing of it was done; ${holder}. Run it again when that is over.`,
          { cause: error },
        );
      }
      onProgress(`${name}: did not get a lock, attempt ${attempt} of ${attempts}; ${holder}`);
      await delay(pauseMs(attempt));
    }
  }
}

/**
 * Who most likely stands in the way, in words. Times of other roles' transactions are shown only to
 * those who may see them.
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
    ? `the oldest transaction is that of process ${oldest.pid} (${oldest.name}), for ${oldest.seconds} s`
    : 'whose transaction holds it is not to be seen for this role';
}
