import { DatabaseFailure } from '../../db/errors';
import { createConcurrencyLimit } from '../../shared/concurrency-limit';
import type { KeyPairsStore } from './key-pairs.store';

/** The share of the pool's connections that lookups of unknown keys may use, at least one. */
const shareOfPool = 0.2;
const maxWaiting = 100;

/**
 * Limits concurrent lookups of unknown keys, because anyone can send thousands of well-formed keys
 * from many addresses. Lookups beyond the limit get 503. Lookups of known keys are not limited.
 *
 * @param limits.waitMs how long a lookup waits in the queue
 */
export function limitUnknownKeyLookups(
  store: Pick<KeyPairsStore, 'findLive'>,
  { poolSize, waitMs }: { poolSize: number; waitMs: number },
): Pick<KeyPairsStore, 'findLive'> {
  const limited = createConcurrencyLimit(
    { concurrent: Math.max(1, Math.floor(poolSize * shareOfPool)), waiting: maxWaiting, waitMs },
    () => new DatabaseFailure('pool_exhausted', 'nothing', new Error('too many lookups of unknown keys')),
  );
  return {
    findLive: (apiKey, isKnown) =>
      isKnown ? store.findLive(apiKey, true) : limited(() => store.findLive(apiKey, false)),
  };
}
