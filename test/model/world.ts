/** Whose data it is: a company has two environments, and the operator links one environment to a bank's. */
export type Environment = 'owner' | 'bank' | 'stranger' | 'production';

/** Who asks. Two of them are key pairs of one environment. */
export const principals = ['owner', 'bank', 'restricted', 'stranger', 'other'] as const;
export type Principal = (typeof principals)[number];

export const environmentOf: Readonly<Record<Principal, Environment>> = {
  owner: 'owner',
  bank: 'bank',
  // projects:read and contributions:create only.
  restricted: 'owner',
  stranger: 'stranger',
  // The owner's production pair, against its test data.
  other: 'production',
};

/** A time in the model: only the order of two of them means anything. */
export type Moment = number;

export interface Link {
  readonly from: Moment;
  /** undefined while the bank is linked. */
  readonly until: Moment | undefined;
}

/** An attempt to complete that changed nothing but was written down. */
export interface Attempt {
  readonly type: 'refused' | 'repeated';
  readonly apiKey: string;
  readonly cents: number | null;
  readonly reference: string | null;
}

export interface Transaction {
  readonly id: string;
  readonly environment: Environment;
  readonly user: string;
  readonly project: number;
  readonly cents: number;
  readonly key: string | null;
  readonly createdAt: Moment;
  readonly createdBy: string;
  readonly completion:
    | {
        readonly by: Environment;
        readonly apiKey: string;
        /** As the caller said with it, if at all. */
        readonly cents: number | null;
        readonly reference: string | null;
        readonly at: Moment;
      }
    | undefined;
  readonly attempts: readonly Attempt[];
}

export interface Pair {
  readonly of: Principal;
  readonly apiKey: string;
  /** When the operator was told that it is revoked, in milliseconds of the test's clock. */
  readonly revokedAtMs: number | undefined;
  /** The service has refused it once, so it knows. */
  readonly isRefused: boolean;
}

/** All that the model knows. It is never changed: what happens makes another world. */
export interface World {
  readonly now: Moment;
  /** The active projects in editorial order. */
  readonly projects: readonly number[];
  /** Of the owner's test environment with the bank's, oldest first. */
  readonly links: readonly Link[];
  /** Oldest first. */
  readonly transactions: readonly Transaction[];
  /** Oldest first. */
  readonly pairs: readonly Pair[];
}

const side = (moment: Moment, { from, until }: Link): string =>
  moment < from ? 'before' : until === undefined || moment < until ? 'during' : 'after';

/** Two worlds with the same text cannot be told apart by anything that may happen later. */
export function fingerprint({ links, transactions, pairs }: World): string {
  const byId = [...transactions].sort((one, other) => (one.id < other.id ? -1 : 1));
  const inOrder = (chosen: readonly Transaction[], time: (transaction: Transaction) => Moment) =>
    [...chosen].sort((one, other) => time(one) - time(other)).map(({ id }) => id);
  const completed = transactions.filter(({ completion }) => completion);
  return JSON.stringify([
    links.map(({ until }) => until === undefined),
    byId.map(({ createdAt, completion, attempts, ...rest }) => [
      rest,
      completion && { ...completion, at: 0 },
      attempts.map((attempt) => JSON.stringify(attempt)).sort(),
      links.map((link) => side(createdAt, link)),
    ]),
    inOrder(transactions, ({ createdAt }) => createdAt),
    inOrder(completed, ({ completion }) => completion!.at),
    [...pairs].sort((one, other) => (one.apiKey < other.apiKey ? -1 : 1)),
  ]);
}
