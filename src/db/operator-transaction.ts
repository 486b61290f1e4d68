import { Client, type QueryResultRow } from 'pg';

import type { Database } from './pool/database';
import { DatabaseFailure, translateConnectError, translateStatementError } from './errors';

/** The statements of one transaction. One that fails leaves the others as they are. */
export type Statements = Pick<Database, 'run' | 'runUnprepared'>;

/**
 * `read`: one snapshot, and PostgreSQL refuses every write. `write`: all of it is committed, or
 * none. `dry-run`: as `write`, and taken back in the end, so that it says exactly what it would
 * have done.
 */
export type TransactionMode = 'read' | 'write' | 'dry-run';

const lockTimeoutMs = 5_000;
const statementTimeoutMs = 120_000;
const replyTimeoutMs = 130_000;
const connectTimeoutMs = 5_000;

/** Settings of this transaction only: through a pooler the next one belongs to somebody else. */
const settings = `
  SET LOCAL lock_timeout = ${lockTimeoutMs};
  SET LOCAL statement_timeout = ${statementTimeoutMs};
  SET LOCAL idle_in_transaction_session_timeout = ${statementTimeoutMs};
  SET LOCAL timezone = 'UTC';
  SET LOCAL client_min_messages = 'warning'`;

/** What a commit warns of that was not replicated; `database.ts` tells more. */
const notReplicated = '01000';

function statementsOf(client: Client, mode: TransactionMode): Statements {
  // One after the other, whoever asks for two at once: between a savepoint and its end there is one
  // statement.
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
      const translated = translateStatementError(error);
      // Without its commit nothing has happened, whatever became of the connection.
      if (translated instanceof DatabaseFailure && translated.outcome === 'unknown') {
        throw new DatabaseFailure(translated.reason, 'nothing', error);
      }
      if (savepoint) await client.query('ROLLBACK TO SAVEPOINT before_statement');
      throw translated;
    }
  }
  return { run: ({ text }, values) => query(text, values), runUnprepared: query };
}

async function finish(client: Client, mode: TransactionMode): Promise<void> {
  const warnings: string[] = [];
  client.on('notice', ({ code }) => {
    if (code === notReplicated) warnings.push(code);
  });
  const end = mode === 'dry-run' ? 'ROLLBACK' : 'COMMIT';
  let command: string;
  try {
    ({ command } = await client.query(end));
  } catch (error) {
    throw translateStatementError(error);
  }
  if (command !== end) throw new Error(`the transaction ended with ${command}`);
  if (warnings.length > 0)
    throw new DatabaseFailure('unavailable', 'unknown', new Error('committed, but not replicated'));
}

/**
 * Runs what one command does as one transaction on a connection of its own.
 *
 * @throws DatabaseFailure whose outcome is `unknown` only when the answer to the commit is missing
 */
export async function inOperatorTransaction<T>(
  connectionString: string,
  mode: TransactionMode,
  work: (statements: Statements) => Promise<T>,
): Promise<T> {
  const client = new Client({
    connectionString,
    application_name: 'contribution-service operator',
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: replyTimeoutMs,
    keepAlive: true,
  });
  // A connection that breaks fails its statement; nobody else need hear of it.
  client.on('error', () => undefined);
  try {
    try {
      await client.connect();
      // Explicit, because a login may have another default: concurrent commands would then fail to
      // serialize.
      const isolation = mode === 'read' ? 'REPEATABLE READ READ ONLY' : 'READ COMMITTED';
      await client.query(`BEGIN ISOLATION LEVEL ${isolation}; ${settings}`);
    } catch (error) {
      throw translateConnectError(error);
    }
    const result = await work(statementsOf(client, mode));
    await finish(client, mode);
    return result;
  } finally {
    // An open transaction ends with its connection.
    await client.end().catch(() => undefined);
  }
}
