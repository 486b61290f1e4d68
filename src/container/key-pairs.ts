import type { Config } from '../read-settings';
import { watchNotifications } from '../db/notifications';
import type { PooledDatabase } from '../db/pool/database';
import type { Metrics } from '../metrics/metrics';
import { createKeyPairCache } from '../core/key-pairs/key-pair-cache';
import { keyPairChannel } from '../shared/key-pair-channel';
import { limitUnknownKeyLookups } from '../core/key-pairs/unknown-key-lookups';
import { createKeyPairUse } from '../core/key-pairs/key-pair-use';
import { createKeyPairsStore } from '../core/key-pairs/key-pairs.store';
import { createKnownKeyPairs, refreshRegularly } from '../core/key-pairs/known-key-pairs';
import { systemClock } from '../shared/clock';
import type { Logger } from '../shared/logger';

const maxCachedKeyPairs = 10_000;
const maxKnownKeyPairs = 50_000;
const knownKeyPairsIntervalMs = 60_000;
const keyPairUseIntervalMs = 10_000;

export type KeyPairs = ReturnType<typeof createKeyPairs>;

export interface KeyPairsDependencies {
  config: Config;
  /** The address where this process listens for revocations: the server itself, never a pooler. */
  notificationsUrl: string;
  database: PooledDatabase;
  metrics: Pick<Metrics, 'credentials'>;
  logger: Logger;
}

/** Builds the key-pair caches. Notifications of new and revoked pairs keep them current. */
export function createKeyPairs(deps: KeyPairsDependencies) {
  const { config, notificationsUrl, database, metrics, logger } = deps;
  const store = createKeyPairsStore(database);
  const use = createKeyPairUse(store, logger, keyPairUseIntervalMs);
  const known = createKnownKeyPairs(
    store,
    maxKnownKeyPairs,
    () => systemClock.now().getTime(),
    (mostRecentFirst) => {
      cache.seed(mostRecentFirst);
    },
  );
  const refresh = refreshRegularly(known, logger, knownKeyPairsIntervalMs);
  const server = {
    connectionString: notificationsUrl,
    connectTimeoutMs: config.DATABASE_CONNECT_TIMEOUT_MS,
  };
  const notifications = watchNotifications(server, keyPairChannel, {
    onNotification: (apiKey) => {
      // A new pair becomes known before its first request. A revoked pair stays known until it is
      // looked up again.
      if (!known.has(apiKey)) known.add(apiKey);
      cache.forget(apiKey);
    },
    onConnected: () => {
      cache.forget();
      refresh.now();
    },
    onPooler: () => {
      logger.warn(
        'revocations cannot be received through a pooler: set DATABASE_NOTIFICATIONS_URL to a direct connection',
      );
    },
  });
  const cache = createKeyPairCache(
    limitUnknownKeyLookups(store, {
      poolSize: config.DATABASE_POOL_SIZE,
      waitMs: config.DATABASE_ACQUIRE_TIMEOUT_MS,
    }),
    known,
    systemClock,
    maxCachedKeyPairs,
    notifications.isFresh,
    metrics.credentials.onLookUp,
  );
  return {
    /** The API keys that exist. */
    known,
    cache,
    /** Records when each pair was last used. */
    use,
    /** Whether revocations currently reach this process. */
    receivesRevocations: notifications.isFresh,
    async stop() {
      await use.stop();
      refresh.stop();
      await notifications.stop();
    },
  };
}
