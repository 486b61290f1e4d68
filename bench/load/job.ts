import type { RequestSpec } from '../operations';

/** What a process that makes load is told. */
export interface Job {
  /** Without a path. */
  url: string;
  connections: number;
  seconds: number;
  requests: readonly RequestSpec[];
  /** Ends when each request has been sent once. */
  once: boolean;
}

/** As many requests as connections are open at a time: how many get through? */
export interface ClosedLoopResult {
  seconds: number;
  answered: number;
  /** Neither 2xx nor anything else came. */
  errors: number;
  /** Answered with another status than 2xx. */
  refused: number;
  /** Of those that were answered, each from when it was sent. */
  milliseconds: { p50: number; p99: number };
}

/** So many requests a second, whatever becomes of the earlier ones. */
export interface OpenLoopJob extends Job {
  requestsPerSecond: number;
  /** Sends each request on a new connection, so that the time to be accepted counts. */
  opensConnections?: boolean;
}

export interface Latencies {
  count: number;
  p50: number;
  p90: number;
  p99: number;
  p999: number;
  max: number;
}

export interface OpenLoopResult {
  seconds: number;
  due: number;
  errors: number;
  /**
   * By status. From when a request was due: waiting for a connection counts (no coordinated
   * omission).
   */
  sinceDue: Record<string, Latencies>;
  /** By status. From when it was sent. */
  sinceSent: Record<string, Latencies>;
  /** Answers by status that had no Retry-After though they were 503 or 429. */
  withoutRetryAfter: number;
}

/** What a process that misbehaves is told. */
export interface FloodJob extends Pick<Job, 'url' | 'connections' | 'seconds' | 'requests'> {
  /**
   * `flood`: so many requests under way on each connection, without a pause. `burst`: each request
   * once, all at once. `slow-bodies`: bodies that never end. `aborts`: connections that are reset
   * before they are answered. `churn`: connections that are closed as soon as the request is sent,
   * each followed by the next at once.
   */
  kind: 'flood' | 'burst' | 'slow-bodies' | 'aborts' | 'churn';
  /** Requests sent on a connection before the first response. */
  pipelined: number;
}

export interface FloodResult {
  /** By status. */
  responses: Record<string, number>;
  /** Connections that the other side closed. */
  closedConnections: number;
  /** Requests of a burst that got no response. */
  unanswered: number;
  /** From sending to the response; in a burst from its beginning. */
  milliseconds: Latencies;
}
