import type { IncomingMessage } from 'node:http';

import type { Express } from 'express';

import { createApp } from './app';
import type { Config } from './config';
import packageJson from '../package.json';
import { createContracts, listContracts } from './contracts';
import { createDatabase, type PooledDatabase } from './db/pool/database';
import { watchNotifications } from './db/notifications';
import type { DatabaseObserver } from './db/pool/observer';
import { logSlowStatements } from './db/pool/slow-statements';
import type { HttpServerSettings } from './http/server/http-server';
import { limitsOfClasses } from './http/server/admission/class-limits';
import { createScreen } from './http/server/admission/screen';
import { createOperationOf } from './http/operation-of';
import { logRefusal, requestContext } from './http/request/request-context';
import { createBodyReader } from './http/request/body';
import { createResponseCache } from './http/response/response-cache';
import { clientAddress, fullClientAddress } from './http/request/client-address';
import { httpsOnly } from './http/middleware/https-only';
import { createLogSampling } from './http/request/log-sampling';
import { createOpenApiDocument, errorCodesOf } from './http/openapi';
import { createRateLimit } from './http/middleware/rate-limit';
import { createMetrics, type Metrics } from './metrics/metrics';
import { createStateMetrics } from './metrics/process-metrics';
import { createReadingMetrics } from './metrics/readings';
import { createAuthenticate } from './modules/key-pairs/authenticate';
import { keyPairChannel } from './modules/key-pairs/key-pair-channel';
import type { Peppers } from './modules/key-pairs/credentials';
import { createExpiringKeyPairsStore } from './modules/key-pairs/expiring-key-pairs.store';
import { createIdentify } from './modules/key-pairs/identify';
import { createFailedAuthentications } from './modules/key-pairs/failed-authentications';
import { createKeyPairCache } from './modules/key-pairs/key-pair-cache';
import { budgetForUnknownKeys } from './modules/key-pairs/key-pair-lookups';
import { createKeyPairUse } from './modules/key-pairs/key-pair-use';
import { createKeyPairsStore } from './modules/key-pairs/key-pairs.store';
import { createKnownKeyPairs, refreshRegularly } from './modules/key-pairs/known-key-pairs';
import { createSecretVerification } from './modules/key-pairs/secret-verification';
import { createDocumentation } from './documentation/documentation';
import type { DemoKeyPairs } from './documentation/try-form';
import { createHealthService, type HealthService } from './modules/health/health.service';
import { createLinksStore } from './modules/links/links.store';
import { keepProjectFigures } from './modules/project-figures/project-figures';
import { createProjectFiguresStore } from './modules/project-figures/project-figures.store';
import { createProjectsService } from './modules/projects/projects.service';
import { createProjectsStore } from './modules/projects/projects.store';
import { createProjectsStoriesReadModel } from './modules/projects-stories/projects-stories.read-model';
import { createStoriesService } from './modules/stories/stories.service';
import { createStoriesStore } from './modules/stories/stories.store';
import { createPendingContributionsStore } from './modules/contributions/pending-contributions.store';
import { createContributionsListStore } from './modules/contributions/contributions-list.store';
import { createContributionsService } from './modules/contributions/contributions.service';
import { createContributionsStore } from './modules/contributions/contributions.store';
import { publishedLimits } from './documentation/published-limits';
import { servesPlainHttp } from './startup/plain-http';
import { systemClock } from './shared/clock';
import { createCurrentRequest } from './http/request/current-request';
import type { Logger } from './shared/logger';

/**
 * What the configuration leaves to whoever starts the service: a developer's machine has an answer
 * of its own to each.
 */
export interface RuntimeOptions {
  databaseUrl: string;
  notificationsUrl: string;
  peppers: Peppers;
  publicBaseUrl: string;
  servesDemoPictures: boolean;
  /**
   * What the documentation may show to a browser on this machine, where the service runs on the
   * demo of its own.
   */
  demo?: DemoKeyPairs | undefined;
}

export interface Container {
  app: Express;
  database: PooledDatabase;
  health: HealthService;
  metrics: Metrics;
  /** What the server in front of the application needs of the rest. */
  serverHooks: Pick<
    HttpServerSettings,
    'requestContext' | 'screen' | 'limits' | 'bodyLimitBytes' | 'observer' | 'onRefusal'
  >;
  /** Reads what the first requests need. Without the database, requests try again. */
  warm: () => Promise<void>;
  /** Writes the lines of the log that wait for others. */
  logEnded: () => void;
  /** Lets go of everything. Requests must be over. */
  stop: () => Promise<void>;
}

const mostCachedKeyPairs = 10_000;
const mostKnownKeyPairs = 50_000;
const knownKeyPairsIntervalMs = 60_000;
const mostCachedResponseBytes = 16 * 1024 * 1024;
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
      replyTimeoutMs: config.DATABASE_ANSWER_TIMEOUT_MS,
    },
    {
      onConnectionError: () => {
        logger.warn('an idle database connection was lost');
      },
      onWritesRejected: (isRejected) => {
        if (isRejected) logger.warn('writes are rejected: commits get no reply from the database');
        else logger.info('writes are accepted again: the database confirms commits');
      },
    },
    observer,
    currentRequestId,
  );
}

/** The only place where the parts of the service meet. */
export function createContainer(config: Config, runtimeOptions: RuntimeOptions, logger: Logger): Container {
  const { peppers, publicBaseUrl } = runtimeOptions;
  const clock = systemClock;
  const metrics = createMetrics();
  const slowMs = config.SLOW_STATEMENT_MS;
  const currentRequest = createCurrentRequest();
  const database = createServiceDatabase(
    config,
    runtimeOptions.databaseUrl,
    logger,
    slowMs === 'off' ? metrics.database : logSlowStatements(metrics.database, slowMs, logger),
    currentRequest.id,
  );
  metrics.database.watchPool(database.poolState);

  const keyPairsStore = createKeyPairsStore(database);
  const keyPairUse = createKeyPairUse(keyPairsStore, logger, keyPairUseIntervalMs);
  const knownKeyPairs = createKnownKeyPairs(
    keyPairsStore,
    mostKnownKeyPairs,
    () => clock.now().getTime(),
    (mostRecentFirst) => {
      keyPairs.seed(mostRecentFirst);
    },
  );
  const keyPairs = createKeyPairCache(
    budgetForUnknownKeys(keyPairsStore, {
      poolSize: config.DATABASE_POOL_SIZE,
      waitMs: config.DATABASE_ACQUIRE_TIMEOUT_MS,
    }),
    knownKeyPairs,
    clock,
    mostCachedKeyPairs,
    () => notifications.isFresh(),
    metrics.credentials.onLookUp,
  );
  const knownKeyPairsRefresh = refreshRegularly(knownKeyPairs, logger, knownKeyPairsIntervalMs);
  const projectFiguresStore = createProjectFiguresStore(database);
  const projectFigures = keepProjectFigures(projectFiguresStore, logger, projectFiguresIntervalMs);
  const notifications = watchNotifications(runtimeOptions.notificationsUrl, keyPairChannel, {
    onNotification: (apiKey) => {
      // A pair that was just issued is known before its first request; one that was revoked is not
      // once it was looked up.
      if (!knownKeyPairs.has(apiKey)) knownKeyPairs.add(apiKey);
      keyPairs.forget(apiKey);
    },
    onConnected: () => {
      keyPairs.forget();
      knownKeyPairsRefresh.now();
    },
    onPooler: () => {
      logger.warn(
        'revocations cannot be heard through a pooler: set DATABASE_NOTIFICATIONS_URL to the server itself',
      );
    },
  });

  const logSampling = createLogSampling(logger);
  const requests = requestContext({
    logger,
    observer: metrics.http,
    clientAddress: (req) => fullClientAddress(req, config.TRUSTED_PROXIES),
    sampling: logSampling,
  });
  const logOfRefusals = logRefusal(logger, logSampling);
  const logEnded = (): void => {
    requests.logEnded();
    logSampling.flush();
  };
  const health = createHealthService(database);
  createStateMetrics(metrics.registry, {
    isShuttingDown: health.isShuttingDown,
    hearsRevocations: notifications.isFresh,
  });
  createReadingMetrics(metrics.registry, clock, {
    pendingContributions: createPendingContributionsStore(database, config.OVERDUE_AFTER_HOURS).count,
    expiringKeyPairs: createExpiringKeyPairsStore(database).count,
    oldestFigureChangeAgeSeconds: projectFiguresStore.oldestChangeAgeSeconds,
  });
  const contracts = createContracts({
    minimumCents: config.MINIMUM_AMOUNT,
    maximumCents: config.MAXIMUM_AMOUNT,
  });
  const addressOf = (req: IncomingMessage): string => clientAddress(req, config.TRUSTED_PROXIES);
  const limitRate = metrics.http.countingLimit(
    createRateLimit({
      requestsPerSecond: config.RATE_LIMIT_PER_SECOND,
      completionsPerSecond: config.COMPLETION_RATE_LIMIT_PER_SECOND,
      burstSeconds: config.RATE_LIMIT_BURST_SECONDS,
    }),
  );
  const secrets = createSecretVerification(peppers);
  const app = createApp({
    logger,
    logSampling,
    publicBaseUrl,
    contracts,
    http: {
      authenticate: createAuthenticate({
        keyPairs,
        whenKnownPairsAreRead: knownKeyPairs.warm,
        failures: createFailedAuthentications(
          {
            perPairAndMinute: config.FAILED_AUTHENTICATIONS_PER_PAIR,
            perAddressAndMinute: config.FAILED_AUTHENTICATIONS_PER_ADDRESS,
          },
          metrics.http.onThrottledAuthentication,
        ),
        clientAddress: addressOf,
        secrets,
        servedEnvironments: config.SERVED_ENVIRONMENTS,
        clock,
        onUse: keyPairUse.note,
      }),
      limitRate,
      readBody: createBodyReader(config.BODY_LIMIT_BYTES),
      responseCache: createResponseCache(config.CATALOGUE_MAX_AGE_MS, mostCachedResponseBytes, () =>
        performance.now(),
      ),
      currentRequest,
    },
    documentation: createDocumentation({
      publicBaseUrl,
      version: packageJson.version,
      contracts: listContracts(contracts),
      openApiDocument: createOpenApiDocument(listContracts(contracts), packageJson.version),
      errorsOf: errorCodesOf,
      limits: publishedLimits(config),
      demo: runtimeOptions.demo,
    }),
    servesDemoPictures: runtimeOptions.servesDemoPictures,
    health,
    projects: createProjectsService(createProjectsStore(database)),
    projectsStories: createProjectsStoriesReadModel(database),
    stories: createStoriesService(createStoriesStore(database)),
    links: createLinksStore(database),
    contributions: createContributionsService(
      metrics.contributions.counting(createContributionsStore(database, clock)),
      createContributionsListStore(database),
    ),
  });

  return {
    app,
    database,
    health,
    metrics,
    serverHooks: {
      requestContext: requests.begin,
      screen: createScreen({
        operationOf: createOperationOf(listContracts(contracts)),
        identify: createIdentify(keyPairs, secrets),
        limitRate,
        clientAddress: addressOf,
        requireHttps: servesPlainHttp(config) ? undefined : httpsOnly(config.TRUSTED_PROXIES, logger),
      }),
      limits: limitsOfClasses(config.DATABASE_POOL_SIZE, config.DATABASE_QUEUE_LENGTH),
      bodyLimitBytes: config.BODY_LIMIT_BYTES,
      observer: metrics.admission,
      onRefusal(refusal) {
        metrics.http.onRefusal(refusal);
        logOfRefusals(refusal);
      },
    },
    warm: () =>
      knownKeyPairs.warm().catch(() => {
        logger.debug('known key pairs not read');
      }),
    logEnded,
    async stop() {
      logEnded();
      await projectFigures.stop();
      await keyPairUse.stop();
      knownKeyPairsRefresh.stop();
      await notifications.stop();
      await database.close();
    },
  };
}
