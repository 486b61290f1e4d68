import type { Express } from 'express';

import type { Config } from './read-settings';
import { createObservedDatabase, type DatabaseAddress } from './container/database';
import { createHttp, type ServerHooks } from './container/http';
import { createKeyPairs, type KeyPairs } from './container/key-pairs';
import { createFeatures, createProcess, stopAll } from './container/process';
import { listContracts, listErrors, listMessages, listScopes } from './contracts';
import { createCore } from './core/core';
import type { PooledDatabase } from './db/pool/database';
import type { DemoKeyPairs } from './features/documentation/try-form';
import type { ServedFeature } from './feature';
import { features as allFeatures } from './features';
import { codesOf } from './http/errors/error-catalog';
import { type RateLimitSettings, rateOf } from './http/middleware/rate-limit';
import { createCurrentRequest } from './http/request/current-request';
import { createRoutes } from './http/routes';
import { createMetrics, type Metrics } from './metrics/metrics';
import { createStateMetrics } from './metrics/process-metrics';
import { createReadingMetrics } from './metrics/reading-metrics';
import type { AmountLimits } from './core/contributions/amount.field';
import { createHealthService, type HealthService } from './core/health/health.service';
import type { Peppers } from './core/key-pairs/credentials';
import { systemClock } from './shared/clock';
import type { Logger } from './shared/logger';
import { version } from './version';

/**
 * Options that depend on where the service runs. On a developer's machine, the service generates
 * missing ones.
 */
export interface RuntimeOptions extends DatabaseAddress {
  notificationsUrl: string;
  peppers: Peppers;
  publicBaseUrl: string;
  servesDemoPictures: boolean;
  /** The demo's key pairs, which the documentation shows to a browser on this machine. */
  demo?: DemoKeyPairs | undefined;
  /** The interval of background work, instead of the usual intervals, for tests. */
  pollMs?: number | undefined;
}

export interface Container {
  app: Express;
  database: PooledDatabase;
  health: HealthService;
  metrics: Metrics;
  serverHooks: ServerHooks;
  /**
   * Renders the documentation and reads key pairs before the first requests need them. If the
   * database is unavailable, requests read the key pairs later.
   *
   * @throws Error when a guide is missing or has content that cannot be served
   */
  warm: () => Promise<void>;
  /** Writes the log lines that wait for their batch. */
  flushLogs: () => void;
  /** Stops background work and closes all connections. Call it after the last request. */
  stop: () => Promise<void>;
}

/** At shutdown, requests to receivers get this time. */
const sendsWithinMs = 1_000;

/**
 * The composition root: builds every part of the service and connects the parts. Only this file,
 * the folder `container/`, the core and each feature do this. Every other part receives its
 * dependencies as parameters.
 *
 * @param features without any, the service does only what the specification asks for
 */
export function createContainer(
  config: Config,
  runtimeOptions: RuntimeOptions,
  logger: Logger,
  features = allFeatures,
): Container {
  const { notificationsUrl, publicBaseUrl, peppers, pollMs } = runtimeOptions;
  const errors = listErrors(features);
  const metrics = createMetrics(version, codesOf(errors));
  const currentRequest = createCurrentRequest();
  const database = createObservedDatabase(config, runtimeOptions, metrics, logger, currentRequest);
  const keyPairs = createKeyPairs({ config, notificationsUrl, database, metrics, logger });
  const health = createHealthService(database);
  const process = createProcess(config, { database, metrics, logger, pollMs, stopWithinMs: sendsWithinMs });
  const started = createFeatures(features, process);
  const { limits, rates } = limitsOf(config);
  const { core, served } = createCore(process, {
    ...{ publicBaseUrl, peppers, errors },
    facts: { limits, scopes: listScopes(features).all },
    site: { version, productName: config.PRODUCT_NAME },
    demo: runtimeOptions.demo,
    listContracts: () => listContracts(limits, features),
    listMessages: () => listMessages(features),
    isShuttingDown: health.isShuttingDown,
    forgetKeyPair: (apiKey) => {
      keyPairs.cache.forget(apiKey);
    },
    counting: metrics.contributions.counting,
    rateOf: (ofCaller, policy) => rateOf(rates, ofCaller, policy),
  });
  const parts: ServedFeature[] = [served, ...started.flatMap(({ serve }) => serve?.(core) ?? [])];
  const routes = createRoutes();
  for (const part of parts) part.routes?.(routes);
  const { app, serverHooks, flushLogs } = createHttp({
    ...runtimeOptions,
    ...{ config, metrics, currentRequest, keyPairs, health, routes, rates, errors, logger },
    limitWork: database.cluster?.limitWork,
    faults: parts.find(({ faults }) => faults)?.faults,
    onTestRequest: parts.find(({ onTestRequest }) => onTestRequest)?.onTestRequest,
    pages: parts.flatMap(({ pages }) => pages ?? []),
  });
  if (config.DELIVERY) for (const { deliver } of started) deliver?.();
  createStateMetrics(metrics.registry, {
    isShuttingDown: health.isShuttingDown,
    receivesRevocations: keyPairs.receivesRevocations,
  });
  createReadingMetrics(
    metrics.registry,
    systemClock,
    parts.flatMap(({ readings = [] }) => readings),
  );

  return {
    app,
    database,
    health,
    metrics,
    serverHooks,
    async warm() {
      for (const part of parts) part.warm?.();
      await warmKeyPairs(keyPairs, logger);
    },
    flushLogs,
    async stop() {
      flushLogs();
      await stopAll([...parts, ...started]);
      await keyPairs.stop();
      await database.close();
    },
  };
}

const limitsOf = (config: Config): { limits: AmountLimits; rates: RateLimitSettings } => ({
  limits: { minimumCents: config.MINIMUM_AMOUNT, maximumCents: config.MAXIMUM_AMOUNT },
  rates: {
    requestsPerSecond: config.RATE_LIMIT_PER_SECOND,
    completionsPerSecond: config.COMPLETION_RATE_LIMIT_PER_SECOND,
    burstSeconds: config.RATE_LIMIT_BURST_SECONDS,
  },
});

const warmKeyPairs = (keyPairs: KeyPairs, logger: Logger): Promise<void> =>
  keyPairs.known.warm().catch(() => {
    logger.debug('key pairs for the cache not read');
  });
