import type { Knex } from 'knex';

const before = [
  'projects:read',
  'contributions:create',
  'contributions:read',
  'contributions:complete',
  'contributions:return',
  'events:read',
  'webhooks:manage',
  'sandbox',
] as const;

const added = ['statements:read', 'statements:write'] as const;
const after = [...before.slice(0, 7), ...added, 'sandbox'] as const;

/** Allows the scopes of bank statements. Existing pairs do not get them. */
export async function up(knex: Knex): Promise<void> {
  await allowScopes(knex, after);
}

/**
 * Takes the scopes from all pairs. A pair that had no other scope is revoked. Fails if an
 * environment would then have two pairs in one slot: revoke one of them first.
 */
export async function down(knex: Knex): Promise<void> {
  const scopes = `ARRAY[${added.map((scope) => `'${scope}'`).join(', ')}]`;
  await knex.raw(`
    ALTER TABLE key_pairs DROP CONSTRAINT key_pairs_scopes_canonical;
    UPDATE key_pairs
       SET revoked_at = CASE WHEN scopes <@ ${scopes} THEN COALESCE(revoked_at, now()) ELSE revoked_at END,
           scopes = CASE WHEN scopes <@ ${scopes} THEN '{projects:read}'
                         ELSE ARRAY(SELECT s FROM unnest(scopes) WITH ORDINALITY AS u (s, place)
                                     WHERE s <> ALL (${scopes}) ORDER BY place) END
     WHERE scopes && ${scopes};
    ALTER TABLE key_pairs ADD CONSTRAINT key_pairs_scopes_canonical CHECK (true)`);
  await allowScopes(knex, before);
}

/** The table is small, so the lock is short. */
async function allowScopes(knex: Knex, scopes: readonly string[]): Promise<void> {
  const cases = scopes.map((scope) => `CASE WHEN '${scope}' = ANY (scopes) THEN '${scope}' END`).join(', ');
  await knex.raw(`
    ALTER TABLE key_pairs
      DROP CONSTRAINT key_pairs_scopes_canonical,
      ADD CONSTRAINT key_pairs_scopes_canonical
        CHECK (cardinality(scopes) > 0 AND scopes = array_remove(ARRAY[${cases}], NULL))`);
}
