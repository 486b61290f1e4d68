import type { Environment, Principal } from './principals';

/**
 * The model: what must be true after what has happened, as plain data. It is written from
 * docs/decisions 1, 5, 6, 7 and 17, docs/guides/sdk.md and docs/guides/bank.md, and calls nothing
 * of the program. There are no times in it: what matters of a time is which link was in force, and
 * between which marks of a sequence something was completed.
 *
 * A transaction and a link are replaced, never changed, so a copy of a model is a copy of its maps.
 */
export interface Model {
  /** By transaction_id. */
  readonly transactions: Map<string, Transaction>;
  /** The first names of users that exist, by `environment user`. */
  readonly names: Map<string, string | null>;
  /** In the order in which they were made. */
  readonly links: Link[];
  /**
   * How many links have been made; they are counted even where the links are taken as they were a
   * moment before.
   */
  linksMade: number;
  /** By API-Key, in the order in which they were issued. */
  readonly pairs: Map<string, Pair>;
  /** How many marks (a time noted down between two steps) there are so far. */
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
  /** How many links had been made when it was created, and which of them were in force. */
  readonly linksBefore: number;
  readonly createdUnder: readonly number[];
  readonly completion: Completion | undefined;
  readonly events: readonly Event[];
}

export interface Completion {
  readonly by: Environment;
  /** The API-Key. */
  readonly with: string;
  readonly reference: string | null;
  readonly valueDate: string | null;
  /** How many links had been made by then. */
  readonly linksBefore: number;
  /** The number of marks at that moment. */
  readonly afterMark: number;
}

export interface Event {
  readonly type:
    'created' | 'completed' | 'completion_refused' | 'completion_repeated' | 'completion_contested';
  readonly actor: Environment;
  readonly actorKey: string;
  readonly evidence: Readonly<Record<string, string | number>>;
}

/** A bank completes for an environment, from when it was made until it has ended. */
export interface Link {
  readonly environment: Environment;
  readonly bank: Environment;
  readonly isInForce: boolean;
}

/**
 * `settling`: revoked so recently that another operation than a completion may still be answered
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

/** The same text for models that are the same, in whatever order their maps were filled. */
export function fingerprint({ transactions, names, links, linksMade, pairs, marks }: Model): string {
  const sorted = <Value>(map: Map<string, Value>) =>
    [...map].sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([sorted(transactions), sorted(names), links, linksMade, sorted(pairs), marks]);
}

/** The transaction that was created under a key in an environment. */
export function underKey(model: Model, environment: Environment, key: string): Transaction | undefined {
  return [...model.transactions.values()].find(
    (transaction) => transaction.environment === environment && transaction.key === key,
  );
}

/**
 * The live pairs of a principal, oldest first: two at most (decision 2, credentials.md "Rotation").
 */
export function livePairs(model: Model, principal: Principal): string[] {
  return [...model.pairs]
    .filter(([, pair]) => pair.principal === principal && pair.state === 'live')
    .map(([apiKey]) => apiKey);
}

/** The link in force between two environments, as its place in the list; -1 when there is none. */
export function linkInForce(model: Model, environment: Environment, bank: Environment): number {
  return model.links.findIndex(
    (link) => link.environment === environment && link.bank === bank && link.isInForce,
  );
}

export function addLink(model: Model, environment: Environment, bank: Environment): void {
  model.links.push({ environment, bank, isInForce: true });
  model.linksMade += 1;
}
