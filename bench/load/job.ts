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
  /** By status. From when a request was due: waiting for a connection counts (no coordinated omission). */
  sinceDue: Record<string, Latencies>;
  /** By status. From when it was sent. */
  sinceSent: Record<string, Latencies>;
  /** Answers by status that had no Retry-After though they were 503 or 429. */
  withoutRetryAfter: number;
}
