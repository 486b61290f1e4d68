import { Command, Option } from 'commander';

import { timeoutsOf } from '../../read-settings';
import { DataLoss, type AllowedLosses } from '../../db/migrations/data-loss';
import { defaultAttempts, defaultLockTimeoutMs } from '../../db/migrations/migration-session';
import { migrateDown, migrateUp } from '../../db/migrations/migrator';
import { createReadOnlyDatabase } from '../../db/operator-database';
import { setRoleSettings } from '../../db/roles/role-settings';
import { serviceSettings, sessionSettings } from '../../db/session-settings';
import {
  knownMigrations,
  readDueFiles,
  readSchemaState,
  schemaProblems,
} from '../../db/migrations/schema-state';
import { asOwner } from './as-owner';
import { type CommandIo, printLine } from './command-io';
import type { Program } from './command-line';
import { confirm } from './confirm';
import { exitCodes } from './exit-codes';
import { wholeNumber } from './options';

const sayTo =
  ({ stdout }: CommandIo) =>
  (line: string): void => {
    printLine(stdout, line);
  };

/** Empty for none. */
const countOf = ({ length }: readonly unknown[], noun: string): string =>
  length === 0 ? '' : `${length} ${noun}${length === 1 ? '' : 's'}`;

interface Patience {
  attempts: number;
  lockTimeoutMs: number;
}

const up = (io: CommandIo, { attempts, lockTimeoutMs }: Patience): Promise<void> =>
  asOwner(io, async (connectionString, config) => {
    const say = sayTo(io);
    const { migrations, files } = await migrateUp({
      connectionString,
      attempts,
      lockTimeoutMs,
      onProgress: say,
    });
    const counts = [countOf(migrations, 'migration'), countOf(files, 'file')].filter((text) => text !== '');
    say(counts.length === 0 ? 'The schema is up to date.' : `Applied ${counts.join(' and ')}.`);
    if (config.DATABASE_TIMEOUTS === 'role' && config.DATABASE_URL !== undefined) {
      const service = await setRoleSettings(config.DATABASE_URL, serviceSettings(timeoutsOf(config)));
      // On a cluster, functions of the schema use connections of their owner to the other servers.
      const owner = await setRoleSettings(connectionString, sessionSettings);
      say(`The session settings of ${service} and ${owner} are set.`);
    }
    if (counts.length === 0) return undefined;
    return `Applied ${counts.join(' and ')}. "npm run migrate:status" lists them, and "npm run migrate:down" reverts the last migration.`;
  });

const down = (
  io: CommandIo,
  { attempts, lockTimeoutMs, yes = false }: Patience & { yes?: boolean },
): Promise<void> =>
  asOwner(io, async (connectionString) => {
    const say = sayTo(io);
    const undo = (allowedLosses?: AllowedLosses): Promise<string | undefined> =>
      migrateDown({ connectionString, attempts, lockTimeoutMs, onProgress: say }, allowedLosses);
    const undone = await undo(yes ? 'everything' : undefined).catch(async (error: unknown) => {
      if (!(error instanceof DataLoss)) throw error;
      // Asks without holding a lock. The confirmation covers only the losses that were shown. If a
      // table gets data meanwhile, it is not dropped.
      await confirm(error.message, yes, io);
      return undo(new Set(error.losses.map(({ name }) => name)));
    });
    say(undone === undefined ? 'No migration to revert.' : `${undone} is reverted.`);
    return undone === undefined
      ? undefined
      : `${undone} is reverted. "npm run migrate" applies it again, without the dropped data.`;
  });

const status = (io: CommandIo, { json }: { json?: boolean }): Promise<void> =>
  asOwner(io, async (connectionString) => {
    const say = sayTo(io);
    const database = createReadOnlyDatabase(connectionString);
    try {
      const state = await readSchemaState(database);
      const applied = knownMigrations().filter((name) => !state.missing.includes(name));
      const due = state.hasFiles ? await readDueFiles(database) : [];
      const differing = due.map(({ file, reason }) => `database/${file.path} (${reason})`);
      const problems = schemaProblems(state, due);
      if (json) {
        say(JSON.stringify({ applied, missing: state.missing, unknown: state.unknown, differing }));
      } else {
        for (const name of applied) say(`applied  ${name}`);
        for (const name of state.missing) say(`missing  ${name}`);
        for (const name of state.unknown) say(`unknown  ${name}`);
        for (const file of differing) say(`differs  ${file}`);
        for (const problem of problems) say(problem);
        if (problems.length === 0) say('The schema matches this version.');
      }
      if (problems.length > 0) io.exitCode = exitCodes.found;
      return undefined;
    } finally {
      await database.close();
    }
  });

const patient = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--attempts <number>',
        'how many times each migration tries to get its locks before the command fails',
      )
        .argParser(wholeNumber(1, 10_000))
        .default(defaultAttempts),
    )
    .addOption(
      new Option(
        '--lock-timeout-ms <milliseconds>',
        'how long each attempt waits for a lock. Requests that need the same table wait that long too',
      )
        .argParser(wholeNumber(10, 1_000))
        .default(defaultLockTimeoutMs),
    );

const createProgram = (io: CommandIo): Command =>
  new Command('migrate')
    .description(
      'Migrates the schema. The commands use DATABASE_OWNER_URL or, without it, DATABASE_URL. The address must not go through a pooler. Without either setting, they start the embedded database in DATA_DIRECTORY, and create it if necessary. The service can keep running: a migration that does not get a lock in time lets waiting requests pass and then retries.',
    )
    .addCommand(
      patient(
        new Command('up').description(
          'apply pending migrations in order, and then the functions and privileges that differ from their files. If a migration fails, the earlier ones remain',
        ),
      ).action((options: Patience) => up(io, options)),
    )
    .addCommand(
      patient(
        new Command('down')
          .description('revert the last migration. Asks before it drops data')
          .option('--yes', 'drop data without asking'),
      ).action((options: Patience & { yes?: boolean }) => down(io, options)),
    )
    .addCommand(
      new Command('status')
        .description(
          'list applied migrations, missing ones (not yet applied) and unknown ones (applied by another version), and functions and privileges that differ from their files. Exit code 3: the schema does not match this version',
        )
        .option('--json', 'print one line of JSON')
        .action((options: { json?: boolean }) => status(io, options)),
    )
    .addHelpText(
      'afterAll',
      `
Exit codes:
  0  done, or nothing to do
  1  rejected or failed, or an invalid command
  2  invalid configuration
  3  the schema does not match this version
  4  changed, but the result could not be written: read the message before you retry
  5  not confirmed; nothing changed`,
    );

export const migrateProgram: Program = { create: createProgram, invalid: exitCodes.failed };
