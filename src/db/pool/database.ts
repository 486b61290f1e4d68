import { Pool, type PoolClient, type PoolConfig, type QueryResultRow } from 'pg';

import { ResponseTimeout, withTimeout } from './response-timeout';
import {
  ConstraintViolation,
  DatabaseFailure,
  translateConnectError,
  translateStatementError,
} from '../errors';
import { createLateReplies, type LateReplies } from './late-replies';
import { type DatabaseObserver, noObserver, type PoolState, type StatementFailure } from './observer';
import { runPrepared } from '../../internals/prepared-query';
import type { Statement } from '../statement';
import { type AboutStatement, commentOn } from './statement-comment';
import { tryCommit } from './trial-commit';

export interface DatabaseSettings {
  connectionString: string;
  poolSize: number;
  /**
   * How many requests may wait for a free connection; the next one is refused at once. See
   * `reservedShare`.
   */
  queueLength: number;
  /** How long a request waits for a free connection. */
  acquireTimeoutMs: number;
  /**
   * Whether PostgreSQL's limits are sent with each connection, or are settings of the role that
   * logs in: a pooler refuses them with a connection (`db/role-timeouts`). Default: sent.
   */
  timeouts?: 'connection' | 'role';
  /**
   * Whether named statements are prepared; a pooler may not know on which connection. Default: yes.
   */
  prepares?: boolean;
  /** PostgreSQL's own limits on one statement. */
  statementTimeoutMs: number;
  lockTimeoutMs: number;
  idleInTransactionTimeoutMs: number;
  /**
   * How long we wait for an answer before we give the connection up; longer than the statement
   * timeout.
   */
  replyTimeoutMs: number;
  /** By which the server's operator knows the connections. */
  applicationName?: string;
  /** PostgreSQL refuses to write on these connections. */
  isReadOnly?: boolean;
}

const unprepared = { name: 'unprepared', writes: false, isEssential: false };

interface Query {
  name?: string;
  text: string;
  values: unknown[];
}

/**
 * Runs statements on one pool of connections. Every failure comes as a translated error of
 * `db/errors`.
 */
export interface Database {
  /** Runs a named prepared statement: one round trip. */
  run<Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
  /** Runs a text that is put together per call, unprepared. Not for the hot path. */
  runUnprepared<Row extends QueryResultRow>(
    text: string,
    values: readonly unknown[],
    about?: AboutStatement,
  ): Promise<Row[]>;
  /**
   * Runs a text in a transaction of its own in which PostgreSQL refuses every write.
   *
   * @param localSettings settings of PostgreSQL for this transaction only; names and values are
   *   our own, never a caller's
   */
  runReadOnly<Row extends QueryResultRow>(
    text: string,
    values: readonly unknown[],
    localSettings?: Readonly<Record<string, string>>,
  ): Promise<Row[]>;
  close(): Promise<void>;
}

/** A database that can be asked about its pool. */
export interface PooledDatabase extends Database {
  /**
   * How many more statements can be handed over at this moment without one of them being refused;
   * less than 0 is none.
   */
  freeSlots: (isEssential: boolean) => number;
  poolState: () => PoolState;
}

// A commit that was cancelled while it waited for a synchronous standby reports success with a
// warning of this code. Nothing else that the statements do warns.
const notReplicated = '01000';

/**
 * Of the queue, for essential statements only: however many others wait, money is let in behind
 * them.
 */
const reservedShare = 0.25;

/** What happens to the pool apart from statements. */
export interface PoolEvents {
  /** A connection broke while nobody used it. */
  onConnectionError: (error: Error) => void;
  /** Commits get no reply, so writes are rejected; or they are accepted again. */
  onWritesRejected?: (isRejected: boolean) => void;
}

/**
 * @param observer told of every statement
 * @param currentRequestId asked when a statement is handed over
 */
export function createDatabase(
  settings: DatabaseSettings,
  { onConnectionError, onWritesRejected = () => undefined }: PoolEvents,
  observer: DatabaseObserver = noObserver,
  currentRequestId: () => string | undefined = () => undefined,
): PooledDatabase {
  const connection: PoolConfig = {
    connectionString: settings.connectionString,
    application_name: settings.applicationName ?? 'contribution-service',
    ...(settings.isReadOnly ? { options: '-c default_transaction_read_only=on' } : {}),
    connectionTimeoutMillis: settings.acquireTimeoutMs,
    ...(settings.timeouts === 'role'
      ? {}
      : {
          statement_timeout: settings.statementTimeoutMs,
          lock_timeout: settings.lockTimeoutMs,
          idle_in_transaction_session_timeout: settings.idleInTransactionTimeoutMs,
        }),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
  const pool = new Pool({ ...connection, max: settings.poolSize });
  pool.on('error', onConnectionError);

  const warned = new WeakSet<PoolClient>();
  pool.on('connect', (client) => {
    // The pool hears a client's errors only while nobody uses it. A connection that breaks under a
    // statement rejects the statement and emits an error besides, and an error that nobody hears
    // ends the process.
    client.on('error', () => undefined);
    client.on('notice', (notice) => {
      if (notice.code === notReplicated) warned.add(client);
    });
  });

  // What waits for a standby are writes. While half of the connections wait, the others are for
  // those who read.
  const mostLateReplies = Math.floor(settings.poolSize / 2);
  const lateReplies: LateReplies | undefined =
    mostLateReplies === 0
      ? undefined
      : createLateReplies({
          limit: mostLateReplies,
          promptMs: settings.acquireTimeoutMs,
          tryCommit: (timeoutMs, signal) => tryCommit(connection, timeoutMs, signal),
          onWritesRejected,
        });

  /**
   * How many more may come. The pool lets everybody wait for a moment, for a free connection too.
   */
  function freeSlots(isEssential: boolean): number {
    const free = settings.poolSize - (pool.totalCount - pool.idleCount);
    const places = settings.queueLength * (isEssential ? 1 : 1 - reservedShare);
    return free + places - pool.waitingCount - (lateReplies?.waitingCount() ?? 0);
  }

  async function acquire(): Promise<PoolClient> {
    const askedAt = performance.now();
    try {
      const client = await pool.connect();
      observer.onAcquired((performance.now() - askedAt) / 1000);
      return client;
    } catch (error) {
      const failure = translateConnectError(error);
      observer.onRefusal(failure.reason === 'pool_exhausted' ? 'acquire_timeout' : 'unreachable');
      throw failure;
    }
  }

  /**
   * A connection for a write. It waits without one until it is certain whether writes are accepted.
   */
  async function acquireForWrite(): Promise<PoolClient> {
    for (;;) {
      const client = await acquire();
      if (!lateReplies?.areWritesInDoubt()) return client;
      client.release();
      if (await lateReplies.mayWrite()) continue;
      observer.onRefusal('answers_owed');
      throw new DatabaseFailure('unavailable', 'nothing', new Error('earlier writes have no answer yet'));
    }
  }

  async function execute<Row extends QueryResultRow>(
    query: Query,
    { name, writes, isEssential }: Omit<Statement, 'text'>,
    { begin, about }: { begin?: string; about?: AboutStatement | undefined } = {},
  ): Promise<Row[]> {
    const requestId = about?.requestId ?? currentRequestId();
    if (freeSlots(isEssential) <= 0) {
      observer.onRefusal('queue_full');
      throw new DatabaseFailure('pool_exhausted', 'nothing', new Error('too many wait for a connection'));
    }
    const client = await (writes ? acquireForWrite() : acquire());
    const sentAt = performance.now();
    const observe = (failure?: StatementFailure): void => {
      observer.onStatement(name, (performance.now() - sentAt) / 1000, failure, requestId);
    };
    warned.delete(client);
    const { text, values } = query;
    const sent = settings.prepares === false ? { text, values } : query;
    const reply = begin === undefined ? runOn<Row>(client, sent) : runInTransaction<Row>(client, begin, sent);
    let rows: Row[];
    try {
      rows = await withTimeout(reply, settings.replyTimeoutMs);
    } catch (error) {
      if (error instanceof ResponseTimeout) {
        observe('unavailable');
        // A read is repeated elsewhere, and its server process ends by itself.
        if (!writes || !lateReplies?.keep(client, reply)) client.release(true);
        throw named(new DatabaseFailure('unavailable', 'unknown', error), name);
      }
      const translated = translateStatementError(error);
      observe(failureOf(translated));
      // A transaction that failed is still open.
      const isUsable =
        begin === undefined &&
        (translated instanceof ConstraintViolation ||
          (translated instanceof DatabaseFailure && translated.reason === 'timeout'));
      client.release(!isUsable);
      throw named(translated, name);
    }
    client.release();
    const isReplicated = !warned.has(client);
    observe(isReplicated ? undefined : 'not_replicated');
    if (!isReplicated) {
      throw new DatabaseFailure('unavailable', 'unknown', new Error('committed, but not replicated'));
    }
    return rows;
  }

  return {
    run: (statement, values) =>
      execute({ name: statement.name, text: statement.text, values: [...values] }, statement),
    runUnprepared: (text, values, about) =>
      execute(
        { text: about ? `${commentOn(about)} ${text}` : text, values: [...values] },
        { ...unprepared, name: about?.name ?? unprepared.name },
        { about },
      ),
    runReadOnly: (text, values, localSettings = {}) => {
      const settings = Object.entries(localSettings).map(([name, value]) => `SET LOCAL ${name} = '${value}'`);
      const begin = ['BEGIN READ ONLY', ...settings].join('; ');
      return execute({ text, values: [...values] }, unprepared, { begin });
    },
    freeSlots: freeSlots,
    poolState: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      lateReplies: lateReplies?.count() ?? 0,
      rejectsWrites: lateReplies?.areWritesRejected() ?? false,
      waiting: pool.waitingCount,
      limit: settings.poolSize,
      waitingLimit: settings.queueLength,
    }),
    async close() {
      lateReplies?.stop();
      await pool.end();
    },
  };
}

async function runOn<Row extends QueryResultRow>(
  client: PoolClient,
  { name, text, values }: Query,
): Promise<Row[]> {
  if (name !== undefined) return runPrepared<Row>(client, { name, text }, values);
  return (await client.query<Row>(text, values)).rows;
}

async function runInTransaction<Row extends QueryResultRow>(
  client: PoolClient,
  begin: string,
  query: Query,
): Promise<Row[]> {
  await client.query(begin);
  const { rows } = await client.query<Row>(query);
  await client.query('COMMIT');
  return rows;
}

/** The same failure, saying which statement it was. */
function named(failure: Error, name: string): Error {
  if (failure instanceof DatabaseFailure) failure.statement = name;
  return failure;
}

function failureOf(translated: Error): StatementFailure {
  if (translated instanceof ConstraintViolation) return 'constraint';
  if (!(translated instanceof DatabaseFailure)) return 'other';
  return translated.reason === 'timeout' ? 'timeout' : 'unavailable';
}
