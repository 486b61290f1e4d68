/** The limits of requests to receivers. */
export interface SenderSettings {
  connectTimeoutMs: number;
  totalTimeoutMs: number;
  /** The status decides, so the body gets little time. */
  bodyTimeoutMs: number;
  /** A connection is not used again after this time, so that changed addresses are noticed. */
  connectionLifetimeMs: number;
  /**
   * 4 for new events, 4 for late attempts, 2 for retries, 2 for a replay, and 5 for a partner's
   * requests. None waits for another.
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
  connectionsPerEndpoint: 17,
};
