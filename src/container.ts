import type { Express } from 'express';

import { createApp } from './app';
import type { Config } from './config';
import packageJson from '../package.json';
import { createContracts, listContracts } from './contracts';
import { createDatabase, type Database, type PooledDatabase } from './db/database';
import { watchNotifications } from './db/notifications';
import type { DatabaseObserver } from './db/observer';
import { logSlowStatements } from './db/slow-statements';
import type { HttpServerSettings } from './http/http-server';
import { createMovesMoney } from './http/moves-money';
import { logRefusal, requestContext } from './http/request-context';
import { createBodyReader } from './http/body';
import { createCatalogueAnswers } from './http/catalogue-answers';
import { clientAddress } from './http/client-address';
import { httpsOnly } from './http/https-only';
import { createOpenApiDocument, errorCodesOf } from './http/openapi';
import { createRateLimit } from './http/rate-limit';
import { createMetrics, type Metrics } from './metrics/metrics';
import { createStateMetrics } from './metrics/process-metrics';
import { createReadingMetrics } from './metrics/readings';
import { createAuthenticate } from './modules/companies/authenticate.middleware';
import { keyPairChannel } from './modules/companies/companies.store';
import type { Peppers } from './modules/companies/credentials';
import { createExpiringKeyPairsStore } from './modules/companies/expiring-key-pairs.store';
import { createFailedAuthentications } from './modules/companies/failed-authentications';
import { createKeyPairCache } from './modules/companies/key-pair-cache';
import { createKeyPairUse } from './modules/companies/key-pair-use';
import { createKeyPairsStore } from './modules/companies/key-pairs.store';
import { createDocumentation } from './modules/documentation/documentation';
import type { DemoKeyPairs } from './modules/documentation/try-form';
import { createHealthService, type HealthService } from './modules/health/health.service';
import { keepProjectFigures } from './modules/project-figures/project-figures';
import { createProjectFiguresStore } from './modules/project-figures/project-figures.store';
import { createProjectsService } from './modules/projects/projects.service';
import { createProjectsStore } from './modules/projects/projects.store';
import { createProjectsStoriesReadModel } from './modules/projects-stories/projects-stories.read-model';
import { createStoriesService } from './modules/stories/stories.service';
import { createStoriesStore } from './modules/stories/stories.store';
import { createPendingTransactionsStore } from './modules/transactions/pending-transactions.store';
import { createTransactionsListStore } from './modules/transactions/transactions-list.store';
import { createTransactionsService } from './modules/transactions/transactions.service';
import { createTransactionsStore } from './modules/transactions/transactions.store';
import { publishedLimits } from './published-limits';
import { systemClock } from './shared/clock';
import { createCurrentRequest } from './shared/current-request';
import type { Logger } from './shared/logger';

/** What the configuration leaves to whoever starts the service: a developer's machine has an answer of its own to each. */
export interface Surroundings {
  databaseUrl: string;
  notificationsUrl: string;
  peppers: Peppers;
  publicBaseUrl: string;
  servesDemoPictures: boolean;
  /** What the documentation may show to a browser on this machine, where the service runs on the demo of its own. */
  demo?: DemoKeyPairs | undefined;
}

export interface Container {
  app: Express;
  database: Database;
  health: HealthService;
  metrics: Metrics;
  /** What the server in front of the application needs of the rest. */
  entrance: Pick<HttpServerSettings, 'requestContext' | 'movesMoney' | 'room' | 'onNoRoom' | 'onRefusal'>;
  /** Writes the lines of the log that wait for others. */
  logEnded: () => void;
  /** Lets go of everything. Requests must be over. */
  stop: () => Promise<void>;
}

const mostCachedKeyPairs = 10_000;
const mostCatalogueBytes = 16 * 1024 * 1024;
const keyPairUseIntervalMs = 10_000;
const projectFiguresIntervalMs = 15_000;

export function createServiceDatabase(
  config: Config,
  connectionString: string,
  logger: Logger,
  observer?: DatabaseObserver,
  currentRequestId?: () => string | undefined,
): PooledDatabase {
  return createDatabase(
    {
      connectionString,
      poolSize: config.DATABASE_POOL_SIZE,
      queueLength: config.DATABASE_QUEUE_LENGTH,
      acquireTimeoutMs: config.DATABASE_ACQUIRE_TIMEOUT_MS,
      timeouts: config.DATABASE_TIMEOUTS,
      prepares: config.DATABASE_PREPARED_STATEMENTS,
      statementTimeoutMs: config.DATABASE_STATEMENT_TIMEOUT_MS,
      lockTimeoutMs: config.DATABASE_LOCK_TIMEOUT_MS,
      idleInTransactionTimeoutMs: config.DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS,
      answerTimeoutMs: config.DATABASE_ANSWER_TIMEOUT_MS,
    },
    () => {
      logger.warn('an idle database connection was lost');
    },
    observer,
    currentRequestId,
  );
}

/** The only place where the parts of the service meet. */
export function createContainer(config: Config, surroundings: Surroundings, logger: Logger): Container {
  const { peppers, publicBaseUrl } = surroundings;
  const clock = systemClock;
  const metrics = createMetrics();
  const slowMs = config.SLOW_STATEMENT_MS;
  const currentRequest = createCurrentRequest();
  const database = createServiceDatabase(
    config,
    surroundings.databaseUrl,
    logger,
    slowMs === 'off' ? metrics.database : logSlowStatements(metrics.database, slowMs, logger),
    currentRequest.id,
  );
  metrics.database.watchPool(database.poolState);

  const keyPairsStore = createKeyPairsStore(database);
  const keyPairUse = createKeyPairUse(keyPairsStore, logger, keyPairUseIntervalMs);
  const keyPairs = createKeyPairCache(
    keyPairsStore,
    clock,
    mostCachedKeyPairs,
    () => notifications.isFresh(),
    metrics.credentials.onLookUp,
  );
  const projectFigures = keepProjectFigures(
    createProjectFiguresStore(database),
    logger,
    projectFiguresIntervalMs,
  );
  const notifications = watchNotifications(surroundings.notificationsUrl, keyPairChannel, {
    onNotification: (apiKey) => {
      keyPairs.forget(apiKey);
    },
    onConnected: () => {
      keyPairs.forget();
    },
    onPooler: () => {
      logger.warn(
        'revocations cannot be heard through a pooler: set DATABASE_NOTIFICATIONS_URL to the server itself',
      );
    },
  });

  const { begin, logEnded } = requestContext(logger, metrics.http);
  const logOfRefusals = logRefusal(logger);
  const health = createHealthService(database);
  createStateMetrics(metrics.registry, {
    isShuttingDown: health.isShuttingDown,
    hearsRevocations: notifications.isFresh,
  });
  createReadingMetrics(metrics.registry, clock, {
    pendingTransactions: createPendingTransactionsStore(database, config.OVERDUE_AFTER_HOURS).count,
    expiringKeyPairs: createExpiringKeyPairsStore(database).count,
  });
  const contracts = createContracts({
    minimumCents: config.MINIMUM_AMOUNT,
    maximumCents: config.MAXIMUM_AMOUNT,
  });
  const app = createApp({
    logger,
    publicBaseUrl,
    contracts,
    http: {
      authenticate: createAuthenticate({
        keyPairs,
        failures: createFailedAuthentications(
          {
            perPairAndMinute: config.FAILED_AUTHENTICATIONS_PER_PAIR,
            perAddressAndMinute: config.FAILED_AUTHENTICATIONS_PER_ADDRESS,
          },
          metrics.http.onThrottledAuthentication,
        ),
        clientAddress: (req) => clientAddress(req, config.TRUSTED_PROXIES),
        peppers,
        servedEnvironments: config.SERVED_ENVIRONMENTS,
        clock,
        onUse: keyPairUse.note,
      }),
      limitRate: metrics.http.countingLimit(
        createRateLimit({
          requestsPerSecond: config.RATE_LIMIT_PER_SECOND,
          completionsPerSecond: config.COMPLETION_RATE_LIMIT_PER_SECOND,
          burstSeconds: config.RATE_LIMIT_BURST_SECONDS,
        }),
      ),
      readBody: createBodyReader(config.BODY_LIMIT_BYTES),
      catalogueAnswers: createCatalogueAnswers(config.CATALOGUE_MAX_AGE_MS, mostCatalogueBytes, () =>
        performance.now(),
      ),
      currentRequest,
    },
    httpsOnly: config.NODE_ENV === 'production' ? httpsOnly(config.TRUSTED_PROXIES, logger) : undefined,
    documentation: createDocumentation({
      publicBaseUrl,
      version: packageJson.version,
      contracts: listContracts(contracts),
      openApiDocument: createOpenApiDocument(listContracts(contracts), packageJson.version),
      errorsOf: errorCodesOf,
      limits: publishedLimits(config),
      demo: surroundings.demo,
    }),
    servesDemoPictures: surroundings.servesDemoPictures,
    health,
    projects: createProjectsService(createProjectsStore(database)),
    projectsStories: createProjectsStoriesReadModel(database),
    stories: createStoriesService(createStoriesStore(database)),
    transactions: createTransactionsService(
      metrics.contributions.counting(createTransactionsStore(database, clock)),
      createTransactionsListStore(database),
    ),
  });

  return {
    app,
    database,
    health,
    metrics,
    entrance: {
      requestContext: begin,
      movesMoney: createMovesMoney(listContracts(contracts)),
      room: database.room,
      onNoRoom() {
        metrics.database.onRefusal('queue_full');
      },
      onRefusal(refusal) {
        metrics.http.onRefusal(refusal);
        logOfRefusals(refusal);
      },
    },
    logEnded,
    async stop() {
      logEnded();
      await projectFigures.stop();
      await keyPairUse.stop();
      await notifications.stop();
      await database.close();
    },
  };
}
