import { Client, type QueryResultRow } from 'pg';

import type { Database } from './pool/database';
import { limitsOf, setLocally } from './session-settings';
import {
  DatabaseFailure,
  describeWarnings,
  notReplicated,
  translateConnectError,
  translateQueryError,
  withoutEffect,
} from './errors';

/**
 * The queries of one transaction. When it writes, each query has a savepoint, so the caller
 * can continue after a query that failed.
 */
export type Queries = Pick<Database, 'run' | 'runUnprepared'>;

/**
 * `read`: a read-only transaction on one snapshot. `write`: everything is committed, or nothing.
 * `dry-run`: like `write`, but rolled back at the end, so that it reports exactly what it would
 * change.
 */
export type TransactionMode = 'read' | 'write' | 'dry-run';

const lockTimeoutMs = 5_000;
const statementTimeoutMs = 120_000;
const replyTimeoutMs = 130_000;
const connectTimeoutMs = 5_000;

/**
 * Applies to this transaction only: behind a pooler, the next transaction may be another client's.
 */
const settings = setLocally(
  limitsOf({
    statementMs: statementTimeoutMs,
    lockMs: lockTimeoutMs,
    idleInTransactionMs: statementTimeoutMs,
  }),
);

function queriesOf(client: Client, mode: TransactionMode): Queries {
  // Runs concurrent calls one after the other, so that each savepoint encloses one query.
  let last: Promise<unknown> = Promise.resolve();
  function query<Row extends QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const result = last.then(() => queryNext<Row>(text, values));
    last = result.catch(() => undefined);
    return result;
  }

  async function queryNext<Row extends QueryResultRow>(
    text: string,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const savepoint = mode !== 'read';
    try {
      if (savepoint) await client.query('SAVEPOINT before_statement');
      const { rows } = await client.query<Row>(text, [...values]);
      if (savepoint) await client.query('RELEASE SAVEPOINT before_statement');
      return rows;
    } catch (error) {
      const translated = translateQueryError(error);
      // Even if the connection is lost, nothing is changed without the commit.
      if (translated instanceof DatabaseFailure && translated.outcome === 'unknown') {
        throw withoutEffect(translated);
      }
      if (savepoint) await client.query('ROLLBACK TO SAVEPOINT before_statement');
      throw translated;
    }
  }
  return { run: ({ text }, values) => query(text, values), runUnprepared: query };
}

async function finish(client: Client, mode: TransactionMode): Promise<void> {
  const warnings: string[] = [];
  client.on('notice', ({ code, message }) => {
    if (code === notReplicated) warnings.push(message ?? '');
  });
  const end = mode === 'dry-run' ? 'ROLLBACK' : 'COMMIT';
  let command: string;
  try {
    ({ command } = await client.query(end));
  } catch (error) {
    const translated = translateQueryError(error);
    throw mode === 'write' ? translated : withoutEffect(translated);
  }
  if (command !== end) throw new Error(`the transaction ended with ${command}`);
  if (warnings.length > 0)
    throw new DatabaseFailure('unavailable', 'unknown', new Error(describeWarnings(warnings)));
}

/**
 * Runs the work of one command in one transaction, on its own connection.
 *
 * @throws DatabaseFailure with the outcome `unknown` only if the commit of a `write` got no reply
 */
export async function inOperatorTransaction<T>(
  connectionString: string,
  mode: TransactionMode,
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  const client = new Client({
    connectionString,
    application_name: 'contribution-service operator',
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: replyTimeoutMs,
    keepAlive: true,
  });
  // A broken connection also rejects its query, so this event needs no handling.
  client.on('error', () => undefined);
  try {
    try {
      await client.connect();
      // Set the isolation level explicitly, because the login may have another default. Concurrent
      // commands could then fail with serialization errors.
      const isolation = mode === 'read' ? 'REPEATABLE READ READ ONLY' : 'READ COMMITTED';
      await client.query(`BEGIN ISOLATION LEVEL ${isolation}; ${settings}`);
    } catch (error) {
      throw translateConnectError(error);
    }
    const result = await work(queriesOf(client, mode));
    await finish(client, mode);
    return result;
  } finally {
    // Closing the connection rolls an open transaction back.
    await client.end().catch(() => undefined);
  }
}
