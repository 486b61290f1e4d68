import { type Config, ConfigurationError, readSettings, ownerUrlOf } from '../../read-settings';
import { DataLoss } from '../../db/migrations/data-loss';
import { startEmbeddedDatabase } from '../../db/embedded-database';
import { DatabaseFailure } from '../../db/errors';
import { MigrationError } from '../../db/migrations/migration-error';
import { noteOnPgVariables } from '../../db/pg-variables';
import { OperatorError } from '../../shared/operator-error';
import { type CommandIo, printLine } from './command-io';
import { NotConfirmed } from './confirm';
import { describeFailure } from './database-failure';
import { exitCodes } from './exit-codes';
import { lostOutput, ResultLost } from './lost-output';

/**
 * Runs `work` as the owner of the schema, in the configured database or the embedded one of this
 * checkout. Prints an error on standard error and sets the exit code.
 *
 * @param work returns what exists now and how to undo it, in whole sentences; undefined if nothing
 *   changed
 */
export async function asOwner(
  io: CommandIo,
  work: (ownerUrl: string, config: Config) => Promise<string | undefined>,
): Promise<void> {
  try {
    const config: Config = readSettings(io.environment, io.schema);
    const ownerUrl = ownerUrlOf(config);
    if (ownerUrl !== undefined) {
      await requireOutput(io, await work(ownerUrl, config));
      return;
    }
    const postgres = await startEmbeddedDatabase({ dataDirectory: config.DATA_DIRECTORY });
    try {
      await requireOutput(io, await work(postgres.connectionString('owner'), config));
    } finally {
      await postgres.stop();
    }
  } catch (error) {
    io.exitCode = exitCodeOf(error);
    printLine(io.stderr, reasonOf(error));
  }
}

/** @throws ResultLost if something changed, and the output about it is lost */
async function requireOutput(io: CommandIo, left: string | undefined): Promise<void> {
  if (left === undefined) return;
  const lost = await lostOutput(io);
  if (lost) throw new ResultLost(lost, left);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof ConfigurationError) return exitCodes.notConfigured;
  if (error instanceof NotConfirmed || error instanceof DataLoss) return exitCodes.notConfirmed;
  if (error instanceof ResultLost) return exitCodes.unknown;
  return exitCodes.failed;
}

function reasonOf(error: unknown): string {
  if (
    error instanceof MigrationError ||
    error instanceof ConfigurationError ||
    error instanceof OperatorError ||
    error instanceof NotConfirmed ||
    error instanceof ResultLost
  ) {
    return error.message;
  }
  if (error instanceof DatabaseFailure) {
    const { state, note } = describeFailure(error);
    return `${state}.${note}`;
  }
  // insufficient_privilege
  if (error instanceof Error && 'code' in error && error.code === '42501') {
    return `The database rejected the command: ${error.message}. Set DATABASE_OWNER_URL to a login of the role that owns the schema.`;
  }
  // When several addresses were tried, only the inner errors have messages.
  const parts: unknown[] = error instanceof AggregateError ? error.errors : [error];
  const words = parts.map((part) => (part instanceof Error ? part.message : 'no reason given'));
  return `Failed: ${words.join('; ').replace(/\.$/, '')}.${noteOnPgVariables()}`;
}
