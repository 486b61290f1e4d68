import { Pool, type PoolClient, type QueryResultRow } from 'pg';

import { DatabaseFailure, translateConnectError, translateStatementError } from './errors';
import type { Statement } from './statement';

export interface DatabaseSettings {
  connectionString: string;
  poolSize: number;
  /** How long a request waits for a free connection. */
  acquireTimeoutMs: number;
  /** PostgreSQL's own limits on one statement. */
  statementTimeoutMs: number;
  lockTimeoutMs: number;
  idleInTransactionTimeoutMs: number;
  /** How long we wait for an answer before we give the connection up; longer than the statement timeout. */
  answerTimeoutMs: number;
  /** By which the server's operator knows the connections. */
  applicationName?: string;
  /** PostgreSQL refuses to write on these connections. */
  isReadOnly?: boolean;
}

/** Runs statements on one pool of connections. Every failure comes as a translated error of `db/errors`. */
export interface Database {
  /** Runs a named prepared statement: one round trip. */
  run<Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
  /** Runs a text that is put together per call, unprepared. Not for the hot path. */
  runUnprepared<Row extends QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

// A commit that was cancelled while it waited for a synchronous standby reports success with this warning.
const notReplicated = '01000';

/** @param onConnectionError told of connections that break while nobody uses them */
export function createDatabase(
  settings: DatabaseSettings,
  onConnectionError: (error: Error) => void,
): Database {
  const pool = new Pool({
    connectionString: settings.connectionString,
    application_name: settings.applicationName ?? 'contribution-service',
    ...(settings.isReadOnly ? { options: '-c default_transaction_read_only=on' } : {}),
    max: settings.poolSize,
    connectionTimeoutMillis: settings.acquireTimeoutMs,
    statement_timeout: settings.statementTimeoutMs,
    lock_timeout: settings.lockTimeoutMs,
    idle_in_transaction_session_timeout: settings.idleInTransactionTimeoutMs,
    query_timeout: settings.answerTimeoutMs,
    keepAlive: true,
  });
  pool.on('error', onConnectionError);

  const warned = new WeakSet<PoolClient>();
  pool.on('connect', (client) => {
    // The pool hears a client's errors only while nobody uses it. A connection that breaks under a statement rejects the
    // statement and emits an error besides, and an error that nobody hears ends the process.
    client.on('error', () => undefined);
    client.on('notice', (notice) => {
      if (notice.severity === 'WARNING' && notice.code === notReplicated) warned.add(client);
    });
  });

  async function execute<Row extends QueryResultRow>(query: {
    name?: string;
    text: string;
    values: unknown[];
  }): Promise<Row[]> {
    let client: PoolClient;
    try {
      client = await pool.connect();
    } catch (error) {
      throw translateConnectError(error);
    }
    warned.delete(client);
    let rows: Row[];
    try {
      rows = (await client.query<Row>(query)).rows;
    } catch (error) {
      const translated = translateStatementError(error);
      // A connection that may still owe us an answer must not serve anybody else.
      client.release(translated instanceof DatabaseFailure && translated.reason === 'unavailable');
      throw translated;
    }
    client.release();
    if (warned.has(client)) {
      throw new DatabaseFailure('unavailable', 'unknown', new Error('committed, but not replicated'));
    }
    return rows;
  }

  return {
    run: ({ name, text }, values) => execute({ name, text, values: [...values] }),
    runUnprepared: (text, values) => execute({ text, values: [...values] }),
    close: () => pool.end(),
  };
}
