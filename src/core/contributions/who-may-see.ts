/**
 * SQL conditions on `transactions t`: who may see a transaction. $1 is always the caller's
 * environment_id. The database function `complete_contribution_of` decides who may complete.
 *
 * An environment without a linked bank completes its own transactions. With a linked bank, only the
 * bank completes them. After the link ends, the bank can still complete the transactions that were
 * created during the link. An environment can always repeat its own completions. A link that was
 * voided gives no right.
 */

/**
 * SQL condition: the link `l` makes the transaction visible to its bank. The rule is in
 * `database/functions/rules/bank_sees.sql`. A corrected completion counts as none: the bank of
 * today may complete the contribution.
 */
export const linkShows =
  'bank_sees(t.created_at, CASE WHEN t.corrected_at IS NULL THEN t.completed_at END, l.linked_at, l.unlinked_at)';

/**
 * SQL condition: the caller may see the evidence of the completion. That of a corrected one is only
 * for the company and for the party that sent it.
 */
export const maySeeEvidence =
  '(t.corrected_at IS NULL OR $1 IN (t.environment_id, t.completed_by_environment_id))';

/**
 * SQL condition: the caller may list, read and try to complete the transaction. For all other
 * transactions, the response is the same as for an id that does not exist.
 */
export const maySee = `(
  t.environment_id = $1 OR t.completed_by_environment_id IS NOT DISTINCT FROM $1 OR EXISTS (
    SELECT FROM bank_links l
     WHERE l.environment_id = t.environment_id AND l.bank_environment_id = $1 AND l.voided_at IS NULL
       AND ${linkShows}
  )
)`;
