import { DatabaseFailure } from '../../db/errors';
import { createConcurrencyLimit } from '../../shared/concurrency-limit';
import type { KeyPairsStore } from './key-pairs.store';

/** Of the pool's connections, what look-ups of unknown keys may use at a time; one at least. */
const shareOfPool = 0.2;
const mostWaiting = 100;

/**
 * Gives look-ups of unknown keys a budget of their own: anybody can send well-formed keys by
 * thousands, from many addresses. Those beyond the budget get 503. Look-ups of known keys are not
 * affected.
 *
 * @param limits.waitMs how long a look-up waits for its turn
 */
export function budgetForUnknownKeys(
  store: Pick<KeyPairsStore, 'findLive'>,
  { poolSize, waitMs }: { poolSize: number; waitMs: number },
): Pick<KeyPairsStore, 'findLive'> {
  const limited = createConcurrencyLimit(
    { concurrent: Math.max(1, Math.floor(poolSize * shareOfPool)), waiting: mostWaiting, waitMs },
    () => new DatabaseFailure('pool_exhausted', 'nothing', new Error('too many unknown keys are looked up')),
  );
  return {
    findLive: (apiKey, isKnown) =>
      isKnown ? store.findLive(apiKey, true) : limited(() => store.findLive(apiKey, false)),
  };
}
