import type { PoolClient, QueryResultRow } from 'pg';

import { runPrepared } from '../../internals/prepared-query';
import type { LimitWork } from '../../shared/limit-work';
import {
  ConstraintViolation,
  DatabaseFailure,
  failureOfWrite,
  isOfAnotherServer,
  isOutOfMemory,
  translateQueryError,
} from '../errors';
import { beginReadOnly } from '../session-settings';
import type { Query } from '../query';
import { createConnections } from './connections';
import type { DatabaseSettings, PoolEvents } from './database-settings';
import { type DatabaseObserver, noObserver, type PoolState, type QueryFailure } from './observer';
import { ReplyTimeout, withReplyTimeout } from './reply-timeout';
import { commentOn, type QueryLabel } from './query-comment';

/** Of a query that conflicts with others, the same as of a completion that times out. */
const mostAttempts = 3;

const unprepared = { name: 'unprepared', writes: false, isEssential: false };

interface SentQuery {
  name?: string;
  text: string;
  values: unknown[];
}

/**
 * Runs queries on one pool of connections. Failures of the database and violated constraints are
 * thrown as the errors of `db/errors.ts`.
 */
export interface Database {
  /** Runs a named prepared statement: one round trip. */
  run<Row extends QueryResultRow>(query: Query, values: readonly unknown[]): Promise<Row[]>;
  /** Runs a text that is built per call, without preparing it. Not for the hot path. */
  runUnprepared<Row extends QueryResultRow>(
    text: string,
    values: readonly unknown[],
    label?: QueryLabel,
  ): Promise<Row[]>;
  /**
   * Runs a text in its own read-only transaction.
   *
   * @param localSettings PostgreSQL settings for this transaction only. They are not escaped: never
   *   pass names or values from a caller
   */
  runReadOnly<Row extends QueryResultRow>(
    text: string,
    values: readonly unknown[],
    localSettings?: Readonly<Record<string, string>>,
  ): Promise<Row[]>;
  /** Absent on one server. */
  cluster?: Cluster;
  close(): Promise<void>;
}

/** What is needed on several servers. All data of an environment is on one of them. */
export interface Cluster {
  limitWork: LimitWork;
  /**
   * The share of the environments whose server responds, from 0 to 1. Undefined on one server.
   *
   * @throws DatabaseFailure if the database does not respond, or if all connections are busy
   */
  reachableShare(): Promise<number | undefined>;
  /** Whether a write failed because of the server of its environment, and other servers respond. */
  isOfOneServer(failure: DatabaseFailure): Promise<boolean>;
}

/** A database that reports the state of its pool. */
export interface PooledDatabase extends Database {
  poolState: () => PoolState;
  /**
   * Another connection, for checks while all connections of the pool are busy. It opens when it is
   * needed, and closes when it is idle.
   */
  spare: Omit<Database, 'close' | 'cluster'>;
}

/**
 * @param observer called for every query
 * @param currentRequestId called when a query is submitted
 */
export function createDatabase(
  settings: DatabaseSettings,
  events: PoolEvents,
  observer: DatabaseObserver = noObserver,
  currentRequestId: () => string | undefined = () => undefined,
): PooledDatabase {
  const database = createOnePool(settings, events, observer, currentRequestId);
  const spare = createOnePool({ ...settings, poolSize: 1 }, { onConnectionError: events.onConnectionError });
  return {
    ...database,
    spare,
    async close() {
      await Promise.all([database.close(), spare.close()]);
    },
  };
}

function createOnePool(
  settings: DatabaseSettings,
  events: PoolEvents,
  observer: DatabaseObserver = noObserver,
  currentRequestId: () => string | undefined = () => undefined,
): Omit<PooledDatabase, 'spare'> {
  const connections = createConnections(settings, events, observer);
  let storageFailures = 0;

  const execute = <Row extends QueryResultRow>(...query: Parameters<typeof executeOnce>): Promise<Row[]> =>
    repeatAfterConflicts(settings, () => executeOnce<Row>(...query));

  async function executeOnce<Row extends QueryResultRow>(
    query: SentQuery,
    { name, writes, isEssential }: Omit<Query, 'text'>,
    { begin, label }: { begin?: string; label?: QueryLabel | undefined } = {},
  ): Promise<Row[]> {
    const requestId = label?.requestId ?? currentRequestId();
    if (connections.freeSlots(isEssential) <= 0) {
      observer.onRefusal('queue_full');
      throw new DatabaseFailure('pool_exhausted', 'nothing', new Error('the queue for a connection is full'));
    }
    const client = await connections.acquire(writes);
    const sentAt = performance.now();
    const observe = (failure?: QueryFailure): void => {
      observer.onQuery(name, (performance.now() - sentAt) / 1000, failure, requestId);
    };
    connections.clearWarning(client);
    const { text, values } = query;
    const sent = settings.usesPreparedStatements === false ? { text, values } : query;
    const reply = begin === undefined ? runOn<Row>(client, sent) : runInTransaction<Row>(client, begin, sent);
    let rows: Row[];
    try {
      rows = await withReplyTimeout(reply, settings.replyTimeoutMs);
    } catch (error) {
      if (error instanceof ReplyTimeout) {
        observe('unavailable');
        connections.abandon(client, writes, reply);
        throw withQueryName(new DatabaseFailure('unavailable', 'unknown', error), name);
      }
      const failure = translateQueryError(error);
      const kind = failureOf(failure);
      if (kind === 'no_room' || kind === 'read_only') storageFailures += 1;
      observe(kind);
      const translated = writes ? await failureOfWrite(failure, client, settings.replyTimeoutMs) : failure;
      // A failed transaction is still open.
      client.release(begin !== undefined || !leavesConnectionUsable(translated));
      throw withQueryName(translated, name);
    }
    client.release();
    const isReplicated = !connections.isNotReplicated(client);
    observe(isReplicated ? undefined : 'not_replicated');
    if (!isReplicated) {
      throw new DatabaseFailure('unavailable', 'unknown', new Error('committed, but not replicated'));
    }
    return rows;
  }

  return {
    run: (query, values) => execute(preparedQuery(query, values), query),
    runUnprepared: (text, values, label) =>
      execute(
        { text: label ? `${commentOn(label)} ${text}` : text, values: [...values] },
        { ...unprepared, name: label?.name ?? unprepared.name },
        { label },
      ),
    runReadOnly: (text, values, localSettings = {}) =>
      execute({ text, values: [...values] }, unprepared, { begin: beginReadOnly(localSettings) }),
    poolState: () => ({ ...connections.state(), storageFailures }),
    close: connections.close,
  };
}

/**
 * Runs a query, and again after a conflict, which rolled it back. A repeat starts only while it
 * can end within the time for one reply.
 */
async function repeatAfterConflicts<Result>(
  { replyTimeoutMs, statementTimeoutMs }: DatabaseSettings,
  run: () => Promise<Result>,
): Promise<Result> {
  const lastStartAt = performance.now() + replyTimeoutMs - statementTimeoutMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      const isConflict = error instanceof DatabaseFailure && error.reason === 'conflict';
      if (!isConflict || attempt === mostAttempts || performance.now() > lastStartAt) throw error;
    }
  }
}

const preparedQuery = ({ preparedName, name, text }: Query, values: readonly unknown[]): SentQuery => ({
  name: preparedName ?? name,
  text,
  values: [...values],
});

async function runOn<Row extends QueryResultRow>(
  client: PoolClient,
  { name, text, values }: SentQuery,
): Promise<Row[]> {
  if (name !== undefined) return runPrepared<Row>(client, { name, text }, values);
  return (await client.query<Row>(text, values)).rows;
}

async function runInTransaction<Row extends QueryResultRow>(
  client: PoolClient,
  begin: string,
  query: SentQuery,
): Promise<Row[]> {
  await client.query(begin);
  const { rows } = await client.query<Row>(query);
  await client.query('COMMIT');
  return rows;
}

/** Sets the query's name for the log. */
function withQueryName(failure: Error, name: string): Error {
  if (failure instanceof DatabaseFailure) failure.queryName = name;
  return failure;
}

function failureOf(translated: Error): QueryFailure {
  if (translated instanceof ConstraintViolation) return 'constraint';
  if (!(translated instanceof DatabaseFailure)) return 'other';
  const { reason } = translated;
  return reason === 'pool_exhausted' || reason === 'unconfirmed' ? 'unavailable' : reason;
}

/**
 * Whether to keep the connection after this error. It is kept if the disk is full or another
 * server is unreachable: otherwise each failing request would need a new connection, which starts
 * without plans and without connections to the other servers. A connection that lacks memory gives
 * it back when it closes.
 */
const leavesConnectionUsable = (translated: Error): boolean =>
  ['constraint', 'timeout', 'conflict'].includes(failureOf(translated)) ||
  (failureOf(translated) === 'no_room' && !isOutOfMemory(translated.cause)) ||
  isOfAnotherServer(translated.cause);
