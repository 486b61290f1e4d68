import { maySee } from './contribution-rights';

const columns = `
  t.environment_id, t.transaction_id, t.user_id, t.project_id, t.status, t.amount_cents, t.currency, t.idempotency_key,
  t.created_at, t.completed_at, t.completed_by_environment_id, t.bank_reference, t.value_date`;

/**
 * Looks a transaction up so that time does not tell somebody else's from one that was never issued:
 * whatever the id is, one transaction is read, that with this id or the one before it, and the
 * caller's right to it is asked. Only then is it compared with the id. MATERIALIZED, because
 * PostgreSQL would compare first and leave the rest out.
 *
 * @param tag the parameter that is the environment's tag
 * @param id the parameter that is the transaction_id; $1 is the caller's environment_id
 * @returns the CTE `judged`, at most one row: take it where `is_visible` and its transaction_id
 *   is the id
 */
export function nearestTransaction(tag: string, id: string): string {
  return `
  nearest AS MATERIALIZED (
    SELECT t.*
      FROM environments e
      CROSS JOIN LATERAL (
        SELECT ${columns}
          FROM transactions t
         WHERE t.environment_id = e.environment_id AND t.transaction_id <= ${id}
         ORDER BY t.transaction_id DESC
         LIMIT 1
      ) AS t
     WHERE e.transaction_tag = ${tag}
  ),
  judged AS MATERIALIZED (
    SELECT t.*, ${maySee} AS is_visible
      FROM nearest t
  )`;
}
