/**
 * Who may see and who may complete a transaction, as SQL conditions on `transactions t`.
 * $1 is always the caller's environment_id.
 *
 * A company's environment without a bank completes its own transactions. With a bank, only the bank
 * does, and it keeps that right after an unlinking for what was created while it was linked. An
 * environment can always repeat what it has completed, because a repeated completion succeeds for
 * ever.
 */

/** The transaction was created while the link `l` was in force, which has ended since. */
const wasCreatedUnderIt = `(t.created_at >= l.linked_at AND t.created_at < l.unlinked_at)`;

/**
 * The link `l` shows this transaction to its bank. While it is in force, that is everything but
 * what was completed before it began: a former bank's references are not this bank's business, and
 * nothing that it has listed as pending disappears.
 */
const linkShows = `(
  (l.unlinked_at IS NULL AND (t.completed_at IS NULL OR t.completed_at >= l.linked_at)) OR ${wasCreatedUnderIt}
)`;

/** Some bank completes this transaction, not the company that created it. */
const hasBank = `EXISTS (
  SELECT FROM bank_links l
   WHERE l.environment_id = t.environment_id AND (l.unlinked_at IS NULL OR ${wasCreatedUnderIt})
)`;

/**
 * The caller may see the transaction: in lists, by its id, and in a completion. To all others it
 * does not exist.
 */
export const maySee = `(
  t.environment_id = $1 OR t.completed_by_environment_id IS NOT DISTINCT FROM $1 OR EXISTS (
    SELECT FROM bank_links l
     WHERE l.environment_id = t.environment_id AND l.bank_environment_id = $1 AND ${linkShows}
  )
)`;

/**
 * The caller may complete the transaction, provided that they may see it: a bank always, the
 * company without one.
 */
export const mayComplete = `(
  t.environment_id <> $1 OR t.completed_by_environment_id IS NOT DISTINCT FROM $1 OR NOT ${hasBank}
)`;
