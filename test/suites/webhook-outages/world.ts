import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';

import { Client } from 'pg';

import { sessionConfig } from '../../../src/db/session-settings';
import { startEmbeddedDatabase } from '../../../src/db/embedded-database';
import { migrateUp } from '../../../src/db/migrations/migrator';
import { makeCertificate } from '../../support/certificate';
import { randomPepper } from '../../support/pepper';
import { freePort, temporaryFolder } from '../../support/program';
import { withoutRateLimits } from '../../support/without-rate-limits';
import type { Tenants } from '../faults/clients/environments';
import { createHttpClient, type HttpClient } from '../faults/clients/http';
import type { Query } from '../faults/journal/check';
import { Journal } from '../faults/journal/journal';
import { SupervisedService } from '../faults/service/supervised-service';
import { createTenants } from '../faults/tenants';
import { createEndpointClient, type Endpoint, type EndpointClient, pairsOf } from './endpoints';
import { Receiver } from './receiver-process';

/**
 * The service, two processes that deliver, and the receiver of all environments:
 *
 *   clients → service → PostgreSQL ← deliver ×2 → proxy → receiver
 */
export interface OutageWorld {
  readonly directory: string;
  readonly http: HttpClient;
  readonly journal: Journal;
  readonly tenants: Tenants;
  readonly client: EndpointClient;
  readonly endpoints: readonly Endpoint[];
  readonly query: Query;
  readonly superuserUrl: string;
  /** The file in which the receivers store webhooks. */
  readonly received: string;
  /** The current receiver. */
  receiver: () => Receiver;
  /** Starts a receiver at another address, which becomes the current one. */
  startReceiver: () => Promise<Receiver>;
  /** Errors in the logs of the processes. */
  alarms(): string[];
  stop(options: { keepLogs: boolean }): Promise<void>;
}

const deliverers = 2;

export async function createWorld(): Promise<OutageWorld> {
  const folder = temporaryFolder();
  const stops: (() => unknown)[] = [];
  const stop = async ({ keepLogs }: { keepLogs: boolean }): Promise<void> => {
    for (let next = stops.pop(); next; next = stops.pop()) await next();
    if (!keepLogs) folder.remove();
  };
  try {
    const { certificateFile, privateKeyFile } = makeCertificate(folder.path);
    const postgres = await startEmbeddedDatabase({ dataDirectory: path.join(folder.path, 'data') });
    stops.push(() => postgres.stop());
    const ownerUrl = postgres.connectionString('owner');
    await migrateUp({ connectionString: ownerUrl });
    const pepper = randomPepper;
    const tenants = await createTenants(ownerUrl, pepper);
    const superuserUrl = postgres.connectionString('superuser');
    const observer = new Client(sessionConfig({ connectionString: superuserUrl }));
    await observer.connect();
    stops.push(() => observer.end());

    const settings = {
      // Production delivers to public addresses only.
      NODE_ENV: 'development',
      WEBHOOK_DESTINATIONS: 'loopback',
      WEBHOOK_SECRET_KEYS: `1:${randomBytes(32).toString('hex')}`,
      NODE_EXTRA_CA_CERTS: certificateFile,
      DATABASE_URL: postgres.connectionString('service'),
      CREDENTIAL_PEPPERS: `1:${pepper}`,
      PUBLIC_BASE_URL: 'https://api.example',
      TRUSTED_PROXIES: '127.0.0.1',
      METRICS_PORT: 'off',
      DELIVERY: 'off',
      ...withoutRateLimits,
    };
    const services: SupervisedService[] = [];
    const startProgram = async (program: 'server' | 'deliver', name: string): Promise<string> => {
      const directory = path.join(folder.path, name);
      mkdirSync(directory);
      const port = String(await freePort());
      const service = new SupervisedService({ directory, settings: { ...settings, PORT: port }, program });
      services.push(service);
      stops.push(() => service.stop());
      await service.start();
      return port;
    };
    const http = createHttpClient(Number(await startProgram('server', 'service')));
    stops.push(() => {
      http.close();
    });
    for (let number = 1; number <= deliverers; number += 1)
      await startProgram('deliver', `deliver-${number}`);

    const received = path.join(folder.path, 'received');
    const secrets: Record<number, string> = {};
    const files = { certificateFile, privateKeyFile, journal: received };
    const receivers: Receiver[] = [];
    stops.push(() => Promise.all(receivers.map((one) => one.stop())));
    const startReceiver = async (): Promise<Receiver> => {
      const started = await Receiver.start(files, secrets);
      receivers.push(started);
      return started;
    };
    const receiver = (): Receiver => receivers.at(-1) as Receiver;
    await startReceiver();
    const client = createEndpointClient(http);
    const endpoints: Endpoint[] = [];
    for (const [environmentId, pair] of pairsOf(tenants)) {
      const endpoint = await client.create(environmentId, pair, receiver().urlOf(environmentId));
      secrets[environmentId] = endpoint.secret;
      endpoints.push(endpoint);
    }
    // The receiver learns the secrets.
    await receiver().kill();
    await receiver().launch();
    for (const endpoint of endpoints) await client.verify(endpoint);
    return {
      ...{ http, tenants, client, endpoints, superuserUrl, received, receiver, startReceiver, stop },
      directory: folder.path,
      journal: new Journal(),
      query: async (text, values) => (await observer.query(text, values)).rows as never,
      alarms: () => services.flatMap(({ alarms }) => alarms),
    };
  } catch (error) {
    await stop({ keepLogs: true });
    throw error;
  }
}
