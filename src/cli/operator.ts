import { type Config, ConfigurationError, loadConfig, ownerUrlOf } from '../config';
import type { Database } from '../db/database';
import { startEmbeddedPostgres } from '../db/embedded/embedded-postgres';
import { DatabaseFailure } from '../db/errors';
import { createOperatorDatabase, createReadOnlyDatabase } from '../db/operator-database';
import { readSchemaState, schemaProblem } from '../db/schema-state';
import { peppersOf } from '../development/local-peppers';
import {
  type CompaniesService,
  createCompaniesService,
  OperatorError,
} from '../modules/companies/companies.service';
import { createCompaniesStore } from '../modules/companies/companies.store';
import {
  createVerificationService,
  type VerificationService,
} from '../modules/verification/verification.service';
import { createVerificationStore } from '../modules/verification/verification.store';

/** An operator's database, as the role that owns it: that of DATABASE_URL, or the embedded one of this checkout. */
async function withDatabase<T>(
  config: Config,
  create: (connectionString: string) => Database,
  use: (database: Database) => Promise<T>,
): Promise<T> {
  const ownerUrl = ownerUrlOf(config);
  const postgres =
    ownerUrl === undefined
      ? await startEmbeddedPostgres({ dataDirectory: config.DATA_DIRECTORY })
      : undefined;
  const database = create(ownerUrl ?? postgres?.connectionString('owner') ?? '');
  try {
    const problem = schemaProblem(await readSchemaState(database));
    if (problem !== undefined) throw new OperatorError(problem);
    return await use(database);
  } finally {
    await database.close();
    await postgres?.stop();
  }
}

/**
 * Runs one command for an operator and ends the process with what came of it: 0 done, 1 refused or failed,
 * 2 not configured; a command may set a code of its own.
 */
async function runCommand(command: (config: Config) => Promise<void>): Promise<void> {
  try {
    await command(loadConfig(process.env));
  } catch (error) {
    process.exitCode = error instanceof ConfigurationError ? 2 : 1;
    console.error(explain(error));
  }
}

export function runForOperator(command: (companies: CompaniesService) => Promise<void>): Promise<void> {
  return runCommand((config) => {
    if (config.DATABASE_URL !== undefined && config.CREDENTIAL_PEPPERS === undefined) {
      console.error(
        'Note: CREDENTIAL_PEPPERS is not set; new key pairs work only with the pepper of DATA_DIRECTORY.',
      );
    }
    return withDatabase(config, createOperatorDatabase, (database) =>
      command(createCompaniesService(createCompaniesStore(database), peppersOf(config))),
    );
  });
}

export function runVerification(
  command: (verification: VerificationService) => Promise<void>,
): Promise<void> {
  return runCommand((config) =>
    withDatabase(config, createReadOnlyDatabase, (database) =>
      command(createVerificationService(createVerificationStore(database))),
    ),
  );
}

function explain(error: unknown): string {
  if (error instanceof OperatorError || error instanceof ConfigurationError) return error.message;
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
