import { connect } from 'node:net';

import type { Client } from './client';
import { canary, canaryContribution, type RejectedRequest } from './canary-requests';

const base = '/company/integration';
const create = `${base}/contributions/create`;
const order = `${base}/orders/make`;
const list = `${base}/contributions`;
const inQuery = encodeURIComponent(canary.userHash);

/** A form with one field: the headers and the content of its part. */
function form(disposition: string, value: string, boundary = 'boundary'): string {
  return `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n--boundary--\r\n`;
}

/** Requests with invalid bodies, forms, queries and paths, each with a canary in it. */
export function invalidRequests(client: Client, projectId: number, path: string): RejectedRequest[] {
  const send = (type: string, body: string | Buffer) =>
    client.raw('post', order).set('Content-Type', type).send(body);
  const multipart = (body: string) => send('multipart/form-data; boundary=boundary', body);
  const json = (encoding: string) =>
    client
      .raw('put', create)
      .set({ 'Content-Type': 'application/json', 'Content-Encoding': encoding })
      .send(JSON.stringify(canaryContribution(projectId)));
  const complete = (body: object) => client.raw('put', path).send({ status: 'completed', ...body });
  const ask = (route: string, query: string): [string, number, string, ReturnType<Client['raw']>] => [
    `query ${query.slice(0, 10)} of ${route}`,
    400,
    `${base}${route}`,
    client.raw('get', `${base}${route.replace(/\{\w+\}/, String(projectId))}?${query}`),
  ];
  return [
    ['file', 400, order, multipart(form(`name="name"; filename="${canary.name}"`, canary.userHash))],
    ['field without a name', 400, order, multipart(form(`title="${canary.name}"`, canary.userHash))],
    ['form that does not end', 400, order, multipart(form('name="name"', canary.name).slice(0, -8))],
    ['other boundary', 400, order, multipart(form('name="name"', canary.name, canary.unknown))],
    ['missing boundary', 400, order, send('multipart/form-data', form('name="user_hash"', canary.userHash))],
    [
      'boundary over the limit',
      400,
      order,
      send(`multipart/form-data; boundary=${canary.unknown.repeat(9)}`, form('name="name"', canary.name)),
    ],
    ['wrong fields', 400, order, multipart(form('name="user_hash"', `${canary.userHash} `))],
    ['other charset', 415, order, send(`application/json; charset=${canary.name}`, '{}')],
    ['text that says it is gzip', 400, create, json('gzip')],
    ['text that says it is brotli', 415, create, json('br')],
    ['unknown encoding', 415, create, json(canary.name)],
    [
      'control character',
      400,
      `${list}/{transaction_id}`,
      complete({ bank_reference: `${canary.bankReference}\u0000` }),
    ],
    [
      'long reference',
      400,
      `${list}/{transaction_id}`,
      complete({ bank_reference: canary.bankReference.repeat(9) }),
    ],
    ['no date', 400, `${list}/{transaction_id}`, complete({ value_date: canary.bankReference })],
    [
      'key in another alphabet',
      400,
      create,
      client.raw('put', create).set('Idempotency-Key', `${canary.idempotencyKey}\u00e9`).send({}),
    ],
    ask('/get/projects', `limit=${inQuery}`),
    ask('/get/projects', `cursor=${inQuery}`),
    ask('/get/project/{project_id}', `highlights=${inQuery}`),
    ask('/get/project/{project_id}/stories', `cursor=${inQuery}`),
    ask('/contributions', `status=${inQuery}`),
    ask('/contributions', `project_id=${inQuery}`),
    ask('/contributions', `created_from=${inQuery}`),
    ask('/contributions', `idempotency_key=${canary.idempotencyKey.repeat(20)}`),
    [
      'path that is not a number',
      400,
      `${base}/get/project/{project_id}`,
      client.raw('get', `${base}/get/project/${inQuery}`),
    ],
    [
      'secrets in unknown headers',
      404,
      undefined,
      client.raw('get', '/nothing').set({
        Authorization: `Bearer ${canary.secret}`,
        Cookie: `secret=${canary.secret}`,
        Referer: `https://app.example/?user_hash=${inQuery}`,
        'User-Agent': canary.secret,
        'X-Forwarded-For': canary.name,
        'X-Forwarded-Host': canary.unknown,
      }),
    ],
  ];
}

/** Bytes that Node's HTTP parser rejects before the application sees a request, by defect. */
export const brokenHttp: Readonly<Record<string, string>> = {
  'an unknown version': `GET /?user_hash=${inQuery} HTTP/9.9\r\nHost: a\r\n\r\n`,
  'an unknown method': `${canary.unknown} / HTTP/1.1\r\nHost: a\r\n\r\n`,
  'a header without a colon': `GET / HTTP/1.1\r\nHost: a\r\nAPI-Secret ${canary.secret}\r\n\r\n`,
  'a control character in a header': `GET / HTTP/1.1\r\nHost: a\r\nAPI-Secret: ${canary.secret}\u0001\r\n\r\n`,
  'a length that is not a number': `PUT ${create} HTTP/1.1\r\nHost: a\r\nContent-Length: ${canary.name}\r\n\r\n`,
  'two lengths': `PUT ${create} HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n${canary.name}`,
  'a length and chunks': `PUT ${create} HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${canary.name}`,
  'headers that are too large': `GET / HTTP/1.1\r\nHost: a\r\nAPI-Secret: ${canary.secret.repeat(400)}\r\n\r\n`,
  'a missing host': `GET /?user_hash=${inQuery} HTTP/1.1\r\nAPI-Secret: ${canary.secret}\r\n\r\n`,
};

/** Sends raw bytes and returns the whole response with its headers. */
export function sendBytes(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes));
    let response = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      response += text;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      resolve(response);
    });
  });
}
