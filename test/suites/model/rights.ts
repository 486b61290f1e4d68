import { type Link, type Model, netCents, type Transaction } from './model';
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
 * the link is active, also pending ones and those that anyone completed after its start. A
 * corrected completion counts as none.
 */
function shows(link: Link, place: number, transaction: Transaction): boolean {
  if (link.environment !== transaction.environment || link.isVoided) return false;
  if (transaction.createdUnder.includes(place)) return true;
  const { completion, isCorrected } = transaction;
  return link.isInForce && (!completion || isCorrected || place < completion.linksBefore);
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
 * The banks whose feeds get the event that has just happened (decision 47): those that see the
 * transaction by a link, and the one that completed it.
 */
export function audienceOf(model: Model, transaction: Transaction): Environment[] {
  const { environment, completion } = transaction;
  const banks = model.links.filter((link, place) => shows(link, place, transaction)).map(({ bank }) => bank);
  return [...banks, ...(completion && completion.by !== environment ? [completion.by] : [])];
}

/**
 * The table of decision 7, column "may complete": a bank that may see it by a link, the company if
 * it has no bank. The party that completed it may repeat that, whatever the links are.
 */
export function mayComplete(model: Model, caller: Environment, transaction: Transaction): boolean {
  if (transaction.environment === caller) return banksOf(model, transaction).length === 0;
  return model.links.some((link, place) => link.bank === caller && shows(link, place, transaction));
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
 * fully returned or corrected (sdk.md).
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
      (isEver || netCents(transaction) > 0),
  );
  return new Set(theirs.map(({ project }) => project));
}
