import type { Statements } from '../../db/operator-transaction';
import { ConstraintViolation } from '../../db/errors';
import type { EnvironmentKind, Scope } from '../../shared/scopes';
import { keyPairChannel } from './key-pair-channel';

export type KeyPairState = 'live' | 'expired' | 'revoked';

/** A key pair as an operator sees it. */
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
  /** A newer live pair of the same environment that may do all that this one may, the one that was used last. */
  successor: { apiKey: string; lastUsedAt: Date | null } | null;
}

export interface KeyPairFilter {
  company?: string | undefined;
  kind?: EnvironmentKind | undefined;
  apiKey?: string | undefined;
  /** Those too that have expired or were revoked. */
  includeEnded?: boolean;
}

export interface ReplacingKeyPair {
  apiKey: string;
  secretHmac: Buffer;
  pepperVersion: number;
  expiresAt: Date | undefined;
}

export interface KeyRotationStore {
  /** By company, environment, scopes and age. */
  list(filter: KeyPairFilter): Promise<ListedKeyPair[]>;
  /**
   * Gives a live pair a successor with its scopes, and lets it expire after the overlap, or earlier if it already would. Every
   * process hears of it.
   *
   * @returns when the old pair ends; undefined when the other slot of its scopes is taken
   */
  replace(oldApiKey: string, pair: ReplacingKeyPair, overlapMinutes: number): Promise<Date | undefined>;
}

const isLive = `(k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp()))`;

const listKeyPairs = `
  SELECT c.name AS company, e.kind, k.api_key, k.scopes, k.created_at, k.expires_at, k.revoked_at, k.last_used_at,
         k.pepper_version,
         CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN ${isLive} THEN 'live' ELSE 'expired' END AS state,
         successor.api_key AS successor_api_key, successor.last_used_at AS successor_last_used_at
    FROM key_pairs k
    JOIN environments e USING (environment_id)
    JOIN companies c USING (company_id)
    LEFT JOIN LATERAL (
      SELECT n.api_key, n.last_used_at
        FROM key_pairs n
       WHERE n.environment_id = k.environment_id AND n.created_at > k.created_at AND n.scopes @> k.scopes
         AND n.revoked_at IS NULL AND (n.expires_at IS NULL OR n.expires_at > clock_timestamp())
       ORDER BY n.last_used_at DESC NULLS LAST, n.created_at DESC
       LIMIT 1
    ) AS successor ON true
   WHERE ($1::text IS NULL OR c.name = $1) AND ($2::text IS NULL OR e.kind = $2)
     AND ($3::text IS NULL OR k.api_key = $3) AND ($4 OR ${isLive})
   ORDER BY c.name, e.kind, k.scopes, k.created_at, k.api_key`;

// Of the other slot's pairs only one that has ended gives it up.
const replaceKeyPair = `
  WITH old AS (
    SELECT k.api_key, k.environment_id, k.scopes, k.slot
      FROM key_pairs k WHERE k.api_key = $1 AND ${isLive}
       FOR UPDATE
  ),
  freed AS (
    UPDATE key_pairs k SET revoked_at = k.expires_at
      FROM old
     WHERE k.environment_id = old.environment_id AND k.scopes = old.scopes AND k.slot <> old.slot
       AND k.revoked_at IS NULL AND k.expires_at <= clock_timestamp()
    RETURNING k.api_key
  ),
  successor AS (
    INSERT INTO key_pairs (api_key, environment_id, secret_hmac, pepper_version, scopes, expires_at, slot)
    SELECT $2, old.environment_id, $3, $4, old.scopes, $5, 3 - old.slot
      -- Naming the part before makes it run before.
      FROM old WHERE (SELECT count(*) FROM freed) >= 0
    RETURNING api_key
  )
  UPDATE key_pairs k
     SET expires_at = LEAST(k.expires_at, clock_timestamp() + $6::integer * interval '1 minute')
    FROM successor
   WHERE k.api_key = $1
  RETURNING k.expires_at, pg_notify('${keyPairChannel}', k.api_key)`;

interface ListedRow {
  company: string;
  kind: EnvironmentKind;
  api_key: string;
  scopes: Scope[];
  state: KeyPairState;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  pepper_version: number;
  successor_api_key: string | null;
  successor_last_used_at: Date | null;
}

const toListedKeyPair = (row: ListedRow): ListedKeyPair => ({
  company: row.company,
  kind: row.kind,
  apiKey: row.api_key,
  scopes: row.scopes,
  state: row.state,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at,
  pepperVersion: row.pepper_version,
  successor:
    row.successor_api_key === null
      ? null
      : { apiKey: row.successor_api_key, lastUsedAt: row.successor_last_used_at },
});

export function createKeyRotationStore(database: Statements): KeyRotationStore {
  return {
    async list({ company, kind, apiKey, includeEnded }) {
      const values = [company ?? null, kind ?? null, apiKey ?? null, includeEnded ?? false];
      return (await database.runUnprepared<ListedRow>(listKeyPairs, values)).map(toListedKeyPair);
    },

    async replace(oldApiKey, { apiKey, secretHmac, pepperVersion, expiresAt }, overlapMinutes) {
      const values = [oldApiKey, apiKey, secretHmac, pepperVersion, expiresAt ?? null, overlapMinutes];
      try {
        const [row] = await database.runUnprepared<{ expires_at: Date }>(replaceKeyPair, values);
        if (!row) throw new Error('the key pair ended while it was replaced');
        return row.expires_at;
      } catch (error) {
        const isTaken =
          error instanceof ConstraintViolation && error.constraint === 'key_pairs_two_live_per_scope_set';
        if (isTaken) return undefined;
        throw error;
      }
    },
  };
}
