/** The limits of requests to receivers. */
export interface SenderSettings {
  connectTimeoutMs: number;
  totalTimeoutMs: number;
  /** The time limit for the body. It is short, because the status alone decides the outcome. */
  bodyTimeoutMs: number;
  /** After this time, a connection is not reused, so that changed addresses take effect. */
  connectionLifetimeMs: number;
  /**
   * A reused connection that fails within this time was already closed. It covers a round trip and
   * a retransmission.
   */
  staleWithinMs: number;
  /**
   * 4 connections for new events, 4 for late attempts, 2 for retries, 2 for a replay, and 5 for a
   * partner's requests. None of these waits for another.
   */
  connectionsPerEndpoint: number;
  /** Further trusted certificates, for tests. */
  ca?: string;
}

export const senderSettings: SenderSettings = {
  connectTimeoutMs: 5_000,
  totalTimeoutMs: 15_000,
  bodyTimeoutMs: 1_000,
  connectionLifetimeMs: 300_000,
  staleWithinMs: 1_000,
  connectionsPerEndpoint: 17,
};
