/** The columns of a transaction `t` that the caller ($1) may see, without those of the company. */
export const transactionColumns = `
  t.transaction_id, t.status, t.project_id, t.amount_cents, t.currency, t.created_at, t.completed_at,
  t.bank_reference, t.value_date::text AS value_date, t.returned_cents,
  t.completed_by_environment_id IS NOT DISTINCT FROM $1 AS completed_by_caller,
  t.environment_id = $1 AS is_own,
  CASE WHEN t.environment_id = $1 THEN u.user_hash END AS user_hash,
  CASE WHEN t.environment_id = $1 THEN u.first_name END AS first_name,
  CASE WHEN t.environment_id = $1 THEN t.idempotency_key END AS idempotency_key`;

/** Joins the user of a transaction `t`. */
export const withUser = 'JOIN users u ON u.environment_id = t.environment_id AND u.user_id = t.user_id';
