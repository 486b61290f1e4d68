import { type Config, ConfigurationError, loadConfig, operatorUrlOf } from '../../config';
import { startEmbeddedDatabase } from '../../db/embedded-database';
import { DatabaseFailure } from '../../db/errors';
import { createReadOnlyDatabase } from '../../db/operator-database';
import { inOperatorTransaction, type Statements, type TransactionMode } from '../../db/operator-transaction';
import { operatorRoleProblem, readOperatorRoleState } from '../../db/roles/role-state';
import { readSchemaState, schemaProblem } from '../../db/migrations/schema-state';
import { peppersOf } from '../../startup/peppers';
import { createVerificationService, type VerificationService } from '../verification/verification.service';
import { createVerificationStore } from '../verification/verification.store';
import { OperatorError } from '../../shared/operator-error';
import { claimedOperator } from './claimed-operator';
import { type CommandIo, type Output, printLine } from './command-io';
import { confirm, NotConfirmed } from './confirm';
import { exitCodes } from './exit-codes';
import { createOperations, type Operations } from './operations';
import { apply, hasColor, type Style } from './style';

/** Whether this stream shows color in the environment of the command. */
export const showsColor = ({ environment }: CommandIo, stream: Output): boolean =>
  hasColor(stream, environment);

/** Applies the style if the stream shows color. */
export const styled = (io: CommandIo, style: Style, text: string, stream: Output = io.stdout): string =>
  showsColor(io, stream) ? apply(style, text) : text;

/** The change of a command is committed, but its result could not be read. */
class ResultNotRead extends Error {
  constructor(cause: unknown) {
    super('the change was made', { cause });
  }
}

/** A command that changes something, and its entry in the audit log. */
export interface Act<Result> {
  /** The name of the command, such as "keys revoke". */
  command: string;
  /** Recorded in the audit log, so it never contains a secret, a user hash or a user's name. */
  arguments: Readonly<Record<string, unknown>>;
  /** Warns if CREDENTIAL_PEPPERS is not set: the service may then reject the new secret. */
  storesSecret?: boolean;
  /**
   * Fails if CREDENTIAL_PEPPERS is not set: the service would treat a known account as a new one.
   */
  hashesUnderPepper?: boolean;
  /** The confirmation that an irreversible command asks for. */
  question?: (operations: Operations) => Promise<string>;
  work: (operations: Operations) => Promise<Result>;
  /** The target and the result for the audit log, with the same restriction as `arguments`. */
  record: (result: Result) => { target: string | null; result: Readonly<Record<string, unknown>> };
}

export interface ActOptions {
  dryRun?: boolean;
  yes?: boolean;
  json?: boolean;
}

/** Connects to the configured database, or as the owner to the embedded one of this checkout. */
async function withOperatorUrl<T>(config: Config, use: (operatorUrl: string) => Promise<T>): Promise<T> {
  const operatorUrl = operatorUrlOf(config);
  if (operatorUrl !== undefined) return use(operatorUrl);
  const postgres = await startEmbeddedDatabase({ dataDirectory: config.DATA_DIRECTORY });
  try {
    return await use(postgres.connectionString('owner'));
  } finally {
    await postgres.stop();
  }
}

/** Runs a command, prints its error if it fails, and sets the exit code (`exit-codes.ts`). */
export async function runWithoutSettings(io: CommandIo, command: () => void | Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    io.exitCode = exitCodeOf(error);
    printLine(io.stderr, styled(io, 'red', explain(error), io.stderr));
  }
}

export const runCommand = (io: CommandIo, command: (config: Config) => Promise<void>): Promise<void> =>
  runWithoutSettings(io, () => command(loadConfig(io.environment)));

/** All problems of the settings; empty if commands can run. */
export function configurationProblems({ environment }: CommandIo): readonly string[] {
  try {
    loadConfig(environment);
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
  operatorUrl: string,
  mode: TransactionMode,
  work: (operations: Operations, statements: Statements) => Promise<T>,
): Promise<T> {
  return inOperatorTransaction(operatorUrl, mode, async (statements) => {
    await checkSchema(statements);
    return work(createOperations(statements, peppersOf(config)), statements);
  });
}

/**
 * Warns if the login could also change the audit log. Not for the embedded database, which has only
 * one login.
 */
async function warnOfOwner(io: CommandIo, config: Config, statements: Statements): Promise<void> {
  if (config.DATABASE_URL === undefined) return;
  const problem = operatorRoleProblem(await readOperatorRoleState(statements));
  if (problem !== undefined) printLine(io.stderr, styled(io, 'yellow', `Warning: ${problem}`, io.stderr));
}

/** Runs a command that only reads, in one read-only snapshot. */
export function look<Result>(
  io: CommandIo,
  read: (operations: Operations, config: Config) => Promise<Result>,
  show: (result: Result) => void | Promise<void>,
): Promise<void> {
  return runCommand(io, (config) =>
    withOperatorUrl(config, async (operatorUrl) => {
      await show(await inOperations(config, operatorUrl, 'read', (operations) => read(operations, config)));
    }),
  );
}

/**
 * Like `look`, for a command that shows only the rows of a company, if one is given.
 *
 * @throws OperatorError if no company has this name
 */
export const lookAt = <Result>(
  io: CommandIo,
  company: string | undefined,
  read: (operations: Operations) => Promise<Result>,
  show: (result: Result) => void | Promise<void>,
): Promise<void> =>
  look(
    io,
    async (operations) => {
      if (company !== undefined) await operations.companies.find(company);
      return read(operations);
    },
    show,
  );

/** Reads in a separate transaction. */
export type Read = <T>(work: (operations: Operations) => Promise<T>) => Promise<T>;

/**
 * Runs a command that changes something, and adds its audit log entry in the same transaction. A
 * dry run rolls back. Shows the result after the commit.
 */
export function act<Result>(
  io: CommandIo,
  {
    command,
    storesSecret,
    hashesUnderPepper,
    question,
    work,
    record,
    arguments: recordedArguments,
  }: Act<Result>,
  { dryRun = false, yes = false }: ActOptions,
  show: (result: Result, read: Read) => void | Promise<void>,
): Promise<void> {
  return runCommand(io, (config) =>
    withOperatorUrl(config, async (operatorUrl) => {
      const hasForeignPepper = config.DATABASE_URL !== undefined && config.CREDENTIAL_PEPPERS === undefined;
      if (hashesUnderPepper && hasForeignPepper) {
        throw new OperatorError(
          'CREDENTIAL_PEPPERS is not set. Run this command with the peppers of the service: otherwise it does not recognize the accounts of earlier statements.',
        );
      }
      if (storesSecret && hasForeignPepper) {
        printLine(
          io.stderr,
          'Note: CREDENTIAL_PEPPERS is not set; new key pairs work only with the pepper of DATA_DIRECTORY.',
        );
      }
      if (question && !dryRun) {
        await confirm(await inOperations(config, operatorUrl, 'read', question), yes, io);
      }
      const mode = dryRun ? 'dry-run' : 'write';
      const result = await inOperations(config, operatorUrl, mode, async (operations, statements) => {
        await warnOfOwner(io, config, statements);
        const done = await work(operations);
        const { target, result: recorded } = record(done);
        await operations.actions.record({
          claimedOperator: claimedOperator(config.OPERATOR, io.environment),
          command,
          target,
          arguments: recordedArguments,
          result: recorded,
        });
        return done;
      });
      const read: Read = async (work) => {
        try {
          return await inOperations(config, operatorUrl, 'read', work);
        } catch (error) {
          throw dryRun ? error : new ResultNotRead(error);
        }
      };
      await show(result, read);
      if (dryRun) printLine(io.stderr, 'Dry run: nothing changed.');
    }),
  );
}

/** @param connections how many statements run at once */
export function runVerification(
  io: CommandIo,
  connections: number,
  command: (verification: VerificationService) => Promise<void>,
): Promise<void> {
  return runCommand(io, (config) =>
    withOperatorUrl(config, async (operatorUrl) => {
      const database = createReadOnlyDatabase(operatorUrl, connections);
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
  if (error instanceof ResultNotRead) return exitCodes.unknown;
  return exitCodes.failed;
}

function reasonOf(error: unknown): string {
  const reason = error instanceof DatabaseFailure ? error.cause : error;
  return reason instanceof Error ? reason.message : 'no reason given';
}

function explain(error: unknown): string {
  if (
    error instanceof OperatorError ||
    error instanceof ConfigurationError ||
    error instanceof NotConfirmed
  ) {
    return error.message;
  }
  if (error instanceof ResultNotRead) {
    return `The change was made, but the command could not read its result (${reasonOf(error.cause)}).`;
  }
  if (error instanceof DatabaseFailure) {
    const reason = reasonOf(error);
    return error.outcome === 'unknown'
      ? `The database did not confirm the change (${reason}). The change may have been made: check before you retry.`
      : `The database is not available (${reason}). Nothing changed.`;
  }
  if (!(error instanceof Error)) return 'The command failed.';
  // insufficient_privilege: the service's role, for example, cannot run commands.
  if ('code' in error && error.code === '42501') {
    return `The database rejected the command: ${error.message}. Nothing changed. Set DATABASE_OPERATOR_URL to a login that is a member of contribution_operator.`;
  }
  return error.stack ?? error.message;
}
