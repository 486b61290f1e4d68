import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

import { apiKeyPattern } from '../../shared/api-key';
import type { Logger } from '../../shared/logger';
import type { Principal } from '../../shared/scopes';
import type { LimitRate } from '../middleware/rate-limit';
import { createBatcher } from '../../shared/batcher';
import { addressOfPeer } from './client-address';
import type { LogSampling } from './log-sampling';

/** Fields of a log line: ids, never personal data or secrets. */
export type LogFields = Readonly<Record<string, string>>;

/** What one request gathers on its way. Handlers do not see it; the binding does. */
export interface RequestContext {
  readonly requestId: string;
  /**
   * The full address, as X-Forwarded-For of a trusted proxy has it: personal data, for the log
   * only.
   */
  readonly clientAddress: string;
  /** What the answer will say besides what every answer does, each name in one spelling. */
  readonly headers: Record<string, string>;
  /** The operation's path as documented, never the URL: personal data may be in the query. */
  route?: string;
  principal?: Principal;
  /**
   * Whose request it is as the screen found in memory, before the endpoint authenticates: for the
   * log of requests that never get so far.
   */
  screenedPrincipal?: Principal;
  /** The token that the screen took from the rate limit; absent when the endpoint must take it. */
  rate?: ReturnType<LimitRate>;
  /** What the operation adds to the log line of the request. */
  logFields?: LogFields;
  /** The code of the error that was answered. */
  errorCode?: string;
  /** Whether admission has started it. */
  isStarted?: boolean;
  /** Whether the log has lines of its own for this request; undefined until that is decided. */
  isLogged?: boolean;
}

// On the response itself: a WeakMap would keep the contexts of dead responses until the next
// collection of all objects.
const contextKey = Symbol('context');
type WithContext = ServerResponse & { [contextKey]?: RequestContext };

// An id worth echoing: long enough to mean something, short and plain enough for any log.
// Not an API-Secret in the wrong header: it would stand in the log.
const wellFormedRequestId = /^(?!.*cps_)[A-Za-z0-9._-]{1,128}$/i;

/** The context of the request that this response answers. */
export function contextOf(res: ServerResponse): RequestContext {
  const known = knownContextOf(res);
  if (!known) throw new Error('the request has no context');
  return known;
}

/** The same for whoever may see answers of other servers in this process too. */
export const knownContextOf = (res: WithContext): RequestContext | undefined => res[contextKey];

function requestIdOf({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && wellFormedRequestId.test(sent) ? sent : randomUUID();
}

/** What is known of a request when it is over. */
export interface EndedRequest {
  readonly requestId: string;
  readonly clientAddress: string;
  readonly method: string;
  /** The pattern of the path, never the path; undefined when nothing here has it. */
  readonly route: string | undefined;
  /** Whether the route is an operation of the API. */
  readonly isOperation: boolean;
  /** Undefined when the client left before there was a response. */
  readonly status: number | undefined;
  readonly errorCode: string | undefined;
  /** False when the caller went away first. */
  readonly answered: boolean;
  readonly principal: Principal | undefined;
  /**
   * Of a request that was rejected with 401, 403 or 429 without a verified pair: its API-Key, where
   * it has the form of one.
   */
  readonly attemptedApiKey: string | undefined;
  readonly logFields: LogFields | undefined;
  readonly milliseconds: number;
}

/** What counts requests. It must be quick and must not throw. */
export interface RequestObserver {
  onBegin: () => void;
  onEnd: (request: EndedRequest) => void;
}

/** The pattern that Express matched, for what has no contract: health, documentation. */
function matchedPattern(req: IncomingMessage & { route?: { path?: unknown } }): string | undefined {
  const path = req.route?.path;
  return typeof path === 'string' ? path : undefined;
}

/** A key exactly: a longer text could hold a part of a secret. */
export function attemptedApiKeyOf({ headers }: IncomingMessage): string | undefined {
  const apiKey = headers['api-key'];
  return typeof apiKey === 'string' && apiKeyPattern.test(apiKey) ? apiKey : undefined;
}

/**
 * Whose request it is for the log. A pair that the screen knows may have been revoked: the
 * endpoint's 401 says so.
 */
const principalOf = (context: RequestContext, status: number | undefined): Principal | undefined =>
  context.principal ?? (status === 401 ? undefined : context.screenedPrincipal);

const namesAttemptedKey = new Set<number | undefined>([401, 403, 429]);

/** What the log of requests is made with. */
export interface RequestLog {
  logger: Logger;
  observer: RequestObserver;
  clientAddress: (req: IncomingMessage) => string;
  sampling: Pick<LogSampling, 'admits'>;
}

/**
 * Errors of operations for which nothing was done, and of which one pair can cause thousands a
 * second.
 */
const sampledErrors = new Set<string | undefined>(['rate_limited', 'overloaded']);

/**
 * Decides once for each request whether the log has lines of its own for it. An operation of a
 * verified key pair that was started always has them; everything else is sampled.
 */
export function isLogged(
  context: RequestContext,
  req: IncomingMessage,
  status: number | undefined,
  sampling: RequestLog['sampling'],
): boolean {
  const { clientAddress, errorCode, route } = context;
  const principal = principalOf(context, status);
  // The client of a request that neither started nor got a response left while it waited.
  const isStarted = context.isStarted === true || status !== undefined;
  if (principal && route !== undefined && isStarted && !sampledErrors.has(errorCode)) return true;
  context.isLogged ??= sampling.admits({
    clientAddress,
    environmentId: principal?.environmentId,
    status,
    errorCode,
    attemptedApiKey: !principal && namesAttemptedKey.has(status) ? attemptedApiKeyOf(req) : undefined,
  });
  return context.isLogged;
}

/**
 * Gives a request an id, before anything else is done with it, and when it is over, counts it and
 * soon writes one log line.
 *
 * @returns also the way to write the lines that are left
 */
export function requestContext({ logger, observer, clientAddress, sampling }: RequestLog): {
  begin: RequestListener;
  logEnded: () => void;
} {
  const lines = createBatcher((request: EndedRequest) => {
    logRequest(logger, request);
  });

  return {
    begin(req, res: WithContext) {
      observer.onBegin();
      const startedAt = performance.now();
      const context: RequestContext = {
        requestId: requestIdOf(req),
        // Now: a connection that has ended has no address.
        clientAddress: clientAddress(req),
        headers: {},
      };
      res[contextKey] = context;
      res.once('close', () => {
        const status = res.headersSent ? res.statusCode : undefined;
        const principal = principalOf(context, status);
        const request = {
          requestId: context.requestId,
          clientAddress: context.clientAddress,
          method: req.method ?? '',
          route: context.route ?? matchedPattern(req),
          isOperation: context.route !== undefined,
          status,
          errorCode: context.errorCode,
          answered: res.writableFinished,
          principal,
          attemptedApiKey:
            principal === undefined && namesAttemptedKey.has(status) ? attemptedApiKeyOf(req) : undefined,
          logFields: context.logFields,
          milliseconds: performance.now() - startedAt,
        };
        observer.onEnd(request);
        if (isLogged(context, req, status, sampling)) lines.add(request);
      });
    },
    logEnded: lines.flush,
  };
}

function logRequest(logger: Logger, request: EndedRequest): void {
  logger.info(
    {
      request_id: request.requestId,
      client_address: request.clientAddress,
      method: request.method,
      route: request.isOperation ? request.route : undefined,
      status: request.status,
      error_code: request.errorCode,
      answered: request.answered,
      environment_id: request.principal?.environmentId,
      api_key: request.principal?.apiKey,
      attempted_api_key: request.attemptedApiKey,
      ...request.logFields,
      duration_ms: Math.round(request.milliseconds * 1_000) / 1_000,
    },
    'request',
  );
}

/**
 * A request that never became one: the parser refused it. Nobody read its headers, so the address
 * is that of the connection.
 */
export interface Refusal {
  requestId: string;
  remoteAddress: string | undefined;
  status: number;
  code: string;
}

/** One log line for each refusal that the sampling admits. */
export function logRefusal(
  logger: Logger,
  sampling: Pick<LogSampling, 'admits'>,
): (refusal: Refusal) => void {
  return ({ requestId, remoteAddress, status, code }) => {
    const clientAddress = addressOfPeer(remoteAddress);
    if (!sampling.admits({ clientAddress, status, errorCode: code, attemptedApiKey: undefined })) return;
    logger.info(
      { request_id: requestId, client_address: clientAddress, status, error_code: code },
      'request',
    );
  };
}
