import type { Server } from 'node:http';

import request, { type Test } from 'supertest';

import { createContracts, listContracts } from '../../src/contracts';
import { errorCatalog } from '../../src/http/error-catalog';
import { errorCodesOf } from '../../src/http/openapi';
import type { ErrorCode } from '../../src/shared/errors';

export interface Credentials {
  apiKey: string | undefined;
  apiSecret: string | undefined;
}

/**
 * A partner's client. Every answer that comes through it is held against the contract of its operation: the documented
 * status, the exact body, a declared error code.
 */
export interface Client extends Credentials {
  get(path: string): Test;
  put(path: string, body?: object): Test;
  post(path: string, body?: object): Test;
  /** The same credentials for a request that is put together by hand; nothing checks its answer. */
  raw(method: 'get' | 'put' | 'post' | 'delete' | 'patch' | 'head' | 'options', path: string): Test;
}

/** As much of an answer as is held against the contract, whichever client received it. */
export interface CheckableAnswer {
  status: number;
  body: unknown;
  get(header: string): string | undefined;
}

const contracts = listContracts(createContracts({ minimumCents: 1n, maximumCents: 100_000_000n }));

function contractOf(method: string, url: string) {
  const { pathname } = new URL(url, 'http://service');
  // As in the service, a path without parameters goes before one with.
  const candidates = [...contracts].sort(
    (a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')),
  );
  return candidates.find(
    (contract) =>
      contract.method === method.toLowerCase() &&
      new RegExp(`^${contract.path.replace(/\{\w+\}/g, '[^/]+')}/?$`).test(pathname),
  );
}

/** Throws when an answer is not one that the contract has. */
export function checkAnswer(method: string, url: string, answer: CheckableAnswer): void {
  const contract = contractOf(method, url);
  if (!contract) return;
  const where = `${method} ${contract.path} → ${answer.status}`;
  const promised = contract.responses[answer.status];
  if (promised) {
    const result = promised.body?.safeParse(answer.body);
    if (result && !result.success)
      throw new Error(`${where}: body is not as promised: ${result.error.message}`);
    return;
  }
  if (answer.get('Content-Type') !== 'application/problem+json')
    throw new Error(`${where}: is not a problem document`);
  const {
    code,
    status,
    request_id: requestId,
  } = answer.body as { code: ErrorCode; status: number; request_id: string };
  if (!errorCodesOf(contract).includes(code)) throw new Error(`${where}: ${code} is not declared`);
  if (status !== answer.status || errorCatalog[code].status !== status)
    throw new Error(`${where}: ${code} has another status`);
  if (requestId !== answer.get('X-Request-Id'))
    throw new Error(`${where}: request_id differs from X-Request-Id`);
}

export function createClient(server: Server, credentials: Credentials): Client {
  const raw: Client['raw'] = (method, path) => {
    const test = request(server)[method](path);
    if (credentials.apiKey !== undefined) void test.set('API-Key', credentials.apiKey);
    if (credentials.apiSecret !== undefined) void test.set('API-Secret', credentials.apiSecret);
    return test;
  };
  const checked = (method: 'get' | 'put' | 'post', path: string, body?: object) => {
    const test = raw(method, path).expect((answer) => {
      checkAnswer(method, path, answer);
    });
    return body === undefined ? test : test.send(body);
  };
  return {
    ...credentials,
    get: (path) => checked('get', path),
    put: (path, body) => checked('put', path, body),
    post: (path, body) => checked('post', path, body),
    raw,
  };
}
