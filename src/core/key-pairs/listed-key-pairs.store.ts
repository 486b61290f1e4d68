import { membersOf } from '../../db/query';
import type { Queries } from '../../db/operator-transaction';
import type { EnvironmentKind, Scope } from '../../shared/scopes';

export type KeyPairState = 'live' | 'expired' | 'revoked';

/** A key pair in the operator's lists. */
export interface ListedKeyPair {
  company: string;
  kind: EnvironmentKind;
  apiKey: string;
  scopes: Scope[];
  state: KeyPairState;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  pepperVersion: number;
  /**
   * The newer live pair that can replace this one, because it has the same environment and at least
   * the same scopes. If there are several, the most recently used one.
   */
  successorApiKey: string | null;
  successorLastUsedAt: Date | null;
}

export interface KeyPairFilter {
  company?: string | undefined;
  kind?: EnvironmentKind | undefined;
  apiKey?: string | undefined;
  /** Whether to include expired and revoked pairs. */
  includeEnded?: boolean;
}

export type ListedKeyPairsStore = ReturnType<typeof createListedKeyPairsStore>;

const isLive = 'key_pair_is_live(k.revoked_at, k.expires_at)';

const listKeyPairs = `
  SELECT c.name AS company, e.kind,
         ${membersOf('k', 'apiKey', 'scopes', 'createdAt', 'expiresAt', 'revokedAt', 'lastUsedAt', 'pepperVersion')},
         CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN ${isLive} THEN 'live' ELSE 'expired' END AS state,
         successor.api_key AS "successorApiKey", successor.last_used_at AS "successorLastUsedAt"
    FROM key_pairs k
    JOIN environments e USING (environment_id)
    JOIN companies c USING (company_id)
    LEFT JOIN LATERAL (
      SELECT n.api_key, n.last_used_at
        FROM key_pairs n
       WHERE n.environment_id = k.environment_id AND n.created_at > k.created_at AND n.scopes @> k.scopes
         AND key_pair_is_live(n.revoked_at, n.expires_at)
       ORDER BY n.last_used_at DESC NULLS LAST, n.created_at DESC
       LIMIT 1
    ) AS successor ON true
   WHERE ($1::text IS NULL OR c.name = $1) AND ($2::text IS NULL OR e.kind = $2)
     AND ($3::text IS NULL OR k.api_key = $3) AND ($4 OR ${isLive})
   ORDER BY c.name, e.kind, k.scopes, k.created_at, k.api_key`;

export function createListedKeyPairsStore(database: Queries) {
  return {
    /** Sorted by company, environment, scopes and age. */
    list: ({ company, kind, apiKey, includeEnded }: KeyPairFilter) =>
      database.runUnprepared<ListedKeyPair>(listKeyPairs, [
        ...[company ?? null, kind ?? null, apiKey ?? null, includeEnded ?? false],
      ]),
  };
}
