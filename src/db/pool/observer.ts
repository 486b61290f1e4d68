import type { RejectionCause } from './write-guard';

/** The reasons why a query was never sent. */
export const refusalReasons = ['queue_full', 'acquire_timeout', 'unreachable', 'writes_rejected'] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** The reasons why a query failed after it was sent. */
export const queryFailures = [
  'constraint',
  'timeout',
  'conflict',
  'no_room',
  'read_only',
  'unavailable',
  'not_replicated',
  'other',
] as const;
export type QueryFailure = (typeof queryFailures)[number];

/**
 * Counts or logs queries. It runs in the path of every request, so it must be quick and must not
 * throw.
 */
export interface DatabaseObserver {
  /**
   * Called when a query has succeeded or failed.
   *
   * @param name of the query; `unprepared` for texts without a name, which startup and the
   *   operator's commands send
   * @param requestId of the request that the query belongs to, if known
   */
  onQuery: (
    name: string,
    seconds: number,
    failure: QueryFailure | undefined,
    requestId: string | undefined,
  ) => void;
  /** Called when a connection was acquired, with the time that this took. */
  onAcquired: (seconds: number) => void;
  onRefusal: (reason: RefusalReason) => void;
}

/** The current state of the pool. */
export interface PoolState {
  /** All connections, including idle ones and ones with a late reply. */
  readonly open: number;
  readonly idle: number;
  /** Connections that wait for the late reply to a write. */
  readonly lateReplies: number;
  /** Why writes are rejected before they are sent; undefined while they are sent. */
  readonly writesRejected: RejectionCause | undefined;
  /**
   * Queries that failed so far because the database has no room or is read-only. A higher number
   * than before says that the database must be asked again.
   */
  readonly storageFailures: number;
  readonly waiting: number;
  readonly limit: number;
  readonly waitingLimit: number;
}

/** An observer that does nothing, for the operator's commands and tests. */
export const noObserver: DatabaseObserver = {
  onQuery: () => undefined,
  onAcquired: () => undefined,
  onRefusal: () => undefined,
};
