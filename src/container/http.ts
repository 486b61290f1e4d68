import type { IncomingMessage } from 'node:http';

import type { Express } from 'express';

import { type AppDependencies, createApp } from '../app';
import type { Config } from '../config';
import { createContracts, listContracts, webhookMessagesContract } from '../contracts';
import { createDocumentation, type Documentation } from '../documentation/documentation';
import { publishedLimits } from '../documentation/published-limits';
import type { DemoKeyPairs } from '../documentation/try-form';
import { createFaultInjection } from '../http/faults/inject-fault';
import { httpsOnly, usedTls } from '../http/middleware/https-only';
import { createRateLimit, rateOf } from '../http/middleware/rate-limit';
import type { EndpointContract } from '../http/endpoint';
import { createFindOperation } from '../http/find-operation';
import { createOpenApiDocument, errorCodesOf } from '../http/openapi';
import { createBodyReader } from '../http/request/body';
import { clientAddress, fullClientAddress } from '../http/request/client-address';
import type { CurrentRequest } from '../http/request/current-request';
import { createLogSampling } from '../http/request/log-sampling';
import { logParserRejection } from '../http/request/log-line';
import { type OnTestRequest, requestContext } from '../http/request/request-context';
import { createResponseCache } from '../http/response/response-cache';
import { limitsOfClasses } from '../http/server/admission/class-limits';
import { createScreen } from '../http/server/admission/screen';
import type { HttpServerSettings } from '../http/server/http-server';
import type { Metrics } from '../metrics/metrics';
import { createAuthenticate } from '../modules/key-pairs/authenticate';
import type { Peppers } from '../modules/key-pairs/credentials';
import { createFailedAuthentications } from '../modules/key-pairs/failed-authentications';
import { createIdentify } from '../modules/key-pairs/identify';
import { createSecretVerification, type SecretVerification } from '../modules/key-pairs/secret-verification';
import { systemClock } from '../shared/clock';
import type { LimitWork } from '../shared/limit-work';
import type { Logger } from '../shared/logger';
import { version } from '../version';
import { servesPlainHttp } from '../startup/plain-http';
import type { KeyPairs } from './key-pairs';

const maxCachedResponseBytes = 16 * 1024 * 1024;

export type RequestLogs = ReturnType<typeof createRequestLogs>;

/** Logs one line per request, and samples requests without a verified key pair. */
export function createRequestLogs(
  config: Config,
  metrics: Pick<Metrics, 'http'>,
  logger: Logger,
  onTestRequest: OnTestRequest | undefined,
) {
  const sampling = createLogSampling(logger);
  const requests = requestContext({
    logger,
    observer: metrics.http,
    clientAddress: (req) => fullClientAddress(req, config.TRUSTED_PROXIES),
    isSecure: (req) => usedTls(req, config.TRUSTED_PROXIES),
    sampling,
    onTestRequest,
  });
  const logRejection = logParserRejection(logger, sampling);
  return {
    sampling,
    begin: requests.begin,
    onParserRejection: (rejection: Parameters<HttpServerSettings['onParserRejection']>[0]): void => {
      metrics.http.onParserRejection(rejection);
      logRejection(rejection);
    },
    /** Writes the lines that wait for their batch. */
    flush: (): void => {
      requests.logEnded();
      sampling.flush();
    },
  };
}

/** The functions that the routers call: one service, store or read model per noun. */
export type Services = Pick<
  AppDependencies,
  | 'health'
  | 'projects'
  | 'projectsStories'
  | 'stories'
  | 'events'
  | 'webhookEndpoints'
  | 'webhookRequests'
  | 'webhookReplays'
  | 'links'
  | 'callers'
  | 'statements'
  | 'contributions'
  | 'completionBatches'
  | 'returns'
  | 'totals'
  | 'sandbox'
  | 'resets'
  | 'faults'
  | 'sandboxRequests'
>;

export interface HttpDependencies {
  config: Config;
  publicBaseUrl: string;
  peppers: Peppers;
  servesDemoPictures: boolean;
  demo?: DemoKeyPairs | undefined;
  metrics: Pick<Metrics, 'http' | 'admission' | 'sandbox'>;
  currentRequest: CurrentRequest;
  limitWork: LimitWork;
  keyPairs: KeyPairs;
  requestLogs: RequestLogs;
  services: Services;
  logger: Logger;
}

/** The functions that the HTTP server calls in addition to the application. */
export type ServerHooks = Pick<
  HttpServerSettings,
  'requestContext' | 'screen' | 'limits' | 'bodyLimitBytes' | 'verify' | 'observer' | 'onParserRejection'
>;

export interface Http {
  app: Express;
  serverHooks: ServerHooks;
  /** Renders the documentation in advance. Otherwise, the first request for it does. */
  renderDocumentation: () => Promise<void>;
}

const rateLimitsOf = (config: Config): Parameters<typeof createRateLimit>[0] => ({
  requestsPerSecond: config.RATE_LIMIT_PER_SECOND,
  completionsPerSecond: config.COMPLETION_RATE_LIMIT_PER_SECOND,
  burstSeconds: config.RATE_LIMIT_BURST_SECONDS,
});

/** Builds the Express application and the hooks that the HTTP server calls before it. */
export function createHttp(deps: HttpDependencies): Http {
  const { config, publicBaseUrl, metrics, keyPairs, requestLogs, logger } = deps;
  const contracts = createContracts({
    minimumCents: config.MINIMUM_AMOUNT,
    maximumCents: config.MAXIMUM_AMOUNT,
  });
  const operations = listContracts(contracts);
  const loadDocumentation = documentationLoader(deps, operations);
  const secrets = createSecretVerification(deps.peppers);
  const addressOf = (req: IncomingMessage): string => clientAddress(req, config.TRUSTED_PROXIES);
  const limitRate = metrics.http.countingLimit(createRateLimit(rateLimitsOf(config)));
  const authenticate = createAuthentication(deps, secrets, addressOf);
  const app = createApp({
    ...deps.services,
    logger,
    logSampling: requestLogs.sampling,
    publicBaseUrl,
    contracts,
    rateOf: (limits, policy) => rateOf(rateLimitsOf(config), limits, policy),
    http: {
      authenticate,
      authenticateAgain: (req) => {
        keyPairs.cache.forget(req.get('API-Key'));
        return authenticate(req);
      },
      limitRate,
      readBody: createBodyReader(config.BODY_LIMIT_BYTES),
      responseCache: createResponseCache(config.CATALOGUE_MAX_AGE_MS, maxCachedResponseBytes, () =>
        performance.now(),
      ),
      currentRequest: deps.currentRequest,
      limitWork: deps.limitWork,
      takeFault: deps.services.faults.take,
      faultInjection: createFaultInjection({
        publicBaseUrl,
        onFault: metrics.sandbox.onFault,
        isShuttingDown: deps.services.health.isShuttingDown,
      }),
    },
    version,
    productName: config.PRODUCT_NAME,
    loadDocumentation,
    servesDemoPictures: deps.servesDemoPictures,
  });
  const serverHooks: ServerHooks = {
    requestContext: requestLogs.begin,
    screen: createScreen({
      findOperation: createFindOperation(operations),
      identify: createIdentify(keyPairs.cache, secrets),
      limitRate,
      clientAddress: addressOf,
      requireHttps: servesPlainHttp(config) ? undefined : httpsOnly(logger),
    }),
    limits: limitsOfClasses(config.DATABASE_POOL_SIZE, config.DATABASE_QUEUE_LENGTH),
    bodyLimitBytes: config.BODY_LIMIT_BYTES,
    verify: verifying(authenticate),
    observer: metrics.admission,
    onParserRejection: requestLogs.onParserRejection,
  };
  return {
    app,
    serverHooks,
    async renderDocumentation() {
      (await loadDocumentation()).render();
    },
  };
}

/** Ignores a failure, because the endpoint authenticates again and reports it. */
const verifying =
  (authenticate: ReturnType<typeof createAuthenticate>): ServerHooks['verify'] =>
  (req) =>
    authenticate(req).then(
      () => undefined,
      () => undefined,
    );

/** Creates the documentation on the first call. */
function documentationLoader(
  { config, publicBaseUrl, demo }: HttpDependencies,
  contracts: readonly EndpointContract[],
): () => Promise<Documentation> {
  let created: Documentation | undefined;
  return () => {
    created ??= createDocumentation({
      publicBaseUrl,
      site: { version, productName: config.PRODUCT_NAME },
      contracts,
      openApiDocument: createOpenApiDocument(contracts, webhookMessagesContract, version),
      errorsOf: errorCodesOf,
      limits: publishedLimits(config),
      demo,
    });
    return Promise.resolve(created);
  };
}

function createAuthentication(
  { config, keyPairs, metrics }: HttpDependencies,
  secrets: SecretVerification,
  addressOf: (req: IncomingMessage) => string,
) {
  return createAuthenticate({
    keyPairs: keyPairs.cache,
    whenKnownPairsAreRead: keyPairs.known.warm,
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
    clock: systemClock,
    onUse: keyPairs.use.note,
  });
}
