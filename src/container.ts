import type { Express } from 'express';

import type { Config } from './config';
import { createHttp, createRequestLogs, type ServerHooks, type Services } from './container/http';
import { createKeyPairs, type KeyPairs } from './container/key-pairs';
import {
  createFaults,
  createResets,
  createSandbox,
  createSandboxBank,
  createSandboxRequestLog,
  tellingOfCreates,
} from './container/sandbox';
import { createStatements } from './container/statements';
import { limitHangingWorkers } from './db/citus/hanging-workers';
import type { PooledDatabase } from './db/pool/database';
import { createObservedDatabase } from './container/database';
import { createDelivery, type WebhookOptions } from './container/delivery';
import { createWebhooks, type Webhooks } from './container/webhooks';
import type { DemoKeyPairs } from './documentation/try-form';
import { createCurrentRequest } from './http/request/current-request';
import { createMetrics, type Metrics } from './metrics/metrics';
import { createStateMetrics } from './metrics/process-metrics';
import { createReadingMetrics } from './metrics/readings';
import { createContributionsListStore } from './modules/contributions/contributions-list.store';
import { createCompletionBatches } from './modules/contributions/completion-batches.service';
import { createContributionsService } from './modules/contributions/contributions.service';
import {
  type ContributionsStore,
  createContributionsStore,
} from './modules/contributions/contributions.store';
import { createPendingContributionsStore } from './modules/contributions/pending-contributions.store';
import { createHealthService, type HealthService } from './modules/health/health.service';
import type { Peppers } from './modules/key-pairs/credentials';
import { createExpiringKeyPairsStore } from './modules/key-pairs/expiring-key-pairs.store';
import { createEventsService, type EventsService } from './modules/events/events.service';
import { createEventsStore } from './modules/events/events.store';
import { createCountContributionsStore } from './modules/contribution-totals/count-contributions.store';
import { createTotalsStore } from './modules/contribution-totals/totals.store';
import { createRelayStore } from './modules/events/relay.store';
import { createLinksStore } from './modules/links/links.store';
import { createCallerReadModel } from './modules/me/caller.read-model';
import { keepAddedUp } from './container/keep-added-up';
import { createProjectFiguresStore } from './modules/project-figures/project-figures.store';
import { createProjectsStoriesReadModel } from './modules/projects-stories/projects-stories.read-model';
import { createProjectsService } from './modules/projects/projects.service';
import { createProjectsStore } from './modules/projects/projects.store';
import { createRequestsStore } from './modules/sandbox/requests.store';
import { createReturnsService } from './modules/returns/returns.service';
import { createReturnsStore, type ReturnsStore } from './modules/returns/returns.store';
import type { SimulatedBank } from './modules/sandbox/simulated-bank';
import { createStoriesService } from './modules/stories/stories.service';
import { createStoriesStore } from './modules/stories/stories.store';
import { systemClock } from './shared/clock';
import type { Logger } from './shared/logger';
import { version } from './version';

/**
 * Options that depend on where the service runs. On a developer's machine, the service generates
 * missing ones.
 */
export interface RuntimeOptions extends WebhookOptions {
  databaseUrl: string;
  notificationsUrl: string;
  peppers: Peppers;
  publicBaseUrl: string;
  servesDemoPictures: boolean;
  /** The demo's key pairs, which the documentation shows to a browser on this machine. */
  demo?: DemoKeyPairs | undefined;
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

const sumsIntervalMs = 15_000;
/** At shutdown, requests to receivers get this time. */
const sendsWithinMs = 1_000;

/**
 * The composition root: builds every part of the service and connects the parts. Only this file and
 * the folder `container/` do this. Every other part receives its dependencies as parameters.
 */
export function createContainer(config: Config, runtimeOptions: RuntimeOptions, logger: Logger): Container {
  const { databaseUrl, notificationsUrl } = runtimeOptions;
  const metrics = createMetrics(version);
  const currentRequest = createCurrentRequest();
  const database = createObservedDatabase(config, databaseUrl, metrics, logger, currentRequest);
  const keyPairs = createKeyPairs({ config, notificationsUrl, database, metrics, logger });
  const sandboxLog = createSandboxRequestLog(config, database, metrics, logger, runtimeOptions.pollMs);
  const requestLogs = createRequestLogs(config, metrics, logger, sandboxLog.onTestRequest);
  const contributionsStore = createContributionsStore(database, systemClock);
  const simulatedBank = createSandboxBank(database, contributionsStore, metrics, logger);
  const events = createEventsService(createEventsStore(database));
  const delivery = createDelivery(config, runtimeOptions, { database, metrics, logger, sendsWithinMs });
  const webhooks = createWebhooks(database, events, runtimeOptions.webhookKeys, delivery);
  const others = createServices(
    config,
    database,
    metrics.contributions.counting(tellingOfCreates(contributionsStore, simulatedBank)),
    metrics.contributions.countingReturns(createReturnsStore(database)),
    simulatedBank,
    keyPairs,
    events,
    webhooks,
  );
  const statements = createStatements(database, others.contributions, runtimeOptions, logger);
  const { app, serverHooks, renderDocumentation } = createHttp({
    ...runtimeOptions,
    config,
    metrics,
    currentRequest,
    limitWork: limitHangingWorkers(database.spare, config.DATABASE_POOL_SIZE / 5),
    keyPairs,
    requestLogs,
    services: { ...others, statements },
    logger,
  });
  const sums = startSums(database, logger);
  if (config.DELIVERY) delivery.start();
  createStateMetrics(metrics.registry, {
    isShuttingDown: others.health.isShuttingDown,
    receivesRevocations: keyPairs.receivesRevocations,
  });
  createReadingMetrics(metrics.registry, systemClock, {
    pendingContributions: createPendingContributionsStore(database, config.OVERDUE_AFTER_HOURS).count,
    expiringKeyPairs: createExpiringKeyPairsStore(database).count,
    ...sums.readings,
    ...delivery.readings,
    oldestUnmatchedFileSeconds: statements.oldestUnmatchedSeconds,
    openPositions: statements.openPositions,
  });

  return {
    app,
    database,
    health: others.health,
    metrics,
    serverHooks,
    async warm() {
      await renderDocumentation();
      await warmKeyPairs(keyPairs, logger);
    },
    flushLogs: requestLogs.flush,
    async stop() {
      requestLogs.flush();
      await stopAll([sums, delivery, simulatedBank, sandboxLog, ...statements.work]);
      await keyPairs.stop();
      await database.close();
    },
  };
}

const warmKeyPairs = (keyPairs: KeyPairs, logger: Logger): Promise<void> =>
  keyPairs.known.warm().catch(() => {
    logger.debug('key pairs for the cache not read');
  });

const stopAll = (workers: readonly { stop: () => Promise<unknown> }[]): Promise<unknown> =>
  Promise.all(workers.map((worker) => worker.stop()));

/** Starts the background work that adds new contributions to the figures and totals. */
function startSums(database: PooledDatabase, logger: Logger) {
  const figuresStore = createProjectFiguresStore(database);
  const countStore = createCountContributionsStore(database);
  const relayStore = createRelayStore(database);
  const keep = (store: { addUp: () => Promise<void> }, failure: string) =>
    keepAddedUp(store, failure, logger, sumsIntervalMs);
  const figures = keep(figuresStore, 'project figures not updated');
  const totals = keep(countStore, 'contribution totals not updated');
  return {
    readings: {
      oldestFigureChangeAgeSeconds: figuresStore.oldestChangeAgeSeconds,
      feedLagSeconds: relayStore.lagSeconds,
      failedFeedEvents: relayStore.failedCount,
      totalsAgeSeconds: countStore.ageSeconds,
    },
    stop: () => Promise.all([figures.stop(), totals.stop()]),
  };
}

function createServices(
  config: Config,
  database: PooledDatabase,
  contributionsStore: ContributionsStore,
  returnsStore: ReturnsStore,
  simulatedBank: SimulatedBank,
  keyPairs: KeyPairs,
  events: EventsService,
  webhooks: Webhooks,
): Omit<Services, 'statements'> {
  const contributions = createContributionsService(
    contributionsStore,
    createContributionsListStore(database),
  );
  const projects = createProjectsService(createProjectsStore(database));
  return {
    health: createHealthService(database),
    projects,
    projectsStories: createProjectsStoriesReadModel(database),
    stories: createStoriesService(createStoriesStore(database)),
    events,
    webhookEndpoints: webhooks.endpoints,
    webhookRequests: webhooks.requests,
    webhookReplays: webhooks.replays,
    links: createLinksStore(database),
    callers: createCallerReadModel(database),
    contributions,
    completionBatches: createCompletionBatches(contributionsStore),
    returns: createReturnsService(returnsStore),
    totals: createTotalsStore(database),
    sandbox: createSandbox(database, simulatedBank, contributions),
    resets: createResets(config, database, simulatedBank, contributions, projects, keyPairs.cache),
    faults: createFaults(database, keyPairs.cache),
    sandboxRequests: createRequestsStore(database),
  };
}
