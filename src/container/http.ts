import type { RequestHandler } from 'express';

import { createApp } from '../app';
import type { Config } from '../read-settings';
import type { ErrorCatalog } from '../http/errors/error-catalog';
import { createFaultInjection } from '../http/faults/inject-fault';
import type { FaultSource } from '../http/faults/request-fault';
import { limited } from '../http/endpoint';
import { httpsOnly } from '../http/middleware/https-only';
import { createRateLimit, type RateLimitSettings } from '../http/middleware/rate-limit';
import { createFindPath } from '../http/operations';
import type { Authenticate } from '../http/request/request-context';
import type { CurrentRequest } from '../http/request/current-request';
import { createLogSampling } from '../http/request/log-sampling';
import { logParserRejection } from '../http/request/log-line';
import { type OnTestRequest, recordRequests } from '../http/request/request-records';
import { createResponseCache } from '../http/response/response-cache';
import type { BoundRoutes } from '../http/routes';
import { serveOperations } from '../http/serve';
import { limitsOfClasses } from '../http/server/admission/class-limits';
import type { HttpServerSettings } from '../http/server/http-server';
import type { Metrics } from '../metrics/metrics';
import type { HealthService } from '../core/health/health.service';
import { createAuthenticate } from '../core/key-pairs/authenticate';
import type { Peppers } from '../core/key-pairs/credentials';
import { createFailedAuthentications } from '../core/key-pairs/failed-authentications';
import { createIdentify } from '../core/key-pairs/identify';
import { createSecretVerification, type SecretVerification } from '../core/key-pairs/secret-verification';
import { systemClock } from '../shared/clock';
import type { LimitWork } from '../shared/limit-work';
import type { Logger } from '../shared/logger';
import { version } from '../version';
import { servesPlainHttp } from '../startup/plain-http';
import type { KeyPairs } from './key-pairs';

const maxCachedResponseBytes = 16 * 1024 * 1024;

/** Logs one line per request, and samples requests without a verified key pair. */
function createRequestLogs(
  metrics: Pick<Metrics, 'http'>,
  logger: Logger,
  onTestRequest: OnTestRequest | undefined,
) {
  const sampling = createLogSampling(logger);
  const records = recordRequests({ logger, observer: metrics.http, sampling, onTestRequest });
  const logRejection = logParserRejection(logger, sampling);
  return {
    sampling,
    records,
    onParserRejection: (rejection: Parameters<HttpServerSettings['onParserRejection']>[0]): void => {
      metrics.http.onParserRejection(rejection);
      logRejection(rejection);
    },
    /** Writes the lines that wait for their batch. */
    flush: (): void => {
      records.flush();
      sampling.flush();
    },
  };
}

export interface HttpDependencies {
  config: Config;
  publicBaseUrl: string;
  peppers: Peppers;
  servesDemoPictures: boolean;
  metrics: Pick<Metrics, 'http' | 'admission'>;
  currentRequest: CurrentRequest;
  /** Absent if the database is one server. */
  limitWork: LimitWork | undefined;
  keyPairs: KeyPairs;
  health: HealthService;
  /** With all operations. */
  routes: BoundRoutes;
  rates: RateLimitSettings;
  errors: ErrorCatalog;
  faults: FaultSource | undefined;
  onTestRequest: OnTestRequest | undefined;
  pages: readonly RequestHandler[];
  logger: Logger;
}

/** The functions that the HTTP server calls in addition to the application. */
export type ServerHooks = Omit<
  HttpServerSettings,
  'publicBaseUrl' | 'headersTimeoutMs' | 'requestTimeoutMs' | 'tls'
>;

const operationsOf = ({ routes, limitWork }: Pick<HttpDependencies, 'routes' | 'limitWork'>) =>
  limitWork === undefined
    ? routes.operations
    : routes.operations.map((operation) => ({
        ...operation,
        handler: limited(limitWork, operation.isRead, operation.handler),
      }));

/** Builds the Express application and the hooks that the HTTP server calls before it. */
export function createHttp(deps: HttpDependencies) {
  const { config, publicBaseUrl, metrics, keyPairs, logger } = deps;
  const requestLogs = createRequestLogs(metrics, logger, deps.onTestRequest);
  const secrets = createSecretVerification(deps.peppers);
  const limitRate = createRateLimit(deps.rates, metrics.http.onThrottled);
  const authenticate = createAuthentication(deps, secrets);
  const serve = serveOperations({
    authenticate,
    authenticateAgain: (context) => {
      keyPairs.cache.forget(context.req.get('API-Key'));
      return authenticate(context);
    },
    limitRate,
    bodyLimitBytes: config.BODY_LIMIT_BYTES,
    responseCache: createResponseCache(config.CATALOGUE_MAX_AGE_MS, maxCachedResponseBytes, () =>
      performance.now(),
    ),
    currentRequest: deps.currentRequest,
    faults: deps.faults && {
      take: deps.faults.take,
      ...createFaultInjection({
        publicBaseUrl,
        onFault: deps.faults.onFault,
        isShuttingDown: deps.health.isShuttingDown,
      }),
    },
  });
  const app = createApp({
    ...{ logger, publicBaseUrl, serve, errors: deps.errors },
    logSampling: requestLogs.sampling,
    health: deps.health,
    version,
    pages: deps.pages,
    servesDemoPictures: deps.servesDemoPictures,
  });
  const serverHooks: ServerHooks = {
    trustedProxies: config.TRUSTED_PROXIES,
    records: requestLogs.records,
    requireHttps: servesPlainHttp(config) ? undefined : httpsOnly(logger),
    findPath: createFindPath(operationsOf(deps)),
    identify: createIdentify(keyPairs.cache, secrets),
    limitRate,
    limits: limitsOfClasses(config.DATABASE_POOL_SIZE, config.DATABASE_QUEUE_LENGTH),
    bodyLimitBytes: config.BODY_LIMIT_BYTES,
    verify: verifying(authenticate),
    observer: metrics.admission,
    onParserRejection: requestLogs.onParserRejection,
  };
  return {
    app,
    serverHooks,
    /** Writes the log lines that wait for their batch. */
    flushLogs: requestLogs.flush,
  };
}

/** Ignores a failure, because the endpoint authenticates again and reports it. */
const verifying =
  (authenticate: Authenticate): ServerHooks['verify'] =>
  (context) =>
    authenticate(context).then(
      () => undefined,
      () => undefined,
    );

function createAuthentication(
  { config, keyPairs, metrics }: HttpDependencies,
  secrets: SecretVerification,
): Authenticate {
  return createAuthenticate({
    keyPairs: keyPairs.cache,
    whenKnownPairsAreRead: keyPairs.known.warm,
    failures: createFailedAuthentications(
      {
        perPairAndMinute: config.FAILED_AUTHENTICATIONS_PER_PAIR,
        perAddressAndMinute: config.FAILED_AUTHENTICATIONS_PER_ADDRESS,
      },
      metrics.http.onThrottled,
    ),
    secrets,
    servedEnvironments: config.SERVED_ENVIRONMENTS,
    clock: systemClock,
    onUse: keyPairs.use.note,
  });
}
