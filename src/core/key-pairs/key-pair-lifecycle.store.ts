import { violates } from '../../db/errors';
import type { Queries } from '../../db/operator-transaction';
import { query } from '../../db/query';
import type { Scope } from '../../shared/scopes';
import { keyPairChannel } from '../../shared/key-pair-channel';

export interface StoredKeyPair {
  apiKey: string;
  secretHmac: Buffer;
  pepperVersion: number;
}

/** `same`: it gets as much time as the old pair got when it was issued. */
export type SuccessorExpiry = Date | 'never' | 'same';

export interface NewKeyPair extends StoredKeyPair {
  expiresAt: Date | undefined;
  environmentId: number;
  /** In canonical order. */
  scopes: readonly Scope[];
}

/** Adds, replaces and revokes key pairs. An environment has two slots for each scope set. */
export type KeyPairLifecycleStore = ReturnType<typeof createKeyPairLifecycleStore>;

// Frees the slots of expired pairs. Of two concurrent queries for one slot, the partial unique
// index rejects the second.
const addKeyPair = query(
  'add_key_pair',
  `WITH expired AS (
     UPDATE key_pairs SET revoked_at = expires_at
      WHERE environment_id = $2 AND scopes = $5 AND revoked_at IS NULL AND expires_at <= clock_timestamp()
     RETURNING slot
   ),
   added AS (
     INSERT INTO key_pairs
       (api_key, environment_id, secret_hmac, pepper_version, scopes, expires_at, issued_until, slot)
     SELECT $1, $2, $3, $4, $5, $6, $6, free.slot
       FROM (VALUES (1), (2)) AS free (slot)
      -- The reference to "expired" makes its update run before the insert.
      WHERE (SELECT count(*) FROM expired) >= 0 AND NOT EXISTS (
        SELECT FROM key_pairs k
         WHERE k.environment_id = $2 AND k.scopes = $5 AND k.slot = free.slot AND k.revoked_at IS NULL
           AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp()))
      ORDER BY free.slot
      LIMIT 1
     RETURNING api_key
   )
   -- The notification makes the pair known to every process, so none throttles its first request.
   SELECT api_key, pg_notify('${keyPairChannel}', api_key) FROM added`,
);

const revokeKeyPair = query(
  'revoke_key_pair',
  `WITH revoked AS (
     UPDATE key_pairs SET revoked_at = clock_timestamp()
      WHERE api_key = $1 AND revoked_at IS NULL
     RETURNING api_key
   )
   SELECT pg_notify('${keyPairChannel}', api_key) FROM revoked`,
);

// $1 environments
const revokeAllKeyPairs = `
  WITH revoked AS (
    UPDATE key_pairs k SET revoked_at = clock_timestamp()
     WHERE k.environment_id = ANY ($1::integer[]) AND key_pair_is_live(k.revoked_at, k.expires_at)
    RETURNING k.api_key
  )
  SELECT r.api_key, pg_notify('${keyPairChannel}', r.api_key) FROM revoked r ORDER BY r.api_key`;

// Frees the other slot only if its pair has expired.
// $5 the new expiry, unless $7: as much time as the old pair was issued for
const replaceKeyPair = `
  WITH old AS (
    SELECT k.api_key, k.environment_id, k.scopes, k.slot,
           CASE WHEN $7 THEN clock_timestamp() + (k.issued_until - k.created_at) ELSE $5::timestamptz END AS expiry
      FROM key_pairs k WHERE k.api_key = $1 AND key_pair_is_live(k.revoked_at, k.expires_at)
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
    INSERT INTO key_pairs
      (api_key, environment_id, secret_hmac, pepper_version, scopes, expires_at, issued_until, slot)
    SELECT $2, old.environment_id, $3, $4, old.scopes, old.expiry, old.expiry, 3 - old.slot
      -- The reference to "freed" makes its update run before the insert.
      FROM old WHERE (SELECT count(*) FROM freed) >= 0
    RETURNING api_key, expires_at
  )
  UPDATE key_pairs k
     SET expires_at = LEAST(k.expires_at, clock_timestamp() + $6::integer * interval '1 minute')
    FROM successor
   WHERE k.api_key = $1
  RETURNING k.expires_at AS old_expires_at, successor.expires_at, pg_notify('${keyPairChannel}', k.api_key), pg_notify('${keyPairChannel}', successor.api_key)`;

/** Awaits a query. Undefined if another pair has taken the slot. */
async function unlessSlotIsTaken<T>(statementResult: Promise<T>): Promise<T | undefined> {
  try {
    return await statementResult;
  } catch (error) {
    if (violates(error, 'key_pairs_two_live_per_scope_set')) return undefined;
    throw error;
  }
}

export function createKeyPairLifecycleStore(database: Queries) {
  return {
    /** Adds a pair in a free slot of its scope set; false if both slots have live pairs. */
    async add({ apiKey, environmentId, secretHmac, pepperVersion, scopes, expiresAt }: NewKeyPair) {
      const values = [apiKey, environmentId, secretHmac, pepperVersion, scopes, expiresAt ?? null];
      // If a concurrent query takes the slot, the next attempt takes the other slot or finds
      // none.
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        const rows = await unlessSlotIsTaken(database.run(addKeyPair, values));
        if (rows) return rows.length > 0;
      }
      return false;
    },

    /**
     * Adds a successor with the scopes of a live pair. The old pair expires after the overlap, or
     * earlier if it already had an expiry. Notifies every process.
     *
     * @returns when each pair expires; undefined if the other slot of its scope set is taken
     */
    async replace(
      oldApiKey: string,
      { apiKey, secretHmac, pepperVersion }: StoredKeyPair,
      expiry: SuccessorExpiry,
      overlapMinutes: number,
    ) {
      const expiresAt = expiry instanceof Date ? expiry : null;
      const rows = await unlessSlotIsTaken(
        database.runUnprepared<{ old_expires_at: Date; expires_at: Date | null }>(replaceKeyPair, [
          ...[oldApiKey, apiKey, secretHmac, pepperVersion, expiresAt, overlapMinutes],
          expiry === 'same',
        ]),
      );
      if (!rows) return undefined;
      const [row] = rows;
      if (!row) throw new Error('the key pair ended while it was replaced');
      return { oldExpiresAt: row.old_expires_at, expiresAt: row.expires_at };
    },

    /** Revokes all live pairs of these environments, and returns their API-Keys. */
    revokeAll: async (environmentIds: readonly number[]) =>
      (await database.runUnprepared<{ api_key: string }>(revokeAllKeyPairs, [environmentIds])).map(
        ({ api_key: apiKey }) => apiKey,
      ),

    /** Revokes a pair and notifies every process; false if there is no such live pair. */
    revoke: async (apiKey: string) => (await database.run(revokeKeyPair, [apiKey])).length > 0,
  };
}
