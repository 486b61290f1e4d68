import { freePort } from '../../support/program';
import { withoutRateLimits } from '../../support/without-rate-limits';
import type { Tenants } from './clients/environments';
import { type FeedReaders, startFeedReaders } from './clients/feed-reader';
import { createHttpClient, type HttpClient } from './clients/http';
import { type Load, startLoad } from './clients/load';
import type { Query } from './journal/check';
import { Journal } from './journal/journal';
import { startTcpProxy, type TcpProxy } from './network/tcp-proxy';
import { createRandom } from './random';
import { SupervisedService } from './service/supervised-service';

/** The clients and the service, whatever the database is. */
export interface LoadParts {
  readonly service: SupervisedService;
  readonly clientProxy: TcpProxy;
  readonly http: HttpClient;
  readonly journal: Journal;
  readonly tenants: Tenants;
  readonly load: Load;
  readonly readers: FeedReaders;
  /** The folder of the logs. */
  readonly directory: string;
}

export interface LoadWorld extends LoadParts {
  /** Runs a statement on the service's database, as a superuser. */
  readonly query: Query;
  superuserUrl(): string;
  /** Resolves when no statement of the service runs any more. */
  untilIdle(): Promise<void>;
  stop(options: { keepLogs: boolean }): Promise<void>;
}

/** Starts the service and its clients. Partners and banks are idle. */
export async function startLoadWorld(given: {
  directory: string;
  seed: number;
  tenants: Tenants;
  /** Gets what ends the parts, in the order of their starts. */
  stops: (() => Promise<unknown>)[];
  settings: Readonly<Record<string, string>>;
}): Promise<LoadParts> {
  const { directory, seed, tenants, stops, settings } = given;
  const servicePort = await freePort();
  const service = new SupervisedService({
    directory,
    settings: {
      NODE_ENV: 'production',
      PORT: String(servicePort),
      METRICS_PORT: 'off',
      PUBLIC_BASE_URL: 'https://api.example',
      TRUSTED_PROXIES: '127.0.0.1',
      ...withoutRateLimits,
      ...settings,
    },
  });
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
  return { directory, service, clientProxy, http, journal, tenants, load, readers };
}
