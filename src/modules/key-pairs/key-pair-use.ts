import type { Logger } from '../../shared/logger';
import type { KeyPairsStore } from './key-pairs.store';

export interface KeyPairUse {
  note: (apiKey: string, at: Date) => void;
  /** Writes what is still in memory. */
  stop(): Promise<void>;
}

/**
 * Remembers when each pair was last used and writes it down every few seconds, so that no request
 * pays for it. An operator reads it to see when the old pair of a rotation is safe to revoke.
 */
export function createKeyPairUse(
  store: Pick<KeyPairsStore, 'recordUse'>,
  logger: Logger,
  intervalMs: number,
): KeyPairUse {
  let lastUse = new Map<string, Date>();

  async function write(): Promise<void> {
    const noted = lastUse;
    lastUse = new Map();
    try {
      await store.recordUse(noted);
    } catch {
      // The database is away, which every request says louder. What was noted is written the next
      // time.
      lastUse = new Map([...noted, ...lastUse]);
      logger.debug('last use of key pairs not written');
    }
  }

  const timer = setInterval(() => void write(), intervalMs);
  timer.unref();
  return {
    note: (apiKey, at) => void lastUse.set(apiKey, at),
    async stop() {
      clearInterval(timer);
      await write();
    },
  };
}
