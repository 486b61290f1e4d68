import type { RequestSpec } from '../operations';

/** A job for a load process. */
export interface Job {
  /** Base address, without a path. */
  url: string;
  connections: number;
  seconds: number;
  requests: readonly RequestSpec[];
  /** Ends after each request was sent once. */
  once: boolean;
}

/** A closed loop: each connection always has one request in flight. */
export interface ClosedLoopResult {
  seconds: number;
  succeeded: number;
  /** Requests without any response. */
  errors: number;
  /** Responses with a status other than 2xx. */
  refused: number;
  /** Latency of each response, from sending. */
  milliseconds: { p50: number; p99: number };
}

/** An open loop: a fixed number of requests per second, independent of the responses. */
export interface OpenLoopJob extends Job {
  requestsPerSecond: number;
  /** Sends each request on a new connection, so that the time to accept it counts. */
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
   * By status, from when a request was due. Waiting for a connection counts (no coordinated
   * omission).
   */
  sinceDue: Record<string, Latencies>;
  /** By status, from sending. */
  sinceSent: Record<string, Latencies>;
  /** 503 and 429 responses without Retry-After, by status. */
  withoutRetryAfter: number;
}

/** A job for a process that sends hostile load. */
export interface FloodJob extends Pick<Job, 'url' | 'connections' | 'seconds' | 'requests'> {
  /**
   * `flood`: a constant number of requests in flight on each connection. `burst`: every request
   * once, all at the same time. `slow-bodies`: bodies that never end. `aborts`: connections that
   * are reset before the responses. `churn`: connections that are closed as soon as the request is
   * sent, each followed immediately by the next.
   */
  kind: 'flood' | 'burst' | 'slow-bodies' | 'aborts' | 'churn';
  /** Requests sent on a connection before the first response. */
  pipelined: number;
}

export interface FloodResult {
  /** By status. */
  responses: Record<string, number>;
  /** Connections that the service closed. */
  closedConnections: number;
  /** Requests of a burst without a response. */
  unanswered: number;
  /** From sending to the response; in a burst, from the start of the burst. */
  milliseconds: Latencies;
}
