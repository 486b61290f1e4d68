import type { Database } from '../../db/pool/database';
import { membersOf, query } from '../../db/query';
import type { Principal, RateLimits } from '../../shared/scopes';

/** A live key pair. The principals of pairs that were read in bulk have no `faultyOperations`. */
export interface StoredKeyPair {
  readonly principal: Principal;
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
   SELECT ${membersOf('k', 'apiKey', 'environmentId', 'scopes', 'secretHmac', 'pepperVersion', 'expiresAt')},
          e.kind AS "environmentKind", ${membersOf('e', 'transactionTag', 'requestsPerSecond', 'completionsPerSecond')},
          ${operations} AS "faultyOperations", c.frozen_at IS NOT NULL AS "isFrozen"
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

type KeyPairRow = Omit<StoredKeyPair, 'principal'> & Omit<Principal, 'rateLimits'> & RateLimits;

function toStoredKeyPair(row: KeyPairRow): StoredKeyPair {
  const { secretHmac, pepperVersion, expiresAt, requestsPerSecond, completionsPerSecond, ...others } = row;
  const principal = { ...others, rateLimits: { requestsPerSecond, completionsPerSecond } };
  return { principal, secretHmac, pepperVersion, expiresAt };
}

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
