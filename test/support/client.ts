import type { Server } from 'node:http';

import type { Test } from 'supertest';

import { responseViolations } from './openapi/validate-response';
import { createRequest } from './request';
import { expectSecurityHeaders } from './security-headers';

export interface Credentials {
  apiKey: string | undefined;
  apiSecret: string | undefined;
}

/**
 * A partner's client. Its methods check each response against the OpenAPI document, so a test fails
 * at the line that sent the request. Responses to other clients are checked after the test
 * (`openapi/setup.ts`).
 */
export interface Client extends Credentials {
  get(path: string): Test;
  put(path: string, body?: object): Test;
  post(path: string, body?: object): Test;
  patch(path: string, body?: object): Test;
  delete(path: string): Test;
  /** The same credentials for a hand-written request. */
  raw(method: 'get' | 'put' | 'post' | 'delete' | 'patch' | 'head' | 'options', path: string): Test;
}

/** The parts of a response that are checked against the document. */
export interface CheckableResponse {
  status: number;
  /** Parsed; an empty object for an empty body. */
  body: unknown;
  /** All headers, with lower-case names. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** @throws Error when a response does not match the OpenAPI document */
export function checkResponse(
  method: string,
  url: string,
  { status, body, headers }: CheckableResponse,
): void {
  const text = JSON.stringify(body);
  const violations = responseViolations(
    { method: method.toUpperCase(), target: url },
    {
      status,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name,
          Array.isArray(value) ? value.join(', ') : value,
        ]),
      ),
      body: text === '{}' ? '' : text,
    },
  );
  if (violations.length > 0) throw new Error(violations.join('\n'));
}

export function createClient(server: Server, credentials: Credentials): Client {
  const raw: Client['raw'] = (method, path) => {
    const test = createRequest(server, method, path).expect(({ headers }) => {
      expectSecurityHeaders(headers);
    });
    if (credentials.apiKey !== undefined) void test.set('API-Key', credentials.apiKey);
    if (credentials.apiSecret !== undefined) void test.set('API-Secret', credentials.apiSecret);
    return test;
  };
  const checked = (method: 'get' | 'put' | 'post' | 'patch' | 'delete', path: string, body?: object) => {
    const test = raw(method, path).expect((response) => {
      checkResponse(method, path, response);
    });
    return body === undefined ? test : test.send(body);
  };
  return {
    ...credentials,
    get: (path) => checked('get', path),
    put: (path, body) => checked('put', path, body),
    post: (path, body) => checked('post', path, body),
    patch: (path, body) => checked('patch', path, body),
    delete: (path) => checked('delete', path),
    raw,
  };
}
