import type { Link, Model, Transaction } from './model';
import type { Environment } from './principals';

/** A link covers a transaction if it is in force now, or was when the transaction was created (decision 7). */
function covers(link: Link, place: number, transaction: Transaction): boolean {
  if (link.environment !== transaction.environment) return false;
  return link.isInForce || transaction.createdUnder.includes(place);
}

/** The banks that have to do with a transaction. */
function banksOf(model: Model, transaction: Transaction): Environment[] {
  return model.links.filter((link, place) => covers(link, place, transaction)).map((link) => link.bank);
}

/** The table of decision 7, column "may see". To anybody else the transaction does not exist. */
export function maySee(model: Model, caller: Environment, transaction: Transaction): boolean {
  return (
    transaction.environment === caller ||
    transaction.completion?.by === caller ||
    banksOf(model, transaction).includes(caller)
  );
}

/** The table of decision 7, column "may complete", for a caller who may see it. */
export function mayComplete(model: Model, caller: Environment, transaction: Transaction): boolean {
  if (transaction.completion?.by === caller) return true;
  const banks = banksOf(model, transaction);
  return banks.includes(caller) || (transaction.environment === caller && banks.length === 0);
}

/** Supported means: at least one completed contribution of the user, in that environment (sdk.md). */
export function supportedProjects(model: Model, environment: Environment, user: string): Set<number> {
  const theirs = [...model.transactions.values()].filter(
    (transaction) =>
      transaction.environment === environment &&
      transaction.user === user &&
      transaction.completion !== undefined,
  );
  return new Set(theirs.map(({ project }) => project));
}
