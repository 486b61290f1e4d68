import type { IncomingMessage } from 'node:http';

import { contained } from '../../shared/contained';
import { createBatcher } from '../../shared/batcher';
import { loggableIds } from '../../shared/loggable-ids';
import type { Logger } from '../../shared/logger';
import type { Principal } from '../../shared/scopes';
import { attemptedApiKeyOf, type EndedRequest, type LogFields, logRequests } from './log-line';
import type { LogSampling } from './log-sampling';
import { paramsOf } from './parse-input';
import type { RequestContext } from './request-context';

/** Counts requests. Must be fast. */
export interface RequestObserver {
  onBegin: () => void;
  onEnd: (request: EndedRequest) => void;
}

/** Takes every ended request of a test environment. Must be fast. */
export type OnTestRequest = (
  request: EndedRequest & { readonly principal: Principal },
  context: RequestContext,
) => void;

/** The pattern that Express matched, for paths without a contract: health and documentation. */
function matchedPattern(req: IncomingMessage & { route?: { path?: unknown } }): string | undefined {
  const path = req.route?.path;
  return typeof path === 'string' ? path : undefined;
}

/**
 * The principal for the log. After a 401 from the endpoint, the pair that the screen found is no
 * longer valid.
 */
const principalOf = (context: RequestContext, status: number | undefined): Principal | undefined =>
  context.principal ?? (status === 401 ? undefined : context.identified?.principal);

/** The ids in the path: partners ask about requests that failed too. */
function idsInPath({ operation, found }: RequestContext): LogFields | undefined {
  // No id needs a percent-encoding, which may be invalid.
  if (!operation?.contract.params || found?.values.some((value) => value.includes('%'))) return undefined;
  return loggableIds(paramsOf(found));
}

const namesAttemptedKey = new Set<number | undefined>([401, 403, 429]);

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
  status: number | undefined,
  sampling: Pick<LogSampling, 'admits'>,
  principal = principalOf(context, status),
): boolean {
  const { clientAddress, errorCode, route, state } = context;
  // False if the client left while the request waited.
  const isStarted = state !== 'waiting' || status !== undefined;
  if (principal && route !== undefined && isStarted && !sampledErrors.has(errorCode)) return true;
  context.isLogged ??= sampling.admits({
    clientAddress,
    environmentId: principal?.environmentId,
    status,
    errorCode,
    attemptedApiKey: !principal && namesAttemptedKey.has(status) ? attemptedApiKeyOf(context.req) : undefined,
  });
  return context.isLogged;
}

export type RequestRecords = ReturnType<typeof recordRequests>;

/** Counts each request when it ends, and logs it with the next batch of lines. */
export function recordRequests({
  logger,
  observer,
  sampling,
  onTestRequest,
}: {
  logger: Logger;
  observer: RequestObserver;
  sampling: Pick<LogSampling, 'admits'>;
  onTestRequest?: OnTestRequest | undefined;
}) {
  const lines = createBatcher(logRequests(logger));
  return {
    /** Call this when a request has arrived. */
    begin: observer.onBegin,
    /** Call this when its response is sent, or its connection is closed. */
    end: contained((context: RequestContext) => {
      const { req, res } = context;
      const status = res.headersSent ? res.statusCode : undefined;
      const principal = principalOf(context, status);
      const request = {
        requestId: context.requestId,
        clientAddress: context.clientAddress,
        method: req.method,
        route: context.route ?? matchedPattern(req),
        isOperation: context.route !== undefined,
        status,
        errorCode: context.errorCode,
        answered: res.writableFinished,
        principal,
        attemptedApiKey:
          principal === undefined && namesAttemptedKey.has(status) ? attemptedApiKeyOf(req) : undefined,
        logFields: { ...idsInPath(context), ...context.logFields },
        fault: context.fault,
        milliseconds: performance.now() - context.startedAt,
      };
      observer.onEnd(request);
      if (onTestRequest && principal?.environmentKind === 'test')
        onTestRequest({ ...request, principal }, context);
      if (isLogged(context, status, sampling, principal)) lines.add(request);
    }),
    /** Writes the lines that wait for their batch. */
    flush: lines.flush,
  };
}
