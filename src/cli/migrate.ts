#!/usr/bin/env node
import { Command, Option } from 'commander';

import { type Config, ConfigurationError, loadConfig, ownerUrlOf, timeoutsOf } from '../config';
import { startEmbeddedPostgres } from '../db/embedded/embedded-postgres';
import { DatabaseFailure } from '../db/errors';
import { defaultAttempts, defaultLockTimeoutMs, MigrationError } from '../db/migration-session';
import { migrateDown, migrateUp } from '../db/migrator';
import { createReadOnlyDatabase } from '../db/operator-database';
import { setRoleTimeouts } from '../db/role-timeouts';
import { knownMigrations, readSchemaState, schemaProblem } from '../db/schema-state';
import { wholeNumber } from './options';

/*
 * npm run migrate, migrate:status and migrate:down; in the image node dist/src/cli/migrate.js. Exit codes: 0 done, 1 refused or
 * failed, 2 not configured, and of `status` 3 when the schema is not the one that this version knows.
 */
const exitCodeWhenDifferent = 3;
const say = (line: string): void => {
  console.log(line);
};

interface Patience {
  attempts: number;
  lockTimeoutMs: number;
}

/** Runs something as the owner of the schema, in the database of the settings or the embedded one of this checkout. */
async function asOwner(work: (ownerUrl: string, config: Config) => Promise<void>): Promise<void> {
  try {
    const config: Config = loadConfig(process.env);
    const ownerUrl = ownerUrlOf(config);
    if (ownerUrl !== undefined) {
      await work(ownerUrl, config);
      return;
    }
    const postgres = await startEmbeddedPostgres({ dataDirectory: config.DATA_DIRECTORY });
    try {
      await work(postgres.connectionString('owner'), config);
    } finally {
      await postgres.stop();
    }
  } catch (error) {
    process.exitCode = error instanceof ConfigurationError ? 2 : 1;
    console.error(reasonOf(error));
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof MigrationError || error instanceof ConfigurationError) return error.message;
  if (error instanceof DatabaseFailure)
    return `The database cannot be used: ${error.cause instanceof Error ? error.cause.message : error.message}`;
  // Of an attempt at several addresses only the parts have words.
  const parts: unknown[] = error instanceof AggregateError ? error.errors : [error];
  const words = parts.map((part) => (part instanceof Error ? part.message : 'no reason given'));
  return `The migration failed: ${words.join('; ')}`;
}

const up = ({ attempts, lockTimeoutMs }: Patience): Promise<void> =>
  asOwner(async (connectionString, config) => {
    const applied = await migrateUp({ connectionString, attempts, lockTimeoutMs, onProgress: say });
    say(applied.length === 0 ? 'The schema is up to date.' : `${applied.length} applied.`);
    if (config.DATABASE_TIMEOUTS === 'role' && config.DATABASE_URL !== undefined) {
      const role = await setRoleTimeouts(config.DATABASE_URL, timeoutsOf(config));
      say(`The time-outs of ${role} are set.`);
    }
  });

const down = ({ attempts, lockTimeoutMs }: Patience): Promise<void> =>
  asOwner(async (connectionString) => {
    const undone = await migrateDown({ connectionString, attempts, lockTimeoutMs, onProgress: say });
    say(undone === undefined ? 'There is nothing to undo.' : `${undone} is undone.`);
  });

const status = ({ json }: { json?: boolean }): Promise<void> =>
  asOwner(async (connectionString) => {
    const database = createReadOnlyDatabase(connectionString);
    try {
      const state = await readSchemaState(database);
      const applied = knownMigrations().filter((name) => !state.missing.includes(name));
      const problem = schemaProblem(state);
      if (json) {
        say(JSON.stringify({ applied, missing: state.missing, unknown: state.unknown }));
      } else {
        for (const name of applied) say(`applied  ${name}`);
        for (const name of state.missing) say(`missing  ${name}`);
        for (const name of state.unknown) say(`unknown  ${name}`);
        say(problem ?? 'The schema is the one that this version knows.');
      }
      if (problem !== undefined) process.exitCode = exitCodeWhenDifferent;
    } finally {
      await database.close();
    }
  });

const patient = (command: Command): Command =>
  command
    .addOption(
      new Option('--attempts <number>', 'how often to try to get a lock before giving up')
        .argParser(wholeNumber(1, 10_000))
        .default(defaultAttempts),
    )
    .addOption(
      new Option('--lock-timeout-ms <milliseconds>', 'how long each attempt waits, and requests behind it')
        .argParser(wholeNumber(10, 1_000))
        .default(defaultLockTimeoutMs),
    );

void new Command('migrate')
  .description(
    'Changes the schema, as the role of DATABASE_OWNER_URL. The service goes on serving meanwhile: a migration that does not get a lock in time lets the requests behind it pass and tries again.',
  )
  .addCommand(patient(new Command('up').description('apply what is missing')).action(up))
  .addCommand(
    patient(new Command('down').description('undo the last migration, with the data that it brought')).action(
      down,
    ),
  )
  .addCommand(
    new Command('status')
      .description('what is applied and what is not; exit code 3 when it is not what this version knows')
      .option('--json', 'answer as JSON')
      .action(status),
  )
  .parseAsync();
