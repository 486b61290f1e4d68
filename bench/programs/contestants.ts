import path from 'node:path';

import { pepper, publicBaseUrl, type Tenant } from '../world/tenant';
import type { Command } from './program';

/** The configuration of a program. */
export interface RuntimeOptions {
  databaseUrl: string;
  tenant: Tenant;
  poolSize: number;
  port: number;
  logFile: string;
  /** Response bodies of the service by path, for the handler that sends fixed bodies. */
  fixedBodies: Readonly<Record<string, string>>;
}

export interface Contestant {
  name: string;
  title: string;
  /** The operations that the program supports. */
  operations: readonly string[];
  /** Whether the program has a connection pool. */
  hasPool: boolean;
  command: (runtimeOptions: RuntimeOptions) => Command;
}

const root = path.join(__dirname, '..', '..', '..');
const everything = ['main-user', 'main-stranger', 'projects', 'create', 'complete'];

/**
 * The shipped service with production settings, behind a proxy on this machine. Rate limits and the
 * shutdown delay are off.
 */
export const service: Contestant = {
  name: 'service',
  title: 'the service',
  operations: everything,
  hasPool: true,
  command: ({ databaseUrl, poolSize, port, logFile }) => ({
    script: path.join(root, 'dist', 'src', 'server.js'),
    port,
    logFile,
    environment: {
      DATABASE_URL: databaseUrl,
      DATABASE_POOL_SIZE: String(poolSize),
      CREDENTIAL_PEPPERS: `1:${pepper}`,
      PUBLIC_BASE_URL: publicBaseUrl,
      TRUSTED_PROXIES: '127.0.0.1/32',
      // BENCH_POSTGRES_URL may be on another machine of a private network.
      ALLOW_PLAIN_DATABASE: 'on',
      PORT: String(port),
      METRICS_PORT: '0',
      SHUTDOWN_DELAY_MS: '0',
      RATE_LIMIT_PER_SECOND: '1000000',
      COMPLETION_RATE_LIMIT_PER_SECOND: '1000000',
    },
  }),
};

function rival(name: string, title: string, operations: readonly string[], hasPool = true): Contestant {
  return {
    name,
    title,
    operations,
    hasPool,
    command: ({ databaseUrl, tenant, poolSize, port, logFile, fixedBodies }) => ({
      script: path.join(__dirname, '..', 'rivals', `${name}.js`),
      port,
      logFile,
      environment: {
        BENCH_RIVAL: JSON.stringify({
          port,
          databaseUrl,
          poolSize,
          environmentId: tenant.environmentId,
          tag: tenant.tag,
          apiKey: tenant.apiKey,
          fixedBodies,
        }),
      },
    }),
  };
}

/** The rivals. pgbench is additional, for operations that write. */
export const rivals: readonly Contestant[] = [
  rival('express', '(a) bare Express', everything),
  rival('express-prototypes', "(a') bare Express, prototypes set once", everything),
  rival('express-usual', '(b) Express and Knex, the usual way', ['main-user', 'main-stranger']),
  rival('fastify', '(c) Fastify', everything),
  rival('node-http', '(d) node:http', everything),
  rival('express-fixed', 'Express, a fixed body', ['main-stranger', 'projects'], false),
];
