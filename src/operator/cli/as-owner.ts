import { type Config, ConfigurationError, loadConfig, ownerUrlOf } from '../../config';
import { DataLoss } from '../../db/migrations/data-loss';
import { startEmbeddedDatabase } from '../../db/embedded-database';
import { DatabaseFailure } from '../../db/errors';
import { MigrationError } from '../../db/migrations/migration-error';
import { OperatorError } from '../../shared/operator-error';
import { type CommandIo, printLine } from './command-io';
import { NotConfirmed } from './confirm';
import { exitCodes } from './exit-codes';

/**
 * Runs `work` as the owner of the schema, in the configured database or the embedded one of this
 * checkout. Prints an error on standard error and sets the exit code.
 */
export async function asOwner(
  io: CommandIo,
  work: (ownerUrl: string, config: Config) => Promise<void>,
): Promise<void> {
  try {
    const config: Config = loadConfig(io.environment);
    const ownerUrl = ownerUrlOf(config);
    if (ownerUrl !== undefined) {
      await work(ownerUrl, config);
      return;
    }
    const postgres = await startEmbeddedDatabase({ dataDirectory: config.DATA_DIRECTORY });
    try {
      await work(postgres.connectionString('owner'), config);
    } finally {
      await postgres.stop();
    }
  } catch (error) {
    io.exitCode = exitCodeOf(error);
    printLine(io.stderr, reasonOf(error));
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof ConfigurationError) return exitCodes.notConfigured;
  if (error instanceof NotConfirmed || error instanceof DataLoss) return exitCodes.notConfirmed;
  return exitCodes.failed;
}

function reasonOf(error: unknown): string {
  if (
    error instanceof MigrationError ||
    error instanceof ConfigurationError ||
    error instanceof OperatorError ||
    error instanceof NotConfirmed
  ) {
    return error.message;
  }
  if (error instanceof DatabaseFailure)
    return `The database is not available: ${error.cause instanceof Error ? error.cause.message : error.message}`;
  // insufficient_privilege
  if (error instanceof Error && 'code' in error && error.code === '42501') {
    return `The database rejected the command: ${error.message}. Set DATABASE_OWNER_URL to a login of the role that owns the schema.`;
  }
  // When several addresses were tried, only the inner errors have messages.
  const parts: unknown[] = error instanceof AggregateError ? error.errors : [error];
  const words = parts.map((part) => (part instanceof Error ? part.message : 'no reason given'));
  return `Failed: ${words.join('; ')}`;
}
