/** Why a statement was never sent. */
export const refusalReasons = ['queue_full', 'acquire_timeout', 'unreachable', 'answers_owed'] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** Why a statement that was sent failed: PostgreSQL's own word on it, or none. */
export const statementFailures = ['constraint', 'timeout', 'unavailable', 'not_replicated', 'other'] as const;
export type StatementFailure = (typeof statementFailures)[number];

/**
 * What counts or logs statements. It must be quick and must not throw: it stands in the way of
 * every request.
 */
export interface DatabaseObserver {
  /**
   * A statement has its answer, or has failed.
   *
   * @param name of the statement; `unprepared` for texts without one, which a start sends and the
   *   operator's commands
   * @param requestId of the request that it was for, where that is known
   */
  onStatement: (
    name: string,
    seconds: number,
    failure: StatementFailure | undefined,
    requestId: string | undefined,
  ) => void;
  /** A connection was there after this time. */
  onAcquired: (seconds: number) => void;
  onRefusal: (reason: RefusalReason) => void;
}

/** The pool at this moment. */
export interface PoolState {
  /** All connections, those that are idle or owe an answer included. */
  readonly open: number;
  readonly idle: number;
  /** Connections that owe the late answer to a write. */
  readonly lateReplies: number;
  /** Commits get no reply: writes are rejected before they are sent. */
  readonly rejectsWrites: boolean;
  readonly waiting: number;
  readonly limit: number;
  readonly waitingLimit: number;
}

/** For who needs no counts: the operator's commands, tests. */
export const noObserver: DatabaseObserver = {
  onStatement: () => undefined,
  onAcquired: () => undefined,
  onRefusal: () => undefined,
};
