import type { Environment, Link, Principal, Transaction, World } from './world';

/** What may be the case with a transaction: of the owner's, where nothing else is said. */
export const transactionStates = [
  'never issued',
  'pending, created without a bank',
  'pending, created under a link that is live',
  'pending, created under a link that has ended',
  'pending, created before a link that is live',
  'pending, created before a link that has ended',
  'completed by the company',
  'completed by the company, a bank linked since',
  'completed by the bank, its link is live',
  'completed by the bank, its link has ended',
  'completed by the bank, older than its link, which has ended',
  "pending, the caller's own",
  "completed, the caller's own",
] as const;
export type TransactionState = (typeof transactionStates)[number];

/** What may be the case with an idempotency key, in the caller's environment where nothing else is said. */
export const keyStates = [
  'no key',
  'unused',
  'used by the same request',
  'used by another request',
  'used in another environment only',
] as const;
export type KeyState = (typeof keyStates)[number];

export const linkStates = ['never linked', 'linked', 'unlinked'] as const;
export type LinkState = (typeof linkStates)[number];

export const pairStates = ['one live pair', 'two live pairs', 'no live pair'] as const;
export type PairState = (typeof pairStates)[number];

/** What may be the case with the pair of a request; an only pair that is live is the usual case and no state. */
export const callerStates = [
  'the older of two pairs',
  'the newer of two pairs',
  'revoked just now',
  'revoked and refused before',
  'revoked between head and body',
] as const;
export type CallerState = (typeof callerStates)[number];

const isLive = ({ until }: Link): boolean => until === undefined;

function pendingState({ links }: World, { createdAt }: Transaction): TransactionState {
  const created = links.find(
    ({ from, until }) => from <= createdAt && (until === undefined || createdAt < until),
  );
  if (created && isLive(created)) return 'pending, created under a link that is live';
  if (created) return 'pending, created under a link that has ended';
  const later = links.filter(({ from }) => createdAt < from);
  if (later.some(isLive)) return 'pending, created before a link that is live';
  return later.length > 0
    ? 'pending, created before a link that has ended'
    : 'pending, created without a bank';
}

/** Of a transaction, as it concerns a caller; undefined when it is neither the owner's nor the caller's. */
export function transactionState(
  world: World,
  transaction: Transaction,
  caller: Environment,
): TransactionState | undefined {
  const { environment, completion, createdAt } = transaction;
  if (environment !== 'owner') {
    if (environment !== caller) return undefined;
    return completion ? "completed, the caller's own" : "pending, the caller's own";
  }
  if (!completion) return pendingState(world, transaction);
  const isLinked = world.links.some(isLive);
  if (completion.by === 'owner') {
    return isLinked ? 'completed by the company, a bank linked since' : 'completed by the company';
  }
  if (isLinked) return 'completed by the bank, its link is live';
  const isOlder = !world.links.some(({ from, until }) => from <= createdAt && createdAt < until!);
  return isOlder
    ? 'completed by the bank, older than its link, which has ended'
    : 'completed by the bank, its link has ended';
}

export function linkState({ links }: World): LinkState {
  if (links.some(isLive)) return 'linked';
  return links.length > 0 ? 'unlinked' : 'never linked';
}

export function pairState({ pairs }: World, of: Principal): PairState {
  const live = pairs.filter((pair) => pair.of === of && pair.revokedAtMs === undefined);
  if (live.length === 0) return 'no live pair';
  return live.length === 1 ? 'one live pair' : 'two live pairs';
}

export function callerState({ pairs }: World, apiKey: string): CallerState | undefined {
  const pair = pairs.find((each) => each.apiKey === apiKey)!;
  if (pair.isRefused) return 'revoked and refused before';
  if (pair.revokedAtMs !== undefined) return 'revoked just now';
  const live = pairs.filter((each) => each.of === pair.of && each.revokedAtMs === undefined);
  if (live.length < 2) return undefined;
  return live[0] === pair ? 'the older of two pairs' : 'the newer of two pairs';
}
