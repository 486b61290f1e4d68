import type { Request, RequestHandler, Router } from 'express';
import type { z } from 'zod';

import { type ErrorCode, type InputError, ServiceError } from '../shared/errors';
import type { CurrentRequest } from './request/current-request';
import type { Principal, Scope } from '../shared/scopes';
import type { TrafficClass } from '../shared/traffic-classes';
import { sendResponse } from './response/response';
import { type BodyMedia, type BodyReader, parseBody } from './request/body';
import type { ResponseCache } from './response/response-cache';
import { headerValues } from './request/header-values';
import type { LimitRate } from './middleware/rate-limit';
import { ClientLeft, hasLeft } from './request/client-presence';
import { contextOf, type LogFields } from './request/request-context';
import { jsonBytes, sendJson } from './response/send-json';
import { validate } from './request/validation';

/** What an operation answers when it succeeds. */
export interface ResponseContract {
  readonly description: string;
  /** Absent when the answer has no body. */
  readonly body?: z.ZodType;
  readonly headers?: Readonly<Record<string, string>>;
  readonly example?: unknown;
}

/**
 * Everything that is fixed about one operation. Validation, handler types, OpenAPI and tests all
 * come from here.
 */
export interface EndpointContract {
  readonly operationId: string;
  readonly method: 'get' | 'put' | 'post';
  /** As OpenAPI writes it: /pets/{pet_id} */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** The section of the specification that has it, or that it is an addition. */
  readonly origin: `specification ${string}` | 'addition';
  readonly scope: Scope;
  /** Where its requests wait for their turn, when their scope does not decide. */
  readonly trafficClass?: TrafficClass;
  /**
   * Present when the response is the same for every caller of an environment, unless the query has
   * this personal parameter. The client may then keep the response, and this process caches it for
   * a moment.
   */
  readonly cachedWithout?: string;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  /** Names in lower case. */
  readonly headers?: z.ZodObject;
  readonly body?: {
    readonly schema: z.ZodType;
    readonly accepts: readonly BodyMedia[];
    readonly example?: unknown;
  };
  readonly responses: Readonly<Record<number, ResponseContract>>;
  /**
   * The codes that only this operation has; those that every operation has are in `http/openapi`.
   */
  readonly errors: readonly ErrorCode[];
}

/** Keeps the exact types of a contract. */
export function endpoint<const C extends EndpointContract>(contract: C): C {
  return contract;
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** What a handler receives: parsed, and nothing of Express. */
export interface Input<C extends EndpointContract> {
  principal: Principal;
  params: Parsed<C['params']>;
  query: Parsed<C['query']>;
  headers: Parsed<C['headers']>;
  body: C['body'] extends { schema: infer S } ? Parsed<S> : undefined;
  /** As the answer and the log have it. */
  requestId: string;
  /** Adds fields, such as ids, to the log line of the request. */
  addToLog: (fields: LogFields) => void;
  /**
   * Ends a read whose client has left; does nothing in a write. Call it between statements, and not
   * in a cacheable operation: its callers share the work.
   *
   * @throws ClientLeft
   */
  stopIfLeft: () => void;
}

/** What a handler returns: one of the contract's responses. */
export type EndpointResponse<C extends EndpointContract> = {
  [Status in keyof C['responses'] & number]: {
    status: Status;
    headers?: Record<string, string>;
  } & (C['responses'][Status] extends { body: infer S extends z.ZodType } ? { body: z.output<S> } : object);
}[keyof C['responses'] & number];

/** How a request proves who sends it. */
export type Authenticate = (req: Request) => Promise<Principal>;

/** What the binding needs of the rest of the service. */
export interface EndpointDependencies {
  authenticate: Authenticate;
  limitRate: LimitRate;
  readBody: BodyReader;
  responseCache: ResponseCache;
  currentRequest: CurrentRequest;
}

/** The path as Express has it: /pets/:pet_id */
export function expressPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/**
 * Binds an operation to its handler in two steps, so that TypeScript holds the handler to the
 * contract: `bind(router, dependencies, contract).to(handler)`.
 */
export function bind<C extends EndpointContract>(
  router: Router,
  dependencies: EndpointDependencies,
  contract: C,
) {
  return {
    to(handler: (input: Input<C>) => Promise<EndpointResponse<C>>): void {
      router[contract.method](expressPath(contract.path), handle(dependencies, contract, handler));
    },
  };
}

function handle<C extends EndpointContract>(
  { authenticate, limitRate, readBody, responseCache: responseCache, currentRequest }: EndpointDependencies,
  contract: C,
  handler: (input: Input<C>) => Promise<EndpointResponse<C>>,
): RequestHandler {
  return async (req, res) => {
    const context = contextOf(res);
    context.route = contract.path;
    const principal = await authenticate(req);
    context.principal = principal;
    context.headers['Environment'] = principal.environmentKind;
    const rate = (context.rate ??= limitRate(principal, contract.scope));
    Object.assign(context.headers, rate.headers);
    if (rate.refusal) throw new ServiceError(rate.refusal.code, rate.refusal);
    requireScope(principal, contract.scope);
    const parts = await parseRequest(req, contract, readBody);
    // A body may have taken its time, and the pair may have been revoked meanwhile.
    if (contract.body) await authenticate(req);
    // Member by member: an object spread in here makes V8 keep it long after the request.
    const stopIfLeft = (): void => {
      if (contract.method === 'get' && hasLeft(req)) throw new ClientLeft();
    };
    stopIfLeft();
    const input = {
      params: parts.params,
      query: parts.query,
      headers: parts.headers,
      body: parts.body,
      principal,
      requestId: context.requestId,
      addToLog: (fields: LogFields) => {
        context.logFields = fields;
      },
      stopIfLeft,
    } as Input<C>;
    const work = (): Promise<HandlerResponse> => currentRequest.run(context.requestId, () => handler(input));
    if (isCacheable(contract, parts.query)) {
      const key = JSON.stringify([principal.environmentId, contract.operationId, parts.params, parts.query]);
      const response = await responseCache.find(key, async () => jsonBytes((await work()).body, true));
      stopIfLeft();
      // `private`, because API-Key is not the Authorization header: a shared cache would keep the
      // answer for everybody.
      context.headers['Cache-Control'] = 'private, no-cache';
      await sendJson(req, res, 200, response);
      return;
    }
    const { status, headers, body } = await work();
    stopIfLeft();
    // What one company sees is no other's, and what is about a user is kept nowhere.
    context.headers['Cache-Control'] = 'no-store';
    Object.assign(context.headers, headers);
    if (body === undefined) sendResponse(res, status);
    else await sendJson(req, res, status, jsonBytes(body, false));
  };
}

interface HandlerResponse {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

function isCacheable({ cachedWithout }: EndpointContract, query: unknown): boolean {
  if (cachedWithout === undefined) return false;
  return (query as Readonly<Record<string, unknown>> | undefined)?.[cachedWithout] === undefined;
}

function requireScope(principal: Principal, scope: Scope): void {
  if (principal.scopes.includes(scope)) return;
  throw new ServiceError('scope_missing', {
    detail: `This key pair lacks the scope ${scope}. Use a pair that has it.`,
  });
}

/** Reads and validates every part of a request, and reports all that is wrong at once. */
async function parseRequest(req: Request, contract: EndpointContract, readBody: BodyReader) {
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
  const body =
    contract.body &&
    part(
      'body',
      contract.body.schema,
      parseBody(await readBody(req), req.get('Content-Type'), contract.body.accepts),
    );
  if (errors.length > 0) {
    const count = errors.length === 1 ? '1 problem' : `${errors.length} problems`;
    throw new ServiceError('invalid_request', {
      detail: `The request has ${count}. See errors.`,
      errors,
    });
  }
  return { params, query, headers, body };
}

/** The headers that a contract names; one that was sent twice is an array, as in a query. */
function headersOf(req: Request, { shape }: z.ZodObject): Record<string, string | string[] | undefined> {
  const headers: Record<string, string | string[] | undefined> = {};
  for (const name of Object.keys(shape)) {
    const values = headerValues(req, name);
    headers[name] = values.length > 1 ? values : values[0];
  }
  return headers;
}
