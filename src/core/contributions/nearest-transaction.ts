import { neededColumns } from './contribution-columns.query';
import { maySee } from './who-may-see';

/**
 * Looks up a transaction so that the response time does not reveal whether another company has it.
 * For any id it reads one transaction, the one with this id or the one before it, and checks
 * whether the caller may see it. The surrounding query compares the id afterwards. MATERIALIZED
 * stops PostgreSQL from comparing the id first and skipping the check.
 *
 * $1 is the caller's environment_id.
 *
 * @param environment placeholder of the environment_id that belongs to the tag of the id
 * @param id placeholder of the transaction_id
 * @returns the CTE `judged` with at most one row; filter it by `is_visible` and transaction_id
 */
export function nearestTransaction(environment: string, id: string): string {
  return `
  nearest AS MATERIALIZED (
    SELECT ${neededColumns.map((column) => `t.${column}`).join(', ')}
      FROM transactions t
     WHERE t.environment_id = ${environment} AND t.transaction_id <= ${id}
     ORDER BY t.transaction_id DESC
     LIMIT 1
  ),
  judged AS MATERIALIZED (
    SELECT t.*, ${maySee} AS is_visible
      FROM nearest t
  )`;
}
