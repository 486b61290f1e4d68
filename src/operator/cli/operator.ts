import { type Config, ConfigurationError, readSettings, operatorUrlOf } from '../../read-settings';
import { startEmbeddedDatabase } from '../../db/embedded-database';
import { DatabaseFailure, withoutEffect } from '../../db/errors';
import { createReadOnlyDatabase } from '../../db/operator-database';
import { inOperatorTransaction, type Queries, type TransactionMode } from '../../db/operator-transaction';
import { readSchemaState, schemaProblem } from '../../db/migrations/schema-state';
import { type CompaniesService, createCompaniesService } from '../../core/companies/companies.service';
import { createCompaniesStore } from '../../core/companies/companies.store';
import type { Peppers } from '../../core/key-pairs/credentials';
import { createRateLimitsStore } from '../../core/key-pairs/rate-limits.store';
import { peppersOf } from '../../startup/peppers';
import { OperatorError } from '../../shared/operator-error';
import { type CommandIo, type Output, printLine } from './command-io';
import { NotConfirmed } from './confirm';
import { describeFailure } from './database-failure';
import { exitCodes } from './exit-codes';
import { OutputLost, ResultLost } from './lost-output';
import { apply, hasColor, type Style } from './style';

/** Whether this stream shows color in the environment of the command. */
export const showsColor = ({ environment }: CommandIo, stream: Output): boolean =>
  hasColor(stream, environment);

/** Applies the style if the stream shows color. */
export const styled = (io: CommandIo, style: Style, text: string, stream: Output = io.stdout): string =>
  showsColor(io, stream) ? apply(style, text) : text;

/** Prints an error to standard error, as JSON if the command prints JSON. */
export function printError(io: CommandIo, message: string): void {
  const body = { error: { message, exit_code: io.exitCode } };
  printLine(io.stderr, io.json ? JSON.stringify(body) : styled(io, 'red', message, io.stderr));
}

/** Connects to the configured database, or as the owner to the embedded one of this checkout. */
export async function withOperatorUrl<T>(
  config: Config,
  use: (operatorUrl: string) => Promise<T>,
): Promise<T> {
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
    if (error instanceof OutputLost) return;
    io.exitCode = exitCodeOf(error);
    printError(io, explain(error));
  }
}

export const runCommand = (io: CommandIo, command: (config: Config) => Promise<void>): Promise<void> =>
  runWithoutSettings(io, () => command(readSettings(io.environment, io.schema)));

/** All problems of the settings; empty if commands can run. */
export function configurationProblems({ environment, schema }: CommandIo): readonly string[] {
  try {
    readSettings(environment, schema);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

async function checkSchema(queries: Pick<Queries, 'runUnprepared'>): Promise<void> {
  const problem = schemaProblem(await readSchemaState(queries));
  if (problem !== undefined) throw new OperatorError(problem);
}

/** Builds what the work of a command uses, within its transaction. */
export type Build<Services> = (queries: Queries, peppers: Peppers) => Services;

export const companiesOf = (queries: Queries): CompaniesService =>
  createCompaniesService(createCompaniesStore(queries), createRateLimitsStore(queries));

/** Runs the work of a command in one transaction. @throws OperatorError if the schema differs */
export function inTransaction<T>(
  config: Config,
  operatorUrl: string,
  mode: TransactionMode,
  work: (queries: Queries, peppers: Peppers) => Promise<T>,
): Promise<T> {
  return inOperatorTransaction(operatorUrl, mode, async (queries) => {
    await checkSchema(queries);
    return work(queries, peppersOf(config));
  });
}

/**
 * Runs a command that reads in many transactions.
 *
 * @param connections how many queries run at once
 */
export function withReadOnlyDatabase(
  io: CommandIo,
  connections: number,
  use: (database: ReturnType<typeof createReadOnlyDatabase>) => Promise<void>,
): Promise<void> {
  return runCommand(io, (config) =>
    withOperatorUrl(config, async (operatorUrl) => {
      const database = createReadOnlyDatabase(operatorUrl, connections);
      try {
        await checkSchema(database);
        await use(database);
      } catch (error) {
        throw withoutEffect(error);
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
  if (error instanceof ResultLost) return exitCodes.unknown;
  return exitCodes.failed;
}

const reasonOf = ({ cause }: DatabaseFailure): string =>
  cause instanceof Error ? cause.message : 'no reason given';

function explain(error: unknown): string {
  if (
    error instanceof OperatorError ||
    error instanceof ConfigurationError ||
    error instanceof NotConfirmed ||
    error instanceof ResultLost
  ) {
    return error.message;
  }
  if (error instanceof DatabaseFailure) {
    if (error.outcome === 'unknown')
      return `The database did not confirm the change (${reasonOf(error)}). The change may have been made: check before you retry.`;
    const { state, note } = describeFailure(error);
    return `${state}. Nothing changed.${note}`;
  }
  if (!(error instanceof Error)) return 'The command failed.';
  // insufficient_privilege: the service's role, for example, cannot run commands.
  if ('code' in error && error.code === '42501') {
    return `The database rejected the command: ${error.message}. Nothing changed. Set DATABASE_OPERATOR_URL to a login that is a member of contribution_operator.`;
  }
  return error.stack ?? error.message;
}
