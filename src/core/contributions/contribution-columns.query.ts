import { maySeeEvidence } from './who-may-see';

const evidence = (column: string): string => `CASE WHEN ${maySeeEvidence} THEN ${column} END`;

const columnsForAll = `
  t.transaction_id, t.status, t.project_id, t.amount_cents, t.currency, t.created_at, t.completed_at,
  ${evidence('t.bank_reference')} AS bank_reference, ${evidence('t.value_date::text')} AS value_date, t.returned_cents, t.corrected_at,
  t.completed_by_environment_id IS NOT DISTINCT FROM $1 AS completed_by_caller`;

/** The columns of a transaction `t` that the caller ($1) may see, without those of the company. */
export const transactionColumns = `${columnsForAll},
  t.environment_id = $1 AS is_own,
  CASE WHEN t.environment_id = $1 THEN u.user_hash END AS user_hash,
  CASE WHEN t.environment_id = $1 THEN u.first_name END AS first_name,
  CASE WHEN t.environment_id = $1 THEN t.idempotency_key END AS idempotency_key`;

/**
 * The same columns for a transaction of another environment. The caller sees neither its user nor
 * its idempotency key, so the query does not join `users`.
 */
export const linkedTransactionColumns = `${columnsForAll},
  false AS is_own, NULL::text AS user_hash, NULL::text AS first_name, NULL::text AS idempotency_key`;

/** Joins the user of a transaction `t`. */
export const withUser = 'JOIN users u ON u.environment_id = t.environment_id AND u.user_id = t.user_id';
