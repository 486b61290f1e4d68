/**
 * SQL conditions on `transactions t`: who may see a transaction. $1 is always the caller's
 * environment_id. The database function `complete_contribution_of` applies the same rules, and
 * decides who may complete.
 *
 * An environment without a linked bank completes its own transactions. With a linked bank, only the
 * bank completes them. After the link ends, the bank can still complete the transactions that were
 * created during the link. An environment can always repeat its own completions.
 */

/** SQL condition: the link `l` has ended, and the transaction was created while it was active. */
const wasCreatedDuringLink = `(t.created_at >= l.linked_at AND t.created_at < l.unlinked_at)`;

/**
 * SQL condition: the link `l` makes the transaction visible to its bank. An active link shows all
 * transactions except those completed before the link started, because their references belong to a
 * former bank. A transaction that the bank saw as pending thus stays visible.
 */
export const linkShows = `(
  (l.unlinked_at IS NULL AND (t.completed_at IS NULL OR t.completed_at >= l.linked_at)) OR ${wasCreatedDuringLink}
)`;

/**
 * SQL condition: the caller may list, read and try to complete the transaction. For all other
 * transactions, the response is the same as for an id that does not exist.
 */
export const maySee = `(
  t.environment_id = $1 OR t.completed_by_environment_id IS NOT DISTINCT FROM $1 OR EXISTS (
    SELECT FROM bank_links l
     WHERE l.environment_id = t.environment_id AND l.bank_environment_id = $1 AND ${linkShows}
  )
)`;
