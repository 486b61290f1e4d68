import type { Environment, Link, Transaction, World } from './world';

/**
 * Who may see and who may complete (decision record 7, docs/banks.md).
 *
 * A link covers what is created while it lasts, and while it is in force also everything older.
 */
const covers = ({ from, until }: Link, { createdAt }: Transaction): boolean =>
  until === undefined || (from <= createdAt && createdAt < until);

/** Some link covers the transaction: only the owner's environment is ever linked. */
function hasBank({ links }: World, transaction: Transaction): boolean {
  return transaction.environment === 'owner' && links.some((link) => covers(link, transaction));
}

export function maySee(world: World, environment: Environment, transaction: Transaction): boolean {
  if (environment === transaction.environment || environment === transaction.completion?.by) return true;
  return environment === 'bank' && hasBank(world, transaction);
}

/** Of one that the caller may see. */
export function mayComplete(world: World, environment: Environment, transaction: Transaction): boolean {
  // Whoever has completed it may say so again for ever.
  if (environment === transaction.completion?.by) return true;
  return hasBank(world, transaction) ? environment === 'bank' : environment === transaction.environment;
}
