import type { Knex } from 'knex';

/**
 * Replaces the scopes that a key pair can have. Existing pairs keep theirs. The table is small, so
 * the lock is short. Migrations call it, so never change its behavior.
 *
 * @param scopes all of them, in the order in which a pair stores them
 */
export async function allowScopes(knex: Knex, scopes: readonly string[]): Promise<void> {
  const cases = scopes.map((scope) => `CASE WHEN '${scope}' = ANY (scopes) THEN '${scope}' END`).join(', ');
  await knex.raw(`
    ALTER TABLE key_pairs
      DROP CONSTRAINT key_pairs_scopes_canonical,
      ADD CONSTRAINT key_pairs_scopes_canonical
        CHECK (cardinality(scopes) > 0 AND scopes = array_remove(ARRAY[${cases}], NULL))`);
}

/**
 * Takes scopes from all pairs. A pair that had no other scope is revoked. Fails if an environment
 * would then have two pairs in one slot: revoke one of them first.
 *
 * @param taken the scopes to take
 * @param left all scopes that remain, in the order in which a pair stores them
 */
export async function takeScopes(
  knex: Knex,
  taken: readonly string[],
  left: readonly string[],
): Promise<void> {
  const scopes = `ARRAY[${taken.map((scope) => `'${scope}'`).join(', ')}]`;
  await knex.raw(`
    ALTER TABLE key_pairs DROP CONSTRAINT key_pairs_scopes_canonical;
    UPDATE key_pairs
       SET revoked_at = CASE WHEN scopes <@ ${scopes} THEN COALESCE(revoked_at, now()) ELSE revoked_at END,
           scopes = CASE WHEN scopes <@ ${scopes} THEN '{projects:read}'
                         ELSE ARRAY(SELECT s FROM unnest(scopes) WITH ORDINALITY AS u (s, place)
                                     WHERE s <> ALL (${scopes}) ORDER BY place) END
     WHERE scopes && ${scopes};
    ALTER TABLE key_pairs ADD CONSTRAINT key_pairs_scopes_canonical CHECK (true)`);
  await allowScopes(knex, left);
}
