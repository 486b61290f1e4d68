import type { Request, RequestHandler } from 'express';
import type { z } from 'zod';

import type { EndpointContract } from './contract';
import { faultOfHeader, mayHaveArmedFault, type RequestFaults } from './faults/request-fault';
import { type InputError, invalidRequest, ServiceError } from '../shared/errors';
import { handleAsCurrentPrincipal } from './current-principal';
import type { CurrentRequest } from './request/current-request';
import type { LimitWork } from '../shared/limit-work';
import type { Principal } from '../shared/scopes';
import { sendResponse } from './response/response';
import { authenticatingAgain } from './request/authenticating-again';
import { type BodyReader, isOptional, parseBody } from './request/body';
import type { ResponseCache } from './response/response-cache';
import { contradictionsOf } from './request/contradictions';
import { headersOf } from './request/header-values';
import type { LimitRate } from './middleware/rate-limit';
import { ClientLeft, hasLeft } from './request/client-presence';
import type { LogFields } from './request/log-line';
import { contextOf, type RequestContext } from './request/request-context';
import { readUpload, type Upload, type UploadContract } from './request/upload';
import { csvColumnsOf, type ListBody } from './response/csv';
import { negotiateCsv, sendCsv } from './response/send-csv';
import { jsonBytes, sendJson } from './response/send-json';
import { type Lines, sendLines } from './response/send-lines';
import { requireEnvironment, requireScope } from './require-principal';
import { validate } from './request/validation';

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** The parsed input of a handler, without Express's request and response. */
export interface Input<C extends EndpointContract> {
  principal: Principal;
  params: Parsed<C['params']>;
  query: Parsed<C['query']>;
  headers: Parsed<C['headers']>;
  body: C['body'] extends { schema: infer S } ? Parsed<S> : undefined;
  upload: C['upload'] extends UploadContract ? Upload : undefined;
  /** The id in the response and the log. */
  requestId: string;
  /** When the handler was first called, on the clock of `performance.now()`. */
  startedAtMs: number;
  /** Adds fields, such as ids, to the request's log line. */
  addToLog: (fields: LogFields) => void;
  /**
   * Stops a read whose client has left. Does nothing in a write. Call it between SQL statements,
   * but not in a cacheable operation, because several clients wait for its result.
   *
   * @throws ClientLeft
   */
  stopIfLeft: () => void;
  /** Whether the client has left. */
  hasLeft: () => boolean;
  /** Waits without holding a slot, then authenticates again. */
  outside: (wait: () => Promise<void>) => Promise<void>;
}

/** The result of a handler: one of the contract's responses. */
export type EndpointResponse<C extends EndpointContract> = {
  [Status in keyof C['responses'] & number]: {
    status: Status;
    headers?: Record<string, string>;
  } & (C['responses'][Status] extends { body: infer S extends z.ZodType }
    ? { body: z.output<S> }
    : C['responses'][Status] extends { line: z.ZodType }
      ? { lines: Lines }
      : object);
}[keyof C['responses'] & number];

/** Verifies the credentials of a request. */
export type Authenticate = (req: Request) => Promise<Principal>;

/** Reads the key pair of a request again and verifies it. */
export type AuthenticateAgain = Authenticate;

export interface EndpointDependencies {
  authenticate: Authenticate;
  authenticateAgain: AuthenticateAgain;
  limitRate: LimitRate;
  readBody: BodyReader;
  responseCache: ResponseCache;
  currentRequest: CurrentRequest;
  /** Absent if no request can have a fault. */
  faults: RequestFaults | undefined;
  limitWork: LimitWork;
}

/** Lets an operation wait for hanging workers, without using up what others need. */
export function limited<C extends EndpointContract>(
  { limitWork }: EndpointDependencies,
  contract: C,
  handler: (input: Input<C>) => Promise<EndpointResponse<C>>,
) {
  // A read may need no other server, and the lines of a response are written later.
  const proves = (response: HandlerResponse): boolean =>
    contract.method !== 'get' && response.lines === undefined;
  return (input: Input<C>) =>
    limitWork(input.principal.environmentId, proves, (pause) => {
      if (pause === undefined) return handler(input);
      return handler({ ...input, outside: (wait) => pause(() => input.outside(wait)) });
    });
}

/** Express's handler of an operation: everything that happens to its requests after routing. */
export function handle<C extends EndpointContract>(
  dependencies: EndpointDependencies,
  contract: C,
  handler: (input: Input<C>) => Promise<EndpointResponse<C>>,
): RequestHandler {
  const { authenticate, limitRate, readBody, responseCache, currentRequest, faults } = dependencies;
  const csvColumns = contract.method === 'get' ? csvColumnsOf(contract.responses[200]?.body) : undefined;
  return async (req, res) => {
    const context = contextOf(res);
    Object.assign(context, { route: contract.path, operationId: contract.operationId });
    const principal = await authenticate(req);
    context.principal = principal;
    const rate = (context.rate ??= limitRate(principal, contract));
    Object.assign(context.headers, { Environment: principal.environmentKind }, rate.headers);
    if (rate.refusal) throw new ServiceError(rate.refusal.code, rate.refusal);
    const requestedFault = faults && faultOfHeader(req, principal, contract);
    requireEnvironment(principal, contract.onlyIn);
    requireScope(principal, contract.scope);
    const parts = await parseRequest(req, contract, readBody, context);
    // The key pair may have been revoked while the body arrived.
    if (contract.body ?? contract.upload) await authenticate(req);
    // Do not use an object spread: V8 would keep the object long after the request.
    const stopIfLeft = (): void => {
      if (contract.method === 'get' && hasLeft(req)) throw new ClientLeft();
    };
    stopIfLeft();
    const fault =
      requestedFault ??
      (faults && mayHaveArmedFault(principal, contract)
        ? await faults.take(principal, contract.operationId)
        : undefined);
    if (fault && faults?.failBefore(res, fault, contract)) return;
    const { outside, authenticateAgain } = authenticatingAgain(req, res, dependencies, principal);
    const input = {
      params: parts.params,
      query: parts.query,
      headers: parts.headers,
      body: parts.body,
      upload: parts.upload,
      principal,
      requestId: context.requestId,
      startedAtMs: performance.now(),
      addToLog: (fields: LogFields) => {
        context.logFields = fields;
      },
      stopIfLeft,
      hasLeft: () => hasLeft(req),
      outside,
    } as Input<C>;
    const work = (): Promise<HandlerResponse> =>
      currentRequest.run(context.requestId, () =>
        handleAsCurrentPrincipal(input, handler, authenticateAgain),
      );
    const sendsCsv = csvColumns !== undefined && negotiateCsv(req, context.headers);
    if (!sendsCsv && isCacheable(contract, parts.query)) {
      const key = JSON.stringify([principal.environmentId, contract.operationId, parts.params, parts.query]);
      const response = await responseCache.find(key, async () => jsonBytes((await work()).body, true));
      stopIfLeft();
      // Use `private`, because shared caches know only the Authorization header. They would serve a
      // response for one API-Key to anyone.
      context.headers['Cache-Control'] = 'private, no-cache';
      await sendJson(req, res, 200, response);
      return;
    }
    const { status, headers, body, lines } = await work();
    stopIfLeft();
    // Other responses are specific to a company or contain data about a user.
    context.headers['Cache-Control'] = 'no-store';
    Object.assign(context.headers, headers);
    if (lines) await currentRequest.run(context.requestId, () => sendLines(res, status, lines));
    else if (body === undefined) sendResponse(res, status);
    else if (sendsCsv) await sendCsv(req, res, csvColumns, body as ListBody);
    else await sendJson(req, res, status, jsonBytes(body, false));
  };
}

interface HandlerResponse {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  lines?: Lines;
}

function isCacheable({ cachedWithout }: EndpointContract, query: unknown): boolean {
  if (cachedWithout === undefined) return false;
  return (query as Readonly<Record<string, unknown>> | undefined)?.[cachedWithout] === undefined;
}

/** Reads and validates all parts of a request, and reports all errors together. */
async function parseRequest(
  req: Request,
  contract: EndpointContract,
  readBody: BodyReader,
  context: RequestContext,
) {
  const errors: InputError[] = [];
  const part = (
    place: 'path' | 'query' | 'header' | 'body',
    schema: z.ZodType | undefined,
    input: unknown,
  ) => {
    if (!schema) return undefined;
    const result = validate(place, schema, input);
    errors.push(...result.errors);
    return result.value;
  };
  const params = part('path', contract.params, req.params);
  const query = part('query', contract.query, req.query);
  const headers = part('header', contract.headers, contract.headers && headersOf(req, contract.headers));
  let body: unknown;
  if (contract.body) {
    const bytes = await readBody(req);
    const isAbsent = bytes.length === 0 && isOptional(contract.body);
    const sent = isAbsent ? {} : parseBody(bytes, req.get('Content-Type'), contract.body.accepts);
    if (context.principal?.environmentKind === 'test') context.body = sent;
    body = part('body', contract.body.schema, sent);
    errors.push(...contradictionsOf(req.params, sent));
  }
  const upload = contract.upload && (await readUpload(req, contract.upload));
  if (errors.length > 0) throw invalidRequest(errors);
  return { params, query, headers, body, upload };
}
