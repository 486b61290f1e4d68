import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

import type { Logger } from '../shared/logger';
import type { Principal } from '../shared/scopes';
import { together } from '../shared/together';

/** What one request gathers on its way. Handlers do not see it; the binding does. */
export interface RequestContext {
  readonly requestId: string;
  /** What the answer will say besides what every answer does, each name in one spelling. */
  readonly headers: Record<string, string>;
  /** The operation's path as documented, never the URL: a user_hash is in the query. */
  route?: string;
  principal?: Principal;
  /** The transaction that the request was about, for the log. */
  transactionId?: string;
  /** The code of the error that was answered. */
  errorCode?: string;
}

// On the response itself: a WeakMap would keep the contexts of dead responses until the next collection of all objects.
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
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  /** The pattern of the path, never the path; undefined when nothing here has it. */
  readonly route: string | undefined;
  /** Whether the route is an operation of the API. */
  readonly isOperation: boolean;
  readonly status: number;
  readonly errorCode: string | undefined;
  /** False when the caller went away first. */
  readonly answered: boolean;
  readonly principal: Principal | undefined;
  readonly transactionId: string | undefined;
  readonly milliseconds: number;
}

/** What counts requests. It must be quick and must not throw. */
export interface RequestObserver {
  onBegin: () => void;
  onEnd: (request: AnsweredRequest) => void;
}

/** The pattern that Express matched, for what has no contract: health, documentation. */
function matchedPattern(req: IncomingMessage & { route?: { path?: unknown } }): string | undefined {
  const path = req.route?.path;
  return typeof path === 'string' ? path : undefined;
}

/**
 * Gives a request an id, before anything else is done with it, and when it is over, counts it and soon writes one log line.
 *
 * @returns also the way to write the lines that are left
 */
export function requestContext(
  logger: Logger,
  observer: RequestObserver,
): { begin: RequestListener; logEnded: () => void } {
  const lines = together((request: AnsweredRequest) => {
    logRequest(logger, request);
  });

  return {
    begin(req, res: WithContext) {
      observer.onBegin();
      const startedAt = performance.now();
      const context: RequestContext = { requestId: requestIdOf(req), headers: {} };
      res[contextKey] = context;
      res.once('close', () => {
        const request = {
          requestId: context.requestId,
          method: req.method ?? '',
          route: context.route ?? matchedPattern(req),
          isOperation: context.route !== undefined,
          status: res.statusCode,
          errorCode: context.errorCode,
          answered: res.writableFinished,
          principal: context.principal,
          transactionId: context.transactionId,
          milliseconds: performance.now() - startedAt,
        };
        observer.onEnd(request);
        lines.soon(request);
      });
    },
    logEnded: lines.now,
  };
}

function logRequest(logger: Logger, request: AnsweredRequest): void {
  logger.info(
    {
      request_id: request.requestId,
      method: request.method,
      route: request.isOperation ? request.route : undefined,
      status: request.status,
      error_code: request.errorCode,
      answered: request.answered,
      environment_id: request.principal?.environmentId,
      api_key: request.principal?.apiKey,
      transaction_id: request.transactionId,
      duration_ms: Math.round(request.milliseconds * 1_000) / 1_000,
    },
    'request',
  );
}

/** One log line for a request that never became one: the parser refused it. */
export function logRefusal(
  logger: Logger,
): (refusal: { requestId: string; status: number; code: string }) => void {
  return ({ requestId, status, code }) => {
    logger.info({ request_id: requestId, status, error_code: code }, 'request');
  };
}
