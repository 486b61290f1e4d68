import { DatabaseError as PostgresError, type PoolClient } from 'pg';

import { DatabaseFailure } from '../errors';

/** The SQLSTATE query_canceled, which statement_timeout causes. */
const timeoutCode = '57014';
/** The function in which the coordinator reports the error of a worker. */
const passesOn = 'ReportResultError';

/** Recognizes writes that may be committed although they timed out. */
export interface UncertainTimeouts {
  /**
   * A coordinator that cancels a write does not wait for the worker, which may still commit it. The
   * outcome is then `unknown`. A timeout of the worker itself, or of PostgreSQL, changed nothing.
   *
   * @param client the connection of the statement. It asks the server once whether it has Citus
   * @returns the failure, with the outcome `unknown` if it may be committed
   */
  judge(failure: Error, client: PoolClient): Promise<Error>;
}

export function createUncertainTimeouts(): UncertainTimeouts {
  let hasCitus: boolean | undefined;
  return {
    async judge(failure, client) {
      if (hasCitus === false || !isOwnTimeout(failure)) return failure;
      hasCitus ??= await readHasCitus(client);
      // If the server does not respond, assume Citus, which is the safe choice.
      return hasCitus === false ? failure : new DatabaseFailure('timeout', 'unknown', failure.cause);
    },
  };
}

/** Whether the server that the service is connected to cancelled the statement, not a worker. */
export function isOwnTimeout(failure: Error): failure is DatabaseFailure {
  return (
    failure instanceof DatabaseFailure &&
    failure.cause instanceof PostgresError &&
    failure.cause.code === timeoutCode &&
    failure.cause.routine !== passesOn
  );
}

async function readHasCitus(client: PoolClient): Promise<boolean | undefined> {
  try {
    const { rows } = await client.query<{ has_citus: boolean }>(
      `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS has_citus`,
    );
    return rows[0]?.has_citus;
  } catch {
    return undefined;
  }
}
