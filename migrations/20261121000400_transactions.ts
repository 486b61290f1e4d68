import type { Knex } from 'knex';

/**
 * Contributions. The service's statements allow only valid changes. The trigger is a second line of
 * defense on a single server; nothing depends on it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE transactions (
      environment_id integer NOT NULL,
      transaction_id text COLLATE "C" NOT NULL,
      transaction_tag text COLLATE "C" NOT NULL GENERATED ALWAYS AS (left(transaction_id, 4)) STORED,
      user_id bigint NOT NULL,
      project_id integer NOT NULL,
      amount_cents bigint NOT NULL,
      currency text NOT NULL,
      status text NOT NULL,
      idempotency_key text COLLATE "C",
      created_by_api_key text COLLATE "C" NOT NULL,
      created_at timestamptz NOT NULL,
      completed_at timestamptz,
      completed_by_environment_id integer,
      completed_by_api_key text COLLATE "C",
      bank_reference text,
      value_date date,
      CONSTRAINT transactions_pkey PRIMARY KEY (environment_id, transaction_id),
      CONSTRAINT transactions_idempotency_key_key UNIQUE (environment_id, idempotency_key),
      -- The tag names the environment, so an id is unique over the whole installation.
      CONSTRAINT transactions_environment_fkey
        FOREIGN KEY (environment_id, transaction_tag) REFERENCES environments (environment_id, transaction_tag),
      CONSTRAINT transactions_user_fkey FOREIGN KEY (environment_id, user_id) REFERENCES users (environment_id, user_id),
      CONSTRAINT transactions_project_fkey FOREIGN KEY (project_id) REFERENCES projects (project_id),
      CONSTRAINT transactions_completed_by_fkey
        FOREIGN KEY (completed_by_environment_id) REFERENCES environments (environment_id),
      CONSTRAINT transactions_id_form CHECK (transaction_id ~ '^[A-HJKMNP-TV-Z][0-9A-HJKMNP-TV-Z]{14}$'),
      CONSTRAINT transactions_amount_bounds CHECK (amount_cents BETWEEN 1 AND 100000000000),
      CONSTRAINT transactions_currency_known CHECK (currency = 'USD'),
      CONSTRAINT transactions_status_known CHECK (status IN ('pending', 'completed')),
      CONSTRAINT transactions_idempotency_key_form
        CHECK (idempotency_key ~ '^[ -~]+$' AND octet_length(idempotency_key) <= 255),
      CONSTRAINT transactions_completed_has_time CHECK ((status = 'completed') = (completed_at IS NOT NULL)),
      CONSTRAINT transactions_completed_has_actor CHECK (
        (completed_at IS NULL) = (completed_by_environment_id IS NULL)
        AND (completed_at IS NULL) = (completed_by_api_key IS NULL)
      ),
      CONSTRAINT transactions_evidence_only_when_completed
        CHECK (completed_at IS NOT NULL OR (bank_reference IS NULL AND value_date IS NULL)),
      CONSTRAINT transactions_completed_after_created CHECK (completed_at >= created_at)
    );
    CREATE INDEX transactions_by_creation ON transactions (environment_id, created_at, transaction_id);
    CREATE INDEX transactions_by_completion ON transactions (environment_id, completed_at, transaction_id)
      WHERE completed_at IS NOT NULL;
    CREATE INDEX transactions_by_user ON transactions (environment_id, user_id, created_at);
    CREATE INDEX transactions_pending ON transactions (created_at) WHERE status = 'pending';

    CREATE FUNCTION guard_transactions() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP <> 'UPDATE' THEN
        RAISE EXCEPTION 'a transaction is never removed'
          USING ERRCODE = 'check_violation', CONSTRAINT = 'transactions_never_removed', TABLE = TG_TABLE_NAME;
      END IF;
      IF OLD.status <> 'pending' OR NEW.status <> 'completed' THEN
        RAISE EXCEPTION 'a transaction may only go from pending to completed'
          USING ERRCODE = 'check_violation', CONSTRAINT = 'transactions_only_completed', TABLE = TG_TABLE_NAME;
      END IF;
      IF (NEW.environment_id, NEW.transaction_id, NEW.user_id, NEW.project_id, NEW.amount_cents, NEW.currency,
          NEW.idempotency_key, NEW.created_by_api_key, NEW.created_at)
         IS DISTINCT FROM
         (OLD.environment_id, OLD.transaction_id, OLD.user_id, OLD.project_id, OLD.amount_cents, OLD.currency,
          OLD.idempotency_key, OLD.created_by_api_key, OLD.created_at)
      THEN
        RAISE EXCEPTION 'completing a transaction changes nothing else of it'
          USING ERRCODE = 'check_violation', CONSTRAINT = 'transactions_otherwise_unchanged', TABLE = TG_TABLE_NAME;
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER transactions_guard BEFORE UPDATE OR DELETE ON transactions
      FOR EACH ROW EXECUTE FUNCTION guard_transactions();
    CREATE TRIGGER transactions_guard_truncate BEFORE TRUNCATE ON transactions
      FOR EACH STATEMENT EXECUTE FUNCTION guard_transactions();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE transactions; DROP FUNCTION guard_transactions()');
}
