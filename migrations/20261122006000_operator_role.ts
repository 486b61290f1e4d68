import type { Knex } from 'knex';

/**
 * The privileges of operators. `contribution_operator` is a group, and each person has a login that
 * is a member. It owns nothing, so it can neither change the audit log nor disable a trigger.
 *
 * It may read whole tables, for `verify` and exports, but never the HMAC of a secret. Writes are
 * granted by column.
 */
const role = 'contribution_operator';

const readTables = [
  'projects',
  'project_highlights',
  'stories',
  'companies',
  'environments',
  'bank_links',
  'users',
  'transactions',
  'supports',
  'story_views',
  'events',
  'project_figures',
  'project_figure_changes',
  'operator_actions',
  'knex_migrations',
].join(', ');

/** Creates the role if the migrating role may. Otherwise an administrator creates it once. */
async function ensureRole(knex: Knex): Promise<void> {
  await knex.raw(`
    DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}')
         AND (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user) THEN
        CREATE ROLE ${role} NOLOGIN;
      END IF;
    EXCEPTION
      -- The migration of another database of this server creates the role at the same moment.
      WHEN duplicate_object OR unique_violation THEN NULL;
    END $$`);
  const { rows } = await knex.raw<{ rows: { exists: boolean; excess: string | null }[] }>(
    `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = :role) AS exists,
            CASE WHEN (SELECT rolsuper FROM pg_roles WHERE rolname = :role) THEN 'is a superuser'
                 WHEN EXISTS (SELECT FROM pg_class c JOIN pg_roles r ON r.rolname = :role
                               WHERE c.relnamespace = 'public'::regnamespace AND pg_has_role(r.oid, c.relowner, 'MEMBER'))
                   THEN 'owns tables, or may become their owner' END AS excess`,
    { role },
  );
  if (!rows[0]?.exists) {
    throw new Error(
      `The role ${role} does not exist, and this role may not create roles. As an administrator of the server run: ` +
        `CREATE ROLE ${role} NOLOGIN; and then migrate again. See "Operators" in docs/operations/install.md.`,
    );
  }
  if (rows[0].excess !== null) {
    throw new Error(
      `${role} ${rows[0].excess}, so it could change the audit log. Take that away and migrate again. ` +
        'See "Operators" in docs/operations/install.md.',
    );
  }
}

export async function up(knex: Knex): Promise<void> {
  await ensureRole(knex);
  await knex.raw(`
    -- Drops whatever was granted by hand: the grants below are complete.
    REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${role};
    GRANT USAGE ON SCHEMA public TO ${role};
    GRANT SELECT ON ${readTables} TO ${role};

    GRANT INSERT (company_id, name), UPDATE (suspended_at) ON companies TO ${role};
    GRANT INSERT (company_id, kind, transaction_tag), UPDATE (requests_per_second, completions_per_second)
      ON environments TO ${role};
    GRANT INSERT (environment_id, bank_environment_id, kind), UPDATE (unlinked_at) ON bank_links TO ${role};
    GRANT SELECT (api_key, environment_id, pepper_version, scopes, slot, created_at, expires_at, revoked_at, last_used_at),
          INSERT (api_key, environment_id, secret_hmac, pepper_version, scopes, slot, expires_at),
          UPDATE (expires_at, revoked_at)
      ON key_pairs TO ${role};

    -- LOCK TABLE, with which an import begins, needs UPDATE or DELETE on the whole table.
    GRANT INSERT (external_reference, project_name, project_image_url, summary, description, category, country, organization,
                  goal_amount_cents, status, rank),
          UPDATE
      ON projects TO ${role};
    GRANT INSERT (project_id, position, title, body, image_url), DELETE ON project_highlights TO ${role};
    GRANT INSERT (project_id, story_number, title, body, image_url, status, published_at), UPDATE ON stories TO ${role};

    -- Forgetting a user.
    GRANT UPDATE (user_hash, first_name, forgotten_at) ON users TO ${role};
    GRANT DELETE ON supports, story_views TO ${role};

    -- Recounting the figures of projects, and taking back the support of a forgotten user.
    GRANT INSERT (environment_id, project_id, amount_cents, supporters), DELETE ON project_figure_changes TO ${role};
    GRANT INSERT (figures_scope, project_id, raised_cents, supporters_count), UPDATE (raised_cents, supporters_count)
      ON project_figures TO ${role};
    GRANT UPDATE (taken_at) ON project_figures_turn TO ${role};
    GRANT DELETE ON project_figures_uncounted TO ${role};
  `);
}

/** Keeps the role: other databases of the server may use it, and logins are members of it. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    `REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${role}; REVOKE ALL ON SCHEMA public FROM ${role}`,
  );
}
