import type { Logger } from '../../shared/logger';
import type { KeyPairsStore } from './key-pairs.store';

/**
 * Collects when each pair was last used and writes the times every few seconds, outside of
 * requests. Operators check them before they revoke the old pair of a rotation.
 */
export function createKeyPairUse(
  store: Pick<KeyPairsStore, 'recordUse'>,
  logger: Logger,
  intervalMs: number,
) {
  let lastUse = new Map<string, Date>();

  async function write(): Promise<void> {
    const noted = lastUse;
    lastUse = new Map();
    try {
      await store.recordUse(noted);
    } catch {
      // Retry at the next interval. Failing requests already report that the database is down.
      lastUse = new Map([...noted, ...lastUse]);
      logger.debug('last use of key pairs not written');
    }
  }

  const timer = setInterval(() => void write(), intervalMs);
  timer.unref();
  return {
    note: (apiKey: string, at: Date): void => void lastUse.set(apiKey, at),
    /** Writes the remaining times. */
    async stop() {
      clearInterval(timer);
      await write();
    },
  };
}
