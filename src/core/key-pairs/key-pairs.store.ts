import type { Database } from '../../db/pool/database';
import { query } from '../../db/query';
import type { EnvironmentKind, RateLimits, Scope } from '../../shared/scopes';

/** The columns of a live key pair that authentication needs. */
export interface StoredKeyPair {
  readonly apiKey: string;
  readonly environmentId: number;
  readonly environmentKind: EnvironmentKind;
  readonly transactionTag: string;
  readonly scopes: readonly Scope[];
  readonly rateLimits: RateLimits;
  /** Operations with armed faults of the sandbox. Pairs that were read in bulk have none. */
  readonly faultyOperations: readonly string[];
  /** Whether its company is frozen. */
  readonly isFrozen: boolean;
  readonly secretHmac: Buffer;
  readonly pepperVersion: number;
  readonly expiresAt: Date | null;
}

export type KeyPairsStore = ReturnType<typeof createKeyPairsStore>;

/**
 * Reads the faults of the sandbox for test pairs only, so production pairs need no lookup of
 * faults.
 */
const faultyOperations = `CASE WHEN e.kind = 'test' THEN ARRAY(
            SELECT DISTINCT f.operation FROM sandbox_faults f
             WHERE f.environment_id = e.environment_id AND f.times_left > 0 AND f.expires_at > statement_timestamp()
          ) ELSE '{}' END`;

const liveKeyPairs = (operations: string): string => `
   SELECT k.api_key, k.environment_id, e.kind, e.transaction_tag, k.scopes, k.secret_hmac, k.pepper_version, k.expires_at,
          e.requests_per_second, e.completions_per_second, ${operations} AS faulty_operations,
          c.frozen_at IS NOT NULL AS is_frozen
     FROM key_pairs k JOIN environments e USING (environment_id) JOIN companies c USING (company_id)
    WHERE key_pair_is_live(k.revoked_at, k.expires_at)`;
const findLiveKeyPair = `${liveKeyPairs(faultyOperations)} AND k.api_key = $1`;

// Essential, because completions need authentication.
const findKnownKeyPair = query('find_known_key_pair', findLiveKeyPair, { isEssential: true });
// Not essential: anyone can send well-formed keys. They must not use up the reserved connections.
const findUnknownKeyPair = query('find_unknown_key_pair', findLiveKeyPair);

const listLiveKeyPairs = query(
  'list_live_key_pairs',
  `${liveKeyPairs(`'{}'::text[]`)}
      AND ($2::timestamptz IS NULL OR k.last_used_at IS NULL OR k.last_used_at >= $2)
    ORDER BY k.last_used_at DESC NULLS LAST
    LIMIT $1`,
  // Essential, because until it has run, the service throttles partners like unknown clients.
  { isEssential: true },
);

const recordKeyPairUse = query(
  'record_key_pair_use',
  `UPDATE key_pairs k SET last_used_at = GREATEST(k.last_used_at, used.at)
     FROM unnest($1::text[], $2::timestamptz[]) AS used (api_key, at)
    WHERE k.api_key = used.api_key`,
);

interface KeyPairRow {
  api_key: string;
  environment_id: number;
  kind: EnvironmentKind;
  transaction_tag: string;
  scopes: Scope[];
  requests_per_second: number | null;
  completions_per_second: number | null;
  secret_hmac: Buffer;
  pepper_version: number;
  expires_at: Date | null;
  faulty_operations: string[];
  is_frozen: boolean;
}

const toStoredKeyPair = (row: KeyPairRow): StoredKeyPair => ({
  apiKey: row.api_key,
  environmentId: row.environment_id,
  environmentKind: row.kind,
  transactionTag: row.transaction_tag,
  scopes: row.scopes,
  rateLimits: {
    requestsPerSecond: row.requests_per_second,
    completionsPerSecond: row.completions_per_second,
  },
  faultyOperations: row.faulty_operations,
  isFrozen: row.is_frozen,
  secretHmac: row.secret_hmac,
  pepperVersion: row.pepper_version,
  expiresAt: row.expires_at,
});

export function createKeyPairsStore(database: Database) {
  return {
    /**
     * Finds a pair; undefined if it is unknown, revoked or expired.
     *
     * @param isKnown whether the key is known to exist. Only lookups of known keys may use the
     *   connections that are reserved for essential queries.
     */
    async findLive(apiKey: string, isKnown: boolean) {
      const find = isKnown ? findKnownKeyPair : findUnknownKeyPair;
      const [row] = await database.run<KeyPairRow>(find, [apiKey]);
      return row && toStoredKeyPair(row);
    },
    /**
     * The live pairs that were used since this time or were never used. The most recently used pair
     * is the first.
     */
    async listLive(limit: number, usedSince: Date | undefined) {
      return (await database.run<KeyPairRow>(listLiveKeyPairs, [limit, usedSince ?? null])).map(
        toStoredKeyPair,
      );
    },
    /** Records when pairs were last used. Does not overwrite a later time. */
    async recordUse(lastUse: ReadonlyMap<string, Date>) {
      if (lastUse.size === 0) return;
      await database.run(recordKeyPairUse, [[...lastUse.keys()], [...lastUse.values()]]);
    },
  };
}
