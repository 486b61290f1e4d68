import type { Request, RequestHandler, Router } from 'express';
import type { z } from 'zod';

import { type ErrorCode, type InputError, ServiceError } from '../shared/errors';
import type { CurrentRequest } from '../shared/current-request';
import type { Principal, Scope } from '../shared/scopes';
import { sendAnswer } from './answer';
import { type BodyMedia, type BodyReader, parseBody } from './body';
import type { CatalogueAnswers } from './catalogue-answers';
import { headerValues } from './header-values';
import type { LimitRate } from './rate-limit';
import { contextOf } from './request-context';
import { jsonBytes, sendJson } from './send-json';
import { validate } from './validation';

/** What an operation answers when it succeeds. */
export interface ResponseContract {
  readonly description: string;
  /** Absent when the answer has no body. */
  readonly body?: z.ZodType;
  readonly headers?: Readonly<Record<string, string>>;
  readonly example?: unknown;
}

/**
 * Everything that is fixed about one operation. Validation, handler types, OpenAPI and tests all come from here.
 */
export interface EndpointContract {
  readonly operationId: string;
  readonly method: 'get' | 'put' | 'post';
  /** As OpenAPI writes it: /company/integration/get/project/{project_id} */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** The section of the specification that has it, or that it is an addition. */
  readonly origin: `specification ${string}` | 'addition';
  readonly scope: Scope;
  /** Without user_hash the answer is the same for everybody of an environment: the caller may keep it, and we for a moment. */
  readonly isCatalogue?: boolean;
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
  /** The codes that only this operation has; those that every operation has are in `http/openapi`. */
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
  /** Names the transaction that the request is about, for the log. */
  about: (transactionId: string) => void;
}

/** What a handler returns: one of the contract's responses. */
export type Answer<C extends EndpointContract> = {
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
  catalogueAnswers: CatalogueAnswers;
  currentRequest: CurrentRequest;
}

/** The path as Express has it: /get/project/:project_id */
export function expressPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/**
 * Binds an operation to its handler in two steps, so that TypeScript holds the handler to the contract:
 * `bind(router, dependencies, contract).to(handler)`.
 */
export function bind<C extends EndpointContract>(
  router: Router,
  dependencies: EndpointDependencies,
  contract: C,
) {
  return {
    to(handler: (input: Input<C>) => Promise<Answer<C>>): void {
      router[contract.method](expressPath(contract.path), handle(dependencies, contract, handler));
    },
  };
}

function handle<C extends EndpointContract>(
  { authenticate, limitRate, readBody, catalogueAnswers, currentRequest }: EndpointDependencies,
  contract: C,
  handler: (input: Input<C>) => Promise<Answer<C>>,
): RequestHandler {
  return async (req, res) => {
    const context = contextOf(res);
    context.route = contract.path;
    const principal = await authenticate(req);
    context.principal = principal;
    context.headers['Environment'] = principal.environmentKind;
    const rate = limitRate(principal, contract.scope);
    Object.assign(context.headers, rate.headers);
    if (rate.refusal) throw rate.refusal;
    requireScope(principal, contract.scope);
    const parts = await parseRequest(req, contract, readBody);
    // A body may have taken its time, and the pair may have been revoked meanwhile.
    if (contract.body) await authenticate(req);
    // Member by member: an object spread in here makes V8 keep it long after the request.
    const input = {
      params: parts.params,
      query: parts.query,
      headers: parts.headers,
      body: parts.body,
      principal,
      requestId: context.requestId,
      about: (transactionId: string) => {
        context.transactionId = transactionId;
      },
    } as Input<C>;
    const work = (): Promise<HandlerAnswer> => currentRequest.run(context.requestId, () => handler(input));
    if (contract.isCatalogue === true && !hasUser(parts.query)) {
      const key = JSON.stringify([principal.environmentId, contract.operationId, parts.params, parts.query]);
      const answer = await catalogueAnswers.find(key, async () => jsonBytes((await work()).body, true));
      // `private`, because API-Key is not the Authorization header: a shared cache would keep the answer for everybody.
      context.headers['Cache-Control'] = 'private, no-cache';
      await sendJson(req, res, 200, answer);
      return;
    }
    const { status, headers, body } = await work();
    // What one company sees is no other's, and what is about a user is kept nowhere.
    context.headers['Cache-Control'] = 'no-store';
    Object.assign(context.headers, headers);
    if (body === undefined) sendAnswer(res, status);
    else await sendJson(req, res, status, jsonBytes(body, false));
  };
}

interface HandlerAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

function hasUser(query: unknown): boolean {
  return (query as { user_hash?: string } | undefined)?.user_hash !== undefined;
}

function requireScope(principal: Principal, scope: Scope): void {
  if (principal.scopes.includes(scope)) return;
  throw new ServiceError('scope_missing', {
    detail: `This key pair is restricted and lacks the scope ${scope}. Use a pair that has it.`,
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
    const count = errors.length === 1 ? 'One thing is' : `${errors.length} things are`;
    throw new ServiceError('invalid_request', {
      detail: `${count} wrong with the request: see errors.`,
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
