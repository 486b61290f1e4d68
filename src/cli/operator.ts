import { type Config, ConfigurationError, loadConfig, ownerUrlOf } from '../config';
import { startEmbeddedPostgres } from '../db/embedded/embedded-postgres';
import { DatabaseFailure } from '../db/errors';
import { createReadOnlyDatabase } from '../db/operator-database';
import { inOperatorTransaction, type Statements, type TransactionMode } from '../db/operator-transaction';
import { readSchemaState, schemaProblem } from '../db/schema-state';
import { peppersOf } from '../development/local-peppers';
import {
  createVerificationService,
  type VerificationService,
} from '../modules/verification/verification.service';
import { createVerificationStore } from '../modules/verification/verification.store';
import { OperatorError } from '../shared/operator-error';
import { confirm, NotConfirmed } from './confirm';
import { exitCodes } from './exit-codes';
import { createOperations, type Operations } from './operations';
import { operatorName } from './operator-name';

/** What a command changes, and how it is recorded. */
export interface Act<Result> {
  /** Such as "keys revoke". */
  command: string;
  /** Without secrets, user hashes and names of users: they are recorded. */
  arguments: Readonly<Record<string, unknown>>;
  /** New secrets are stored under the pepper that the command sees. */
  storesSecret?: boolean;
  /** Asked before what cannot be undone. */
  question?: (operations: Operations) => Promise<string>;
  work: (operations: Operations) => Promise<Result>;
  /** What it was done to, and what came of it; without secrets too. */
  record: (result: Result) => { target: string | null; result: Readonly<Record<string, unknown>> };
}

export interface ActOptions {
  dryRun?: boolean;
  yes?: boolean;
  json?: boolean;
}

/** Gives the address of the operator's database: that of the configuration, or of the embedded one of this checkout. */
export async function withOwnerUrl<T>(config: Config, use: (ownerUrl: string) => Promise<T>): Promise<T> {
  const ownerUrl = ownerUrlOf(config);
  if (ownerUrl !== undefined) return use(ownerUrl);
  const postgres = await startEmbeddedPostgres({ dataDirectory: config.DATA_DIRECTORY });
  try {
    return await use(postgres.connectionString('owner'));
  } finally {
    await postgres.stop();
  }
}

/**
 * Runs one command and ends the process with what came of it (`exit-codes.ts`); a command may set a code of its own.
 */
export async function runCommand(command: (config: Config) => Promise<void>): Promise<void> {
  try {
    await command(loadConfig(process.env));
  } catch (error) {
    process.exitCode = exitCodeOf(error);
    console.error(explain(error));
  }
}

/** Everything that is wrong with the settings; nothing when a command would run. */
export function configurationProblems(): readonly string[] {
  try {
    loadConfig(process.env);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

async function checkSchema(statements: Pick<Statements, 'runUnprepared'>): Promise<void> {
  const problem = schemaProblem(await readSchemaState(statements));
  if (problem !== undefined) throw new OperatorError(problem);
}

function inOperations<T>(
  config: Config,
  ownerUrl: string,
  mode: TransactionMode,
  work: (operations: Operations) => Promise<T>,
): Promise<T> {
  return inOperatorTransaction(ownerUrl, mode, async (statements) => {
    await checkSchema(statements);
    return work(createOperations(statements, peppersOf(config)));
  });
}

/** Runs a command that only looks: in one snapshot that cannot be written to. */
export function look<Result>(
  read: (operations: Operations, config: Config) => Promise<Result>,
  show: (result: Result) => void | Promise<void>,
): Promise<void> {
  return runCommand((config) =>
    withOwnerUrl(config, async (ownerUrl) => {
      await show(await inOperations(config, ownerUrl, 'read', (operations) => read(operations, config)));
    }),
  );
}

/**
 * Runs a command that changes something: all of it and its record in one transaction, which a dry run takes back. Shows what
 * came of it after the commit.
 */
export function act<Result>(
  { command, storesSecret, question, work, record, arguments: recordedArguments }: Act<Result>,
  { dryRun = false, yes = false }: ActOptions,
  show: (result: Result) => void | Promise<void>,
): Promise<void> {
  return runCommand((config) =>
    withOwnerUrl(config, async (ownerUrl) => {
      if (storesSecret && config.DATABASE_URL !== undefined && config.CREDENTIAL_PEPPERS === undefined) {
        console.error(
          'Note: CREDENTIAL_PEPPERS is not set; new key pairs work only with the pepper of DATA_DIRECTORY.',
        );
      }
      if (question && !dryRun) {
        await confirm(await inOperations(config, ownerUrl, 'read', question), yes);
      }
      const mode = dryRun ? 'dry-run' : 'write';
      const result = await inOperations(config, ownerUrl, mode, async (operations) => {
        const done = await work(operations);
        const { target, result: recorded } = record(done);
        const operator = operatorName(config.OPERATOR, process.env);
        await operations.actions.record({
          operator,
          command,
          target,
          arguments: recordedArguments,
          result: recorded,
        });
        return done;
      });
      await show(result);
      if (dryRun) console.error('Dry run: nothing was changed.');
    }),
  );
}

export function runVerification(
  command: (verification: VerificationService) => Promise<void>,
): Promise<void> {
  return runCommand((config) =>
    withOwnerUrl(config, async (ownerUrl) => {
      const database = createReadOnlyDatabase(ownerUrl);
      try {
        await checkSchema(database);
        await command(createVerificationService(createVerificationStore(database)));
      } finally {
        await database.close();
      }
    }),
  );
}

function exitCodeOf(error: unknown): number {
  if (error instanceof ConfigurationError) return exitCodes.notConfigured;
  if (error instanceof NotConfirmed) return exitCodes.notConfirmed;
  if (error instanceof DatabaseFailure && error.outcome === 'unknown') return exitCodes.unknown;
  return exitCodes.failed;
}

function explain(error: unknown): string {
  if (
    error instanceof OperatorError ||
    error instanceof ConfigurationError ||
    error instanceof NotConfirmed
  ) {
    return error.message;
  }
  if (error instanceof DatabaseFailure) {
    const reason = error.cause instanceof Error ? error.cause.message : 'no reason given';
    return error.outcome === 'unknown'
      ? `The database did not answer (${reason}). Look whether it was done before you repeat it.`
      : `The database cannot be used (${reason}). Nothing was done.`;
  }
  if (!(error instanceof Error)) return 'failed';
  // insufficient_privilege: the commands do what the service's role must not.
  if ('code' in error && error.code === '42501') {
    return `The database refuses: ${error.message}. Nothing was done. Set DATABASE_OWNER_URL to the role that owns the schema.`;
  }
  return error.stack ?? error.message;
}
