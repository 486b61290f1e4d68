import type { Test } from 'supertest';

import { drawKeyPair } from '../../src/core/key-pairs/credentials';
import type { Client } from './client';

/** Values that must not appear in any log line or error response. */
export const canary = {
  userHash: 'CanaryUserHash+/==',
  name: 'Canary-Name',
  idempotencyKey: 'canary-idempotency-key',
  bankReference: 'CANARY-BANK-REFERENCE',
  secret: drawKeyPair('test').apiSecret,
  unknown: 'canary-of-an-unknown-path',
};

const base = '/company/integration';
const create = `${base}/contributions/create`;
const one = `${base}/contributions/{transaction_id}`;
const inQuery = encodeURIComponent(canary.userHash);

/** A valid body; `more` overrides its members. */
export function canaryContribution(projectId: number, more: object = {}) {
  return { project_id: projectId, amount: '4.00', user_hash: canary.userHash, name: canary.name, ...more };
}

/** A rejected request: its description, the status, the route in its log line, and the request. */
export type RejectedRequest = [what: string, status: number, route: string | undefined, request: Test];

/**
 * One request for each kind of error, each with a canary in it.
 *
 * @param path of a completed transaction of 4.00 that was created with the canary's idempotency key
 */
export function rejectedRequests(
  client: Client,
  anonymous: Client,
  projectId: number,
  path: string,
): RejectedRequest[] {
  const put = (body: object | string) =>
    client.raw('put', create).set('Content-Type', 'application/json').send(body);
  const contribution = (more: object) => put(canaryContribution(projectId, more));
  return [
    ['wrong amount', 400, create, contribution({ amount: canary.userHash })],
    ['wrong hash', 400, create, contribution({ user_hash: `${canary.userHash} ` })],
    ['wrong name', 400, create, contribution({ name: `${canary.name}\u0007` })],
    ['wrong currency', 400, create, contribution({ currency: canary.name })],
    ['broken JSON', 400, create, put(`{"user_hash":"${canary.userHash}","name":"${canary.name}`)],
    ['text in place of JSON', 400, create, put(canary.name)],
    ['too large', 413, create, contribution({ more: canary.name.repeat(5_000) })],
    [
      'wrong type',
      415,
      create,
      client.raw('put', create).set('Content-Type', 'text/plain').send(canary.name),
    ],
    ['unknown project', 422, create, contribution({ project_id: 999_999 })],
    [
      'key reused',
      422,
      create,
      contribution({ amount: '5.00' }).set('Idempotency-Key', canary.idempotencyKey),
    ],
    ['key too long', 400, create, put({}).set('Idempotency-Key', canary.idempotencyKey.repeat(20))],
    ['wrong status', 400, one, client.raw('put', path).send({ status: canary.name })],
    [
      'wrong amount of a completion',
      409,
      one,
      client.raw('put', path).send({ status: 'completed', amount: 9 }),
    ],
    ['wrong id', 404, one, client.raw('get', `${base}/contributions/${inQuery}`)],
    [
      'hash twice',
      400,
      `${base}/projects-stories`,
      client.raw('get', `${base}/projects-stories?user_hash=${inQuery}&user_hash=${inQuery}`),
    ],
    [
      'plus in the query',
      400,
      `${base}/projects-stories`,
      client.raw('get', `${base}/projects-stories?user_hash=${canary.userHash}`),
    ],
    [
      'wrong cursor',
      400,
      `${base}/contributions`,
      client.raw('get', `${base}/contributions?cursor=${inQuery}`),
    ],
    ['unknown path', 404, undefined, client.raw('get', `/${canary.unknown}/${inQuery}?user_hash=${inQuery}`)],
    [
      'broken path',
      400,
      `${base}/get/project/{project_id}`,
      client.raw('get', `${base}/get/project/%ff?user_hash=${inQuery}`),
    ],
    ['wrong method', 405, create, client.raw('delete', `${create}?user_hash=${inQuery}`)],
    [
      'no credentials',
      401,
      `${base}/get/projects`,
      anonymous.raw('get', `${base}/get/projects?user_hash=${inQuery}`),
    ],
    [
      'unknown pair',
      401,
      `${base}/get/projects`,
      anonymous
        .raw('get', `${base}/get/projects`)
        .set({ 'API-Key': drawKeyPair('test').apiKey, 'API-Secret': canary.secret }),
    ],
    [
      'swapped pair',
      401,
      `${base}/get/projects`,
      anonymous
        .raw('get', `${base}/get/projects`)
        .set({ 'API-Key': canary.secret, 'API-Secret': client.apiKey! }),
    ],
  ];
}
