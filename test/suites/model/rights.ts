import { type Link, type Model, returnedCents, type Transaction } from './model';
import type { Environment } from './principals';

/**
 * A link covers a transaction if it is active now, or was active when the transaction was created
 * (decision 7).
 */
function covers(link: Link, place: number, transaction: Transaction): boolean {
  if (link.environment !== transaction.environment) return false;
  return !link.isVoided && (link.isInForce || transaction.createdUnder.includes(place));
}

/** The banks that a transaction concerns. */
function banksOf(model: Model, transaction: Transaction): Environment[] {
  return model.links.filter((link, place) => covers(link, place, transaction)).map((link) => link.bank);
}

/**
 * The transactions that a link shows to its bank (decision 7): those created during the link. While
 * the link is active, also pending ones and those that anyone completed after its start.
 */
function shows(link: Link, place: number, transaction: Transaction): boolean {
  if (link.environment !== transaction.environment || link.isVoided) return false;
  if (transaction.createdUnder.includes(place)) return true;
  return link.isInForce && (!transaction.completion || place < transaction.completion.linksBefore);
}

/** The table of decision 7, column "may see". For other callers the transaction does not exist. */
export function maySee(model: Model, caller: Environment, transaction: Transaction): boolean {
  return (
    transaction.environment === caller ||
    transaction.completion?.by === caller ||
    model.links.some((link, place) => link.bank === caller && shows(link, place, transaction))
  );
}

/**
 * The table of decision 7, column "may complete", for a caller that may see it: a bank always, the
 * company if it has no bank.
 */
export function mayComplete(model: Model, caller: Environment, transaction: Transaction): boolean {
  if (transaction.completion?.by === caller || transaction.environment !== caller) return true;
  return banksOf(model, transaction).length === 0;
}

/**
 * Whether a caller may record new returns of what it completed: the company always, a bank if one
 * of its links was not voided.
 */
export const mayReturn = (model: Model, caller: Environment, { environment }: Transaction): boolean =>
  environment === caller ||
  model.links.some((link) => link.environment === environment && link.bank === caller && !link.isVoided);

/**
 * Supported means at least one completed contribution of the user in that environment that was not
 * fully returned (sdk.md).
 *
 * @param isEver includes the projects whose support has ended
 */
export function supportedProjects(
  model: Model,
  environment: Environment,
  user: string,
  isEver = false,
): Set<number> {
  const theirs = [...model.transactions.values()].filter(
    (transaction) =>
      transaction.environment === environment &&
      transaction.user === user &&
      transaction.completion !== undefined &&
      (isEver || returnedCents(transaction) < transaction.cents),
  );
  return new Set(theirs.map(({ project }) => project));
}
