import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

import { apiKeyPattern } from '../../shared/api-key';
import type { InputError } from '../../shared/errors';
import type { Logger } from '../../shared/logger';
import type { Principal } from '../../shared/scopes';
import type { LimitRate } from '../middleware/rate-limit';
import { createBatcher } from '../../shared/batcher';
import { contained } from '../../shared/contained';
import { type EndedRequest, type LogFields, logRequest } from './log-line';
import type { LogSampling } from './log-sampling';

/** A complete response that is about to be sent. */
export interface SendResponse {
  readonly status: number;
  /** Alternating names and values. */
  readonly headers: string[];
  readonly body: Buffer | string | undefined;
}

/** The state of one request. Handlers do not see it. */
export interface RequestContext {
  readonly requestId: string;
  /**
   * The full address, from X-Forwarded-For of a trusted proxy. Personal data: use it for the log
   * only.
   */
  readonly clientAddress: string;
  /** Whether the client used TLS. */
  readonly isSecure: boolean;
  /** Response headers in addition to those of every response. Use one spelling for each name. */
  readonly headers: Record<string, string>;
  /**
   * The operation's documented path. Never the URL, because its query may contain personal data.
   */
  route?: string;
  /** The `operationId` of that operation. */
  operationId?: string;
  principal?: Principal;
  /**
   * The principal that the screen found. The log uses it for requests that are rejected before
   * authentication.
   */
  screenedPrincipal?: Principal;
  /** The token that the screen took from the rate limit. If absent, the endpoint takes one. */
  rate?: ReturnType<LimitRate>;
  /** Fields that the operation adds to the request's log line. */
  logFields?: LogFields;
  /** The code of the error response. */
  errorCode?: string | undefined;
  /** The kind of fault that the client asked for, in the test environment. */
  fault?: string;
  /** Sends the failure of this fault instead of the response. */
  interfere?: (send: SendResponse) => void;
  /** The content of an error response. */
  problem?: { readonly detail: string; readonly errors: readonly InputError[] };
  /** The body as sent, for requests of test environments only. Contains personal data. */
  body?: Readonly<Record<string, unknown>>;
  /** Whether admission has started it. */
  isStarted?: boolean;
  /** The decision of the log sampling; undefined before it is made. */
  isLogged?: boolean;
}

// Use a property of the response: entries of a WeakMap stay in memory until the next full garbage
// collection.
const contextKey = Symbol('context');
type WithContext = ServerResponse & { [contextKey]?: RequestContext };

// Safe to log. Excludes an API-Secret that a client sends in this header by mistake.
const wellFormedRequestId = /^(?!.*cps_)[A-Za-z0-9._-]{1,128}$/i;

/** The context of the request that belongs to this response. */
export function contextOf(res: ServerResponse): RequestContext {
  const known = knownContextOf(res);
  if (!known) throw new Error('the request has no context');
  return known;
}

/** Like `contextOf`, but undefined for responses of other servers in this process. */
export const knownContextOf = (res: WithContext): RequestContext | undefined => res[contextKey];

function requestIdOf({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && wellFormedRequestId.test(sent) ? sent : randomUUID();
}

/** Counts requests. Must be fast. */
export interface RequestObserver {
  onBegin: () => void;
  onEnd: (request: EndedRequest) => void;
}

/** The pattern that Express matched, for paths without a contract: health and documentation. */
function matchedPattern(req: IncomingMessage & { route?: { path?: unknown } }): string | undefined {
  const path = req.route?.path;
  return typeof path === 'string' ? path : undefined;
}

/** Returns only an exact key: a longer text could contain part of a secret. */
export function attemptedApiKeyOf({ headers }: IncomingMessage): string | undefined {
  const apiKey = headers['api-key'];
  return typeof apiKey === 'string' && apiKeyPattern.test(apiKey) ? apiKey : undefined;
}

/**
 * The principal for the log. After a 401 from the endpoint, the pair that the screen found is no
 * longer valid.
 */
const principalOf = (context: RequestContext, status: number | undefined): Principal | undefined =>
  context.principal ?? (status === 401 ? undefined : context.screenedPrincipal);

const namesAttemptedKey = new Set<number | undefined>([401, 403, 429]);

export interface RequestLog {
  logger: Logger;
  observer: RequestObserver;
  clientAddress: (req: IncomingMessage) => string;
  /** Whether the client used TLS. */
  isSecure: (req: IncomingMessage) => boolean;
  sampling: Pick<LogSampling, 'admits'>;
  /** Takes every ended request of a test environment. Must be fast. */
  onTestRequest?: OnTestRequest | undefined;
}

export type OnTestRequest = (
  request: EndedRequest & { readonly principal: Principal },
  req: IncomingMessage,
  context: RequestContext,
) => void;

/**
 * Errors that one key pair can cause thousands of times a second. Nothing was done for these
 * requests.
 */
const sampledErrors = new Set<string | undefined>(['rate_limited', 'overloaded', 'company_frozen']);

/**
 * Decides once for each request whether to log it. A started operation of a verified key pair is
 * always logged, unless it got a sampled error. All other requests are sampled.
 */
export function isLogged(
  context: RequestContext,
  req: IncomingMessage,
  status: number | undefined,
  sampling: RequestLog['sampling'],
): boolean {
  const { clientAddress, errorCode, route } = context;
  const principal = principalOf(context, status);
  // False if the client left while the request waited.
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
 * Creates the context of each request. When a request ends, it is counted at once and logged with
 * the next batch of lines.
 *
 * @returns `begin`, which starts a request, and `logEnded`, which writes the lines that still wait
 */
export function requestContext(log: RequestLog): {
  begin: RequestListener;
  logEnded: () => void;
} {
  const { logger, observer, clientAddress, isSecure, sampling, onTestRequest } = log;
  const lines = createBatcher((request: EndedRequest) => {
    logRequest(logger, request);
  });

  const noteEnd = contained(
    (req: IncomingMessage, res: ServerResponse, context: RequestContext, startedAt: number) => {
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
        fault: context.fault,
        milliseconds: performance.now() - startedAt,
      };
      observer.onEnd(request);
      if (onTestRequest && principal?.environmentKind === 'test') {
        onTestRequest({ ...request, principal }, req, context);
      }
      if (isLogged(context, req, status, sampling)) lines.add(request);
    },
  );

  return {
    begin(req, res: WithContext) {
      const startedAt = performance.now();
      const context: RequestContext = {
        requestId: requestIdOf(req),
        // Read it now, because a closed connection has no address.
        clientAddress: clientAddress(req),
        isSecure: isSecure(req),
        headers: {},
      };
      res[contextKey] = context;
      observer.onBegin();
      res.once('close', () => {
        noteEnd(req, res, context, startedAt);
      });
    },
    logEnded: lines.flush,
  };
}
