import type { Knex } from 'knex';

/** Completions that were taken back, and the acts of operators among the events. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `ALTER TABLE transactions
       ADD COLUMN completion smallint NOT NULL DEFAULT 1,
       ADD COLUMN corrected_at timestamptz`,
  );
  await knex.raw(
    `ALTER TABLE transactions ADD CONSTRAINT transactions_corrected_without_returns
       CHECK (corrected_at IS NULL OR (completed_at IS NOT NULL AND returned_cents = 0)) NOT VALID`,
  );
  await knex.raw('ALTER TABLE transactions VALIDATE CONSTRAINT transactions_corrected_without_returns');
  await knex.raw(
    `COMMENT ON COLUMN transactions.completion IS
       'the number of the completion in the row: 1, and one more for each completion after a correction'`,
  );
  await knex.raw(
    `COMMENT ON COLUMN transactions.corrected_at IS
       'when the completion was taken back; null again after the next completion'`,
  );
  await knex.raw(`
    CREATE TABLE corrections (
      environment_id integer NOT NULL,
      transaction_id text COLLATE "C" NOT NULL,
      completion smallint NOT NULL,
      completed_at timestamptz NOT NULL,
      completed_by_environment_id integer NOT NULL,
      completed_by_api_key text COLLATE "C" NOT NULL,
      bank_reference text,
      value_date date,
      reason text NOT NULL,
      actor_environment_id integer,
      actor_api_key text COLLATE "C",
      actor_login text,
      recorded_at timestamptz NOT NULL,
      CONSTRAINT corrections_pkey PRIMARY KEY (environment_id, transaction_id, completion),
      CONSTRAINT corrections_transaction_fkey
        FOREIGN KEY (environment_id, transaction_id) REFERENCES transactions (environment_id, transaction_id),
      CONSTRAINT corrections_completed_by_fkey
        FOREIGN KEY (completed_by_environment_id) REFERENCES environments (environment_id),
      CONSTRAINT corrections_actor_fkey
        FOREIGN KEY (actor_environment_id) REFERENCES environments (environment_id),
      CONSTRAINT corrections_one_actor CHECK (
        num_nonnulls(actor_api_key, actor_login) = 1
        AND (actor_api_key IS NULL) = (actor_environment_id IS NULL)),
      CONSTRAINT corrections_reason_length CHECK (char_length(reason) BETWEEN 1 AND 500)
    )`);
  await knex.raw(
    `COMMENT ON TABLE corrections IS 'completions that were taken back because no money had moved'`,
  );
  await knex.raw(`COMMENT ON COLUMN corrections.actor_login IS 'the database login of an operator'`);

  await knex.raw(
    'ALTER TABLE events ADD COLUMN completion smallint NOT NULL DEFAULT 1, ADD COLUMN actor_login text',
  );
  await knex.raw(
    'ALTER TABLE events ALTER COLUMN actor_environment_id DROP NOT NULL, ALTER COLUMN actor_api_key DROP NOT NULL',
  );
  await knex.raw(
    `ALTER TABLE events ADD CONSTRAINT events_one_actor CHECK (
       num_nonnulls(actor_api_key, actor_login) = 1
       AND (actor_api_key IS NULL) = (actor_environment_id IS NULL)) NOT VALID`,
  );
  await knex.raw('ALTER TABLE events VALIDATE CONSTRAINT events_one_actor');
  await replaceTypes(knex, [...earlierTypes, 'contribution.corrected']);
  await knex.raw('DROP INDEX events_once_per_transaction');
  await knex.raw(
    `CREATE UNIQUE INDEX events_once_per_completion ON events (environment_id, transaction_id, type, completion)
      WHERE type IN ('contribution.created', 'contribution.completed', 'contribution.corrected')`,
  );
  await knex.raw(
    `COMMENT ON COLUMN events.completion IS 'the number of the completion that the event concerns'`,
  );
  await knex.raw(`COMMENT ON COLUMN events.actor_login IS 'the database login of an operator'`);

  // One payment may pay several returns again.
  await knex.raw('ALTER TABLE money_returns DROP CONSTRAINT money_returns_reference_key');
  await knex.raw(
    `CREATE UNIQUE INDEX money_returns_reference_once
         ON money_returns (environment_id, transaction_id, bank_reference, kind) WHERE kind <> 'paid_again'`,
  );
  await knex.raw(
    `CREATE UNIQUE INDEX money_returns_paid_again_once
         ON money_returns (environment_id, transaction_id, bank_reference, undoes) WHERE kind = 'paid_again'`,
  );
}

const earlierTypes = [
  'contribution.created',
  'contribution.completed',
  'contribution.completion_refused',
  'contribution.completion_repeated',
  'contribution.completion_contested',
  'contribution.returned',
  'contribution.return_undone',
];

async function replaceTypes(knex: Knex, types: readonly string[]): Promise<void> {
  await knex.raw('ALTER TABLE events DROP CONSTRAINT events_type_known');
  await knex.raw(
    `ALTER TABLE events ADD CONSTRAINT events_type_known
       CHECK (type IN (${types.map((type) => `'${type}'`).join(', ')})) NOT VALID`,
  );
  await knex.raw('ALTER TABLE events VALIDATE CONSTRAINT events_type_known');
}

/** Fails if there is a correction. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'ALTER TABLE money_returns ADD CONSTRAINT money_returns_reference_key UNIQUE (environment_id, transaction_id, bank_reference, kind)',
  );
  await knex.raw('DROP INDEX money_returns_reference_once');
  await knex.raw('DROP INDEX money_returns_paid_again_once');
  await replaceTypes(knex, earlierTypes);
  await knex.raw('DROP INDEX events_once_per_completion');
  await knex.raw(
    `CREATE UNIQUE INDEX events_once_per_transaction ON events (environment_id, transaction_id, type)
      WHERE type IN ('contribution.created', 'contribution.completed')`,
  );
  await knex.raw('ALTER TABLE events DROP CONSTRAINT events_one_actor');
  await knex.raw('ALTER TABLE events DROP COLUMN completion, DROP COLUMN actor_login');
  await knex.raw(
    'ALTER TABLE events ALTER COLUMN actor_environment_id SET NOT NULL, ALTER COLUMN actor_api_key SET NOT NULL',
  );
  await knex.raw('DROP TABLE corrections');
  await knex.raw('ALTER TABLE transactions DROP CONSTRAINT transactions_corrected_without_returns');
  await knex.raw('ALTER TABLE transactions DROP COLUMN completion, DROP COLUMN corrected_at');
}
