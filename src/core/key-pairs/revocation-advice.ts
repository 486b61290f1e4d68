import type { ListedKeyPair } from './listed-key-pairs.store';

/** Whether a live pair can be revoked without breaking a client. */
export interface RevocationAdvice {
  pair: ListedKeyPair;
  verdict: 'safe' | 'ask' | 'in use';
  reason: string;
}

export function advise(pair: ListedKeyPair, unusedHours: number, now: Date): RevocationAdvice {
  const since = now.getTime() - unusedHours * 3_600_000;
  const { lastUsedAt, successorApiKey, successorLastUsedAt, createdAt } = pair;
  if (lastUsedAt !== null && lastUsedAt.getTime() > since) {
    return { pair, verdict: 'in use', reason: `used within the last ${unusedHours} h` };
  }
  if (successorApiKey !== null && successorLastUsedAt && successorLastUsedAt.getTime() > since) {
    return { pair, verdict: 'safe', reason: `replaced by ${successorApiKey}, which is in use` };
  }
  if (lastUsedAt !== null) {
    return { pair, verdict: 'ask', reason: 'no longer used, but no newer pair is in use' };
  }
  return createdAt.getTime() > since
    ? { pair, verdict: 'ask', reason: 'new and not used yet' }
    : { pair, verdict: 'ask', reason: 'never used, and no newer pair is in use' };
}
