import { randomBytes } from 'node:crypto';

import { freePort } from '../../support/program';
import { withoutRateLimits } from '../../support/without-rate-limits';
import type { Tenants } from './clients/environments';
import { type FeedReaders, startFeedReaders } from './clients/feed-reader';
import { createHttpClient, type HttpClient } from './clients/http';
import { type Load, startLoad } from './clients/load';
import { startWebhookReceivers, type WebhookReceivers } from './clients/webhook-receiver';
import type { Query } from './journal/check';
import { Journal } from './journal/journal';
import { startTcpProxy, type TcpProxy } from './network/tcp-proxy';
import { createRandom } from './random';
import { SupervisedService } from './service/supervised-service';

/** The clients and the service, whatever the database is. */
export interface LoadParts {
  readonly service: SupervisedService;
  /** Relays and delivers, which the service does not. */
  readonly delivery: SupervisedService;
  readonly clientProxy: TcpProxy;
  readonly http: HttpClient;
  readonly journal: Journal;
  readonly tenants: Tenants;
  readonly load: Load;
  readonly readers: FeedReaders;
  readonly receivers: WebhookReceivers;
  /** The folder of the logs. */
  readonly directory: string;
}

export interface LoadWorld extends LoadParts {
  /** Runs a query on the service's database, as a superuser. */
  readonly query: Query;
  superuserUrl(): string;
  /** Resolves when no query of the service runs any more. */
  untilIdle(): Promise<void>;
  stop(options: { keepLogs: boolean }): Promise<void>;
}

/** Starts the service and its clients. Partners and banks are idle. */
export async function startLoadWorld(given: {
  directory: string;
  seed: number;
  tenants: Tenants;
  /** Receives the functions that stop the parts, in the order in which the parts started. */
  stops: (() => Promise<unknown>)[];
  query: Query;
  settings: Readonly<Record<string, string>>;
}): Promise<LoadParts> {
  const { directory, seed, tenants, stops, query } = given;
  const servicePort = await freePort();
  const settings = {
    NODE_ENV: 'production',
    PORT: String(servicePort),
    METRICS_PORT: 'off',
    PUBLIC_BASE_URL: 'https://api.example',
    TRUSTED_PROXIES: '127.0.0.1',
    DELIVERY: 'off',
    ...withoutRateLimits,
    ...given.settings,
  };
  const service = new SupervisedService({ directory, settings, program: 'server' });
  stops.push(() => service.stop());
  await service.start();
  const clientProxy = await startTcpProxy(servicePort);
  stops.push(() => clientProxy.stop());
  const http = createHttpClient(clientProxy.port);
  stops.push(() => {
    http.close();
    return Promise.resolve();
  });
  const journal = new Journal();
  const load = startLoad({ http, journal, tenants, random: createRandom(seed) });
  stops.push(() => load.stop());
  const readers = startFeedReaders({ http, journal, tenants });
  stops.push(() => readers.stop());
  const receivers = await startWebhookReceivers({ query, journal, tenants, random: createRandom(seed) });
  stops.push(() => receivers.stop());
  const delivery = new SupervisedService({
    directory,
    settings: {
      ...settings,
      // Production delivers to public addresses only.
      NODE_ENV: 'development',
      WEBHOOK_DESTINATIONS: 'loopback',
      PORT: String(await freePort()),
      WEBHOOK_SECRET_KEYS: `1:${randomBytes(32).toString('hex')}`,
    },
    program: 'deliver',
  });
  stops.push(() => delivery.stop());
  await delivery.start();
  return { directory, service, delivery, clientProxy, http, journal, tenants, load, readers, receivers };
}
