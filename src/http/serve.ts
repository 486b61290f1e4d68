import type { RequestHandler } from 'express';

import { OutdatedKeyPair, ServiceError } from '../shared/errors';
import { handleAsCurrentPrincipal } from './current-principal';
import type { AnyInput, AnyResponse } from './endpoint';
import { faultOfHeader, type RequestFaults } from './faults/request-fault';
import type { LimitRate } from './middleware/rate-limit';
import type { Operation } from './operations';
import { ClientLeft, hasLeft } from './request/client-presence';
import type { CurrentRequest } from './request/current-request';
import { paramsOf, parseInput } from './request/parse-input';
import { type Authenticate, contextOf, type RequestContext } from './request/request-context';
import { requireRights } from './require-principal';
import { sendResponse } from './response/response';
import type { ResponseCache } from './response/response-cache';
import { negotiateCsv, sendCsv } from './response/send-csv';
import { jsonBytes, sendJson } from './response/send-json';
import { sendLines } from './response/send-lines';

export interface ServeDependencies {
  authenticate: Authenticate;
  /** Reads the key pair of a request again and verifies it. */
  authenticateAgain: Authenticate;
  limitRate: LimitRate;
  bodyLimitBytes: number;
  responseCache: ResponseCache;
  currentRequest: CurrentRequest;
  /** Absent if no request can have a fault. */
  faults: RequestFaults | undefined;
}

/**
 * The endpoint: Express's first handler. Serves a request whose operation the screen has found.
 * `request-steps.ts` has the steps before and after it, and says what is checked again.
 */
export const serveOperations =
  (dependencies: ServeDependencies): RequestHandler =>
  (_req, res, next) => {
    const context = contextOf(res);
    if (!context.operation) {
      next();
      return undefined;
    }
    return serve(dependencies, context, context.operation);
  };

async function serve(
  dependencies: ServeDependencies,
  context: RequestContext,
  operation: Operation,
): Promise<void> {
  const { authenticate, currentRequest, faults } = dependencies;
  const { contract, handler } = operation;
  const params = contract.params ? paramsOf(context.found) : {};
  const principal = await authenticate(context);
  context.principal = principal;
  // The screen has taken a token, unless it could not identify the sender.
  const rate = (context.rate ??= dependencies.limitRate(principal, operation.ratePolicy));
  Object.assign(context.headers, { Environment: principal.environmentKind }, rate.headers);
  if (rate.refusal) throw new ServiceError(rate.refusal.code, rate.refusal);
  const requestedFault = faults && faultOfHeader(context.req, principal, contract);
  requireRights(principal, contract);
  const parts = await parseInput(context, operation, params, dependencies.bodyLimitBytes);
  // The key pair may have been revoked while the body arrived.
  if (operation.takesBody && !context.hasArrived) await authenticate(context);
  const stopIfLeft = (): void => {
    if (operation.isRead && hasLeft(context.req)) throw new ClientLeft();
  };
  stopIfLeft();
  const fault =
    requestedFault ??
    // The cached key pair lists the operations with armed faults.
    (faults && principal.faultyOperations.includes(contract.operationId)
      ? await faults.take(principal, contract.operationId)
      : undefined);
  if (fault && faults?.failBefore(context, fault, contract)) return;
  // Do not use an object spread: V8 would keep the object long after the request.
  const input: AnyInput = {
    params: parts.params,
    query: parts.query,
    headers: parts.headers,
    body: parts.body,
    upload: parts.upload,
    principal,
    requestId: context.requestId,
    startedAtMs: performance.now(),
    addToLog: (fields) => {
      context.logFields = fields;
    },
    stopIfLeft,
    hasLeft: () => hasLeft(context.req),
    outside: async (wait) => {
      // Frees the slot, so that other requests need not wait.
      context.onWritten();
      await wait();
      // The key pair may have been revoked meanwhile.
      const { environmentId } = await authenticate(context);
      // A reset has moved the pair. The handler runs again, in the new environment.
      if (environmentId !== input.principal.environmentId) throw new OutdatedKeyPair();
    },
  };
  const work = (): Promise<AnyResponse> =>
    handleAsCurrentPrincipal(input, handler, () => dependencies.authenticateAgain(context));
  const csv = operation.csv && negotiateCsv(context) ? operation.csv : undefined;
  if (!csv && contract.cachedWithout !== undefined && isWithout(contract.cachedWithout, parts.query)) {
    const key = JSON.stringify([principal.environmentId, contract.operationId, parts.params, parts.query]);
    const response = await dependencies.responseCache.find(key, async () =>
      jsonBytes((await currentRequest.run(context.requestId, work)).body, true),
    );
    stopIfLeft();
    // Use `private`, because shared caches know only the Authorization header. They would serve a
    // response for one API-Key to anyone.
    context.headers['Cache-Control'] = 'private, no-cache';
    await sendJson(context, 200, response);
    return;
  }
  const { status, headers, body, lines } = await currentRequest.run(context.requestId, work);
  stopIfLeft();
  // Other responses are specific to a company or contain data about a user.
  context.headers['Cache-Control'] = 'no-store';
  Object.assign(context.headers, headers);
  if (lines) await currentRequest.run(context.requestId, () => sendLines(context, status, lines));
  else if (body === undefined) sendResponse(context, status);
  else if (csv) await sendCsv(context, csv, body);
  else await sendJson(context, status, jsonBytes(body, false));
}

const isWithout = (name: string, query: unknown): boolean =>
  (query as Readonly<Record<string, unknown>> | undefined)?.[name] === undefined;
