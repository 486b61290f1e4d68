import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

import type { Request, RequestHandler, Response } from 'express';

import { ServiceError } from '../shared/errors';
import type { Logger } from '../shared/logger';
import type { Principal } from '../shared/scopes';
import { headerValues } from './header-values';

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

const contexts = new WeakMap<ServerResponse, RequestContext>();

// An id worth echoing: long enough to mean something, short and plain enough for any log.
// Not an API-Secret in the wrong header: it would stand in the log.
const wellFormedRequestId = /^(?!.*cps_)[A-Za-z0-9._-]{1,128}$/i;

/** The context of the request that this response answers. */
export function contextOf(res: Response): RequestContext {
  const context = contexts.get(res);
  if (!context) throw new Error('the request context middleware did not run');
  return context;
}

/** The same for whoever may see answers of other servers in this process too. */
export const knownContextOf = (res: ServerResponse): RequestContext | undefined => contexts.get(res);

function requestIdOf(req: Request): string {
  const sent = req.get('X-Request-Id');
  return sent !== undefined && wellFormedRequestId.test(sent) ? sent : randomUUID();
}

/** What is known of a request when it is over. */
export interface AnsweredRequest {
  readonly method: string;
  /** The pattern of the path, never the path; undefined when nothing here has it. */
  readonly route: string | undefined;
  readonly status: number;
  readonly errorCode: string | undefined;
  /** False when the caller went away first. */
  readonly answered: boolean;
  readonly seconds: number;
}

/** What counts requests. It must be quick and must not throw. */
export interface RequestObserver {
  onBegin: () => void;
  onEnd: (request: AnsweredRequest) => void;
}

/** The pattern that Express matched, for what has no contract: health, documentation. */
function matchedPattern(req: Request): string | undefined {
  const { path } = (req.route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path : undefined;
}

/** Gives every request an id, counts it and writes one log line when the request is over. */
export function requestContext(logger: Logger, observer: RequestObserver): RequestHandler {
  return (req, res, next) => {
    observer.onBegin();
    const startedAt = process.hrtime.bigint();
    const context: RequestContext = { requestId: requestIdOf(req), headers: {} };
    contexts.set(res, context);
    res.on('close', () => {
      const milliseconds = Number(process.hrtime.bigint() - startedAt) / 1e6;
      observer.onEnd({
        method: req.method,
        route: context.route ?? matchedPattern(req),
        status: res.statusCode,
        errorCode: context.errorCode,
        answered: res.writableFinished,
        seconds: milliseconds / 1000,
      });
      logger.info(
        {
          request_id: context.requestId,
          method: req.method,
          route: context.route,
          status: res.statusCode,
          error_code: context.errorCode,
          answered: res.writableFinished,
          environment_id: context.principal?.environmentId,
          api_key: context.principal?.apiKey,
          transaction_id: context.transactionId,
          duration_ms: milliseconds,
        },
        'request',
      );
    });
    next();
  };
}

/**
 * Refuses HTTP/1.1 (and what has no version) without Host, which Node would do by itself and without a problem document, and more than one Host, of
 * which Node would take the first and a proxy perhaps the last (RFC 9112, 3.2).
 */
export const hostRequired: RequestHandler = (req, _res, next) => {
  const count = headerValues(req, 'host').length;
  if (count > 1 || (count === 0 && req.httpVersion !== '1.0')) {
    throw new ServiceError('malformed_http', { detail: 'Send one Host header, as HTTP/1.1 demands.' });
  }
  next();
};

/** One log line for a request that never became one: the parser refused it. */
export function logRefusal(
  logger: Logger,
): (refusal: { requestId: string; status: number; code: string }) => void {
  return ({ requestId, status, code }) => {
    logger.info({ request_id: requestId, status, error_code: code }, 'request');
  };
}
