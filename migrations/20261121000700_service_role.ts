import type { Knex } from 'knex';

/**
 * The privileges of the service's role, by column: exactly what the service's statements need, as a
 * second line of defense. Updates are limited to completing a contribution, renaming a user,
 * supporting a project, viewing a story and the last use of a key pair. It deletes nothing.
 *
 * A migration that adds a column or a table for the service must grant it too.
 */
const role = 'contribution_service';

const tables = [
  'projects',
  'project_highlights',
  'stories',
  'companies',
  'environments',
  'key_pairs',
  'bank_links',
  'users',
  'transactions',
  'supports',
  'story_views',
  'events',
  'knex_migrations',
  'knex_migrations_lock',
].join(', ');

/** @throws if the role does not exist, or owns the tables and could do anything */
async function checkRole(knex: Knex): Promise<void> {
  const { rows } = await knex.raw<{ rows: { exists: boolean; owns: boolean }[] }>(
    `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = :role) AS exists,
            (SELECT tableowner = :role FROM pg_tables WHERE schemaname = 'public' AND tablename = 'transactions') AS owns`,
    { role },
  );
  if (!rows[0]?.exists) {
    throw new Error(
      `The role ${role} does not exist. As an administrator of the server run: ` +
        `CREATE ROLE ${role} LOGIN PASSWORD '…'; and then migrate again. See "What it needs" in docs/operations/install.md.`,
    );
  }
  if (rows[0].owns) {
    throw new Error(
      `${role} owns the tables, and the service's role must own nothing. Hand them to a role of their own and migrate ` +
        'as that one (DATABASE_OWNER_URL). See "From one role to two" in docs/operations/deploy.md.',
    );
  }
}

export async function up(knex: Knex): Promise<void> {
  await checkRole(knex);
  await knex.raw(`
    -- Drops whatever was granted by hand: the grants below are complete.
    REVOKE ALL ON ${tables} FROM ${role};
    GRANT USAGE ON SCHEMA public TO ${role};

    GRANT SELECT (project_id, project_name, project_image_url, summary, description, category, country, organization,
                  goal_amount_cents, status, rank, published_story_numbers, created_at, updated_at)
      ON projects TO ${role};
    GRANT SELECT (project_id, position, title, body, image_url) ON project_highlights TO ${role};
    GRANT SELECT (story_id, project_id, story_number, title, body, image_url, status, published_at)
      ON stories TO ${role};

    GRANT SELECT (company_id, suspended_at) ON companies TO ${role};
    GRANT SELECT (environment_id, company_id, kind, transaction_tag) ON environments TO ${role};
    GRANT SELECT (environment_id, bank_environment_id, linked_at, unlinked_at) ON bank_links TO ${role};
    GRANT SELECT (api_key, environment_id, secret_hmac, pepper_version, scopes, expires_at, revoked_at, last_used_at),
          UPDATE (last_used_at)
      ON key_pairs TO ${role};

    GRANT SELECT (environment_id, user_id, user_hash, first_name, forgotten_at),
          INSERT (environment_id, user_hash, first_name),
          UPDATE (first_name)
      ON users TO ${role};
    GRANT SELECT (environment_id, transaction_id, user_id, project_id, amount_cents, currency, status, idempotency_key,
                  created_at, completed_at, completed_by_environment_id, bank_reference, value_date),
          INSERT (environment_id, transaction_id, user_id, project_id, amount_cents, currency, status, idempotency_key,
                  created_by_api_key, created_at),
          UPDATE (status, completed_at, completed_by_environment_id, completed_by_api_key, bank_reference, value_date)
      ON transactions TO ${role};
    GRANT SELECT (environment_id, user_id, project_id, first_supported_at, last_supported_at),
          INSERT (environment_id, user_id, project_id, first_supported_at, last_supported_at),
          UPDATE (first_supported_at, last_supported_at)
      ON supports TO ${role};
    GRANT SELECT (environment_id, user_id, project_id, viewed_story_numbers),
          INSERT (environment_id, user_id, project_id, viewed_story_numbers),
          UPDATE (viewed_story_numbers)
      ON story_views TO ${role};
    -- The service adds events and never reads them.
    GRANT INSERT (environment_id, event_id, transaction_id, type, actor_environment_id, actor_api_key, evidence)
      ON events TO ${role};

    -- For the check of the schema's version at startup and for readiness.
    GRANT SELECT (id, name) ON knex_migrations TO ${role};
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`REVOKE ALL ON ${tables} FROM ${role}; REVOKE ALL ON SCHEMA public FROM ${role}`);
}
