import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

import {
  type DatabaseObserver,
  type PoolState,
  refusalReasons,
  type QueryFailure,
  queryFailures,
} from '../db/pool/observer';
import { createBatcher } from '../shared/batcher';

export interface DatabaseMetrics extends DatabaseObserver {
  /** Exports the state of this pool with each scrape. */
  watchPool: (state: () => PoolState) => void;
}

interface EndedQuery {
  readonly statement: string;
  readonly seconds: number;
  readonly failure: QueryFailure | undefined;
}

/** The buckets range from a fraction of a millisecond to more than the statement timeout. */
const secondsBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5];

/** The pool, the wait for connections, and the duration and failures of each statement. */
export function createDatabaseMetrics(registry: Registry): DatabaseMetrics {
  const registers = [registry];
  // Both batchers collect measurements, which the next scrape counts.
  const ended = createBatcher(count);
  const waits = createBatcher((seconds: number) => {
    acquire.observe(seconds);
  });
  const duration = new Histogram({
    name: 'contribution_database_statement_duration_seconds',
    help: 'From sending a statement to its reply or failure, by its name.',
    labelNames: ['statement'],
    buckets: secondsBuckets,
    registers,
    collect: ended.flush,
  });
  const failures = new Counter({
    name: 'contribution_database_statement_failures_total',
    help: 'Statements that failed. This includes constraints that decide a race, which are normal.',
    labelNames: ['statement', 'reason'],
    registers,
    collect: ended.flush,
  });
  const acquire = new Histogram({
    name: 'contribution_database_acquire_duration_seconds',
    help: 'Time that requests waited until they got a connection.',
    buckets: secondsBuckets,
    registers,
    collect: waits.flush,
  });
  const refusals = new Counter({
    name: 'contribution_database_refusals_total',
    help: 'Statements that were never sent: the queue was full, no connection became free in time, none could be opened, or earlier writes have no reply.',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of refusalReasons) refusals.inc({ reason }, 0);

  const seen = new Set<string>();
  /** Starts the failure counters of a statement at 0, so that its first failure is an increase. */
  function startCounters(statement: string): void {
    seen.add(statement);
    for (const reason of queryFailures) failures.inc({ statement, reason }, 0);
  }

  function count({ statement, seconds, failure }: EndedQuery): void {
    if (!seen.has(statement)) startCounters(statement);
    duration.observe({ statement }, seconds);
    if (failure !== undefined) failures.inc({ statement, reason: failure });
  }

  return {
    onQuery: (statement, seconds, failure) => {
      ended.add({ statement, seconds, failure });
    },
    onAcquired: waits.add,
    onRefusal: (reason) => {
      refusals.inc({ reason });
    },
    watchPool: (state) => {
      exportPool(registers, state);
    },
  };
}

function exportPool(registers: Registry[], state: () => PoolState): void {
  const gauge = (name: string, help: string, read: (state: PoolState) => number): void => {
    new Gauge({
      name: `contribution_database_${name}`,
      help,
      registers,
      collect() {
        this.set(read(state()));
      },
    });
  };
  new Gauge({
    name: 'contribution_database_connections',
    help: 'Connections of the pool: idle, busy, or late_reply (waiting for the late reply to a write).',
    labelNames: ['state'],
    registers,
    collect() {
      const { open, idle, lateReplies } = state();
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'late_reply' }, lateReplies);
      this.set({ state: 'busy' }, open - idle - lateReplies);
    },
  });
  gauge(
    'writes_rejected',
    '1 while writes are rejected before they are sent, because a trial commit failed, otherwise 0.',
    ({ writesRejected }) => (writesRejected === undefined ? 0 : 1),
  );
  gauge('connections_limit', 'Maximum number of connections of this process.', ({ limit }) => limit);
  gauge('queue_length', 'Requests that wait for a connection.', ({ waiting }) => waiting);
  gauge(
    'queue_limit',
    'Maximum number of requests that wait for a connection.',
    ({ waitingLimit }) => waitingLimit,
  );
}
