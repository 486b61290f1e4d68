import type { Knex } from 'knex';

/**
 * How much of a contribution was returned, and when a user's support ended. Both are sums of facts:
 * `money_returns` has the facts, and `verify` recomputes the sums.
 *
 * A default that is a constant rewrites no row, and the next migration validates the constraints.
 */
const constraints = {
  transactions_returned_within_amount: 'CHECK (returned_cents BETWEEN 0 AND amount_cents)',
  transactions_returned_only_when_completed: 'CHECK (returned_cents = 0 OR completed_at IS NOT NULL)',
} as const;

/** @param mayReturn whether a completed transaction may change its returned amount */
const guardTransactions = (mayReturn: boolean): string => `
  CREATE OR REPLACE FUNCTION guard_transactions() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP <> 'UPDATE' THEN
      RAISE EXCEPTION 'a transaction is never removed'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'transactions_never_removed', TABLE = TG_TABLE_NAME;
    END IF;${mayReturn ? returning : ''}
    IF OLD.status <> 'pending' OR NEW.status <> 'completed' THEN
      RAISE EXCEPTION 'a transaction may only go from pending to completed'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'transactions_only_completed', TABLE = TG_TABLE_NAME;
    END IF;
    IF (NEW.environment_id, NEW.transaction_id, NEW.user_id, NEW.project_id, NEW.amount_cents, NEW.currency,
        NEW.idempotency_key, NEW.created_by_api_key, NEW.created_at${mayReturn ? ', NEW.returned_cents' : ''})
       IS DISTINCT FROM
       (OLD.environment_id, OLD.transaction_id, OLD.user_id, OLD.project_id, OLD.amount_cents, OLD.currency,
        OLD.idempotency_key, OLD.created_by_api_key, OLD.created_at${mayReturn ? ', OLD.returned_cents' : ''})
    THEN
      RAISE EXCEPTION 'completing a transaction changes nothing else of it'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'transactions_otherwise_unchanged', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
  END $$`;

const returning = `
    IF OLD.status = 'completed' AND NEW.returned_cents <> OLD.returned_cents THEN
      IF to_jsonb(NEW) - 'returned_cents' - 'transaction_tag' <> to_jsonb(OLD) - 'returned_cents' - 'transaction_tag' THEN
        RAISE EXCEPTION 'a return changes only the returned amount of a transaction'
          USING ERRCODE = 'check_violation', CONSTRAINT = 'transactions_otherwise_unchanged', TABLE = TG_TABLE_NAME;
      END IF;
      RETURN NEW;
    END IF;`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE transactions ADD COLUMN returned_cents bigint NOT NULL DEFAULT 0');
  for (const [name, definition] of Object.entries(constraints)) {
    await knex.raw(`ALTER TABLE transactions ADD CONSTRAINT ${name} ${definition} NOT VALID`);
  }
  await knex.raw(guardTransactions(true));
  await knex.raw('ALTER TABLE supports ADD COLUMN ended_at timestamptz');
  await knex.raw(`
    ALTER TABLE supports ADD CONSTRAINT supports_ended_not_before_first CHECK (ended_at >= first_supported_at) NOT VALID`);
  await knex.raw(`
    COMMENT ON COLUMN transactions.returned_cents IS 'the returns of money_returns minus those that were undone';
    COMMENT ON COLUMN supports.ended_at IS 'when all contributions of the user to the project had been returned; null while it counts';
    GRANT SELECT (returned_cents), UPDATE (returned_cents) ON transactions TO contribution_service;
    GRANT SELECT (ended_at), UPDATE (ended_at) ON supports TO contribution_service`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(guardTransactions(false));
  await knex.raw('ALTER TABLE supports DROP COLUMN ended_at');
  await knex.raw('ALTER TABLE transactions DROP COLUMN returned_cents');
}
