/**
 * Who may see and who may complete a transaction, as SQL conditions on `transactions t`.
 * $1 is always the caller's environment_id.
 *
 * A company's environment without a bank completes its own transactions. With a bank, the bank does, and goes on doing
 * so after an unlinking for what was created while it was linked. What an environment has completed it may always ask
 * for again, because a repeated completion succeeds for ever.
 */
const linkCovers = `(l.unlinked_at IS NULL OR (t.created_at >= l.linked_at AND t.created_at < l.unlinked_at))`;

/** The caller is a bank that this transaction is for. */
const isItsBank = `EXISTS (
  SELECT FROM bank_links l
   WHERE l.environment_id = t.environment_id AND l.bank_environment_id = $1 AND ${linkCovers}
)`;

/** Some bank completes this transaction, not the company that created it. */
const hasBank = `EXISTS (SELECT FROM bank_links l WHERE l.environment_id = t.environment_id AND ${linkCovers})`;

export const maySee = `(t.environment_id = $1 OR t.completed_by_environment_id IS NOT DISTINCT FROM $1 OR ${isItsBank})`;

export const mayComplete = `(
  t.completed_by_environment_id IS NOT DISTINCT FROM $1
  OR ${isItsBank}
  OR (t.environment_id = $1 AND NOT ${hasBank})
)`;
