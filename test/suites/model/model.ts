import type { Environment, Principal } from './principals';

/**
 * The model: the expected state of the world as plain data. It is written from docs/decisions 1, 5,
 * 6, 7 and 17, docs/guides/sdk.md and docs/guides/bank.md, and calls no product code. It contains
 * no times, only the active link and the marks of a sequence between which a completion happened.
 *
 * Transactions and links are replaced, never changed, so copying a model copies its maps.
 */
export interface Model {
  /** By transaction_id. */
  readonly transactions: Map<string, Transaction>;
  /** The first names of existing users, by `environment user`. */
  readonly names: Map<string, string | null>;
  /** In order of creation. */
  readonly links: Link[];
  /** The number of links created so far, including links that do not apply at the moment. */
  linksMade: number;
  /** By API-Key, in the order in which they were issued. */
  readonly pairs: Map<string, Pair>;
  /** The number of marks so far. A mark is a time recorded between two steps. */
  marks: number;
}

export interface Transaction {
  readonly id: string;
  readonly environment: Environment;
  readonly key: string | undefined;
  readonly project: number;
  readonly cents: number;
  readonly user: string;
  /** The API-Key that created it. */
  readonly createdWith: string;
  /** The number of links at its creation, and those that were active. */
  readonly linksBefore: number;
  readonly createdUnder: readonly number[];
  /** The last completion, also while it is corrected. */
  readonly completion: Completion | undefined;
  /** Whether the last completion was taken back. */
  readonly isCorrected: boolean;
  /** In the order in which they were recorded. Each has the completion that it took back. */
  readonly corrections: readonly Correction[];
  /** Returns, and undos, in the order in which they were recorded. */
  readonly returns: readonly Return[];
  readonly events: readonly Event[];
}

export interface Completion {
  readonly by: Environment;
  /** The API-Key. */
  readonly with: string;
  readonly reference: string | null;
  readonly valueDate: string | null;
  /** The number of links at that time. */
  readonly linksBefore: number;
  /** The number of marks at that time. */
  readonly afterMark: number;
}

export interface Correction {
  readonly completion: Completion;
  readonly reason: string;
  /** Undefined for an operator. */
  readonly actor: Environment | undefined;
  /** The API-Key; undefined for an operator. */
  readonly with: string | undefined;
  /** As in the response; undefined for an operator. */
  readonly at: string | undefined;
}

export interface Return {
  /** Undefined if a completion paid a return again: its response does not have the id. */
  readonly id: string | undefined;
  /** The return that it undoes. */
  readonly undoes: string | undefined;
  readonly kind: string;
  readonly cents: number;
  readonly reference: string;
  /** The API-Key. */
  readonly with: string;
}

export interface Event {
  readonly type:
    | ('created' | 'completed' | 'completion_refused' | 'completion_repeated' | 'completion_contested')
    | ('returned' | 'return_undone' | 'corrected');
  /** The number of the completion that it concerns: 1 until a corrected one is replaced. */
  readonly completion: number;
  /** Undefined for an operator. */
  readonly actor: Environment | undefined;
  readonly actorKey: string | undefined;
  readonly evidence: Readonly<Record<string, string | number | boolean>>;
}

/**
 * A bank completes for an environment from the start of the link to its end. A link that was voided
 * gives no right, also for the time before.
 */
export interface Link {
  readonly environment: Environment;
  readonly bank: Environment;
  readonly isInForce: boolean;
  readonly isVoided: boolean;
}

/**
 * `settling`: revoked so recently that operations other than a completion may still succeed
 * (decision 2: at most one second).
 */
export interface Pair {
  readonly principal: Principal;
  readonly state: 'live' | 'settling' | 'revoked';
}

export function createModel(): Model {
  return { transactions: new Map(), names: new Map(), links: [], linksMade: 0, pairs: new Map(), marks: 0 };
}

export function copyOf(model: Model): Model {
  return {
    transactions: new Map(model.transactions),
    names: new Map(model.names),
    links: [...model.links],
    linksMade: model.linksMade,
    pairs: new Map(model.pairs),
    marks: model.marks,
  };
}

/** The same text for equal models, regardless of map order. */
export function fingerprint({ transactions, names, links, linksMade, pairs, marks }: Model): string {
  const sorted = <Value>(map: Map<string, Value>) =>
    [...map].sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([sorted(transactions), sorted(names), links, linksMade, sorted(pairs), marks]);
}

/** What was returned of a transaction, minus what was undone. */
export function returnedCents({ returns }: Pick<Transaction, 'returns'>): number {
  return returns.reduce((sum, { undoes, cents }) => sum + (undoes === undefined ? cents : -cents), 0);
}

/** What counts of its amount. */
export function netCents(transaction: Transaction): number {
  return transaction.isCorrected ? 0 : transaction.cents - returnedCents(transaction);
}

/** The number of its last completion; 1 while it is pending. */
export function completionNumber({ corrections, isCorrected }: Transaction): number {
  return corrections.length + (isCorrected ? 0 : 1);
}

/** What is open of a return: its amount without what was undone. */
export function openCents({ returns }: Pick<Transaction, 'returns'>, { id, cents }: Return): number {
  return returns.reduce((open, other) => (other.undoes === id ? open - other.cents : open), cents);
}

/** Whether an environment completed a transaction, now or before a correction. */
export function hasCompleted({ completion, corrections }: Transaction, environment: Environment): boolean {
  return (
    completion?.by === environment ||
    corrections.some((correction) => correction.completion.by === environment)
  );
}

/** The transaction that was created with a key in an environment. */
export function underKey(model: Model, environment: Environment, key: string): Transaction | undefined {
  return [...model.transactions.values()].find(
    (transaction) => transaction.environment === environment && transaction.key === key,
  );
}

/**
 * The live key pairs of a principal, oldest first; at most two (decision 2, credentials.md
 * "Rotation").
 */
export function livePairs(model: Model, principal: Principal): string[] {
  return [...model.pairs]
    .filter(([, pair]) => pair.principal === principal && pair.state === 'live')
    .map(([apiKey]) => apiKey);
}

/** The index of the active link between two environments; -1 if there is none. */
export function linkInForce(model: Model, environment: Environment, bank: Environment): number {
  return model.links.findIndex(
    (link) => link.environment === environment && link.bank === bank && link.isInForce,
  );
}

/** The places of all links between two environments, also ended ones. */
export function linksBetween(model: Model, environment: Environment, bank: Environment): number[] {
  return model.links.flatMap((link, place) =>
    link.environment === environment && link.bank === bank ? [place] : [],
  );
}

export function addLink(model: Model, environment: Environment, bank: Environment): void {
  model.links.push({ environment, bank, isInForce: true, isVoided: false });
  model.linksMade += 1;
}
