import { once } from 'node:events';
import { connect } from 'node:net';

import request from 'supertest';

import type { Credentials } from '../client';
import { createResponseParser } from '../openapi/response-parser';
import type { TestService } from '../service';
import type { Sample } from './sample';

/** The parts of a response that identify the error. */
export interface ResponseSummary {
  status: number;
  code: string | undefined;
}

const credentialHeaders = ({ apiKey, apiSecret }: Credentials): Record<string, string> => ({
  ...(apiKey === undefined ? {} : { 'API-Key': apiKey }),
  ...(apiSecret === undefined ? {} : { 'API-Secret': apiSecret }),
});

/** Sends a request with these credentials. */
export async function send(
  service: TestService,
  credentials: Credentials,
  { method, target, headers, body }: Sample,
): Promise<ResponseSummary> {
  const test = request(service.server)
    [method.toLowerCase() as 'get' | 'put' | 'post' | 'patch' | 'delete'](target)
    .set({ ...credentialHeaders(credentials), ...headers });
  const response = await (body === undefined ? test : test.send(body));
  return { status: response.status, code: (response.body as { code?: string }).code };
}

/** Sends raw bytes and reads the first response. */
export async function sendText(service: TestService, text: string): Promise<ResponseSummary> {
  const socket = connect(service.port, '127.0.0.1');
  let response: ResponseSummary | undefined;
  const receive = createResponseParser(
    () => undefined,
    (_request, { status, body }) => {
      response ??= { status, code: (JSON.parse(body) as { code?: string }).code };
      socket.destroy();
    },
  );
  socket.on('error', () => undefined);
  socket.on('data', receive);
  socket.setTimeout(5_000, () => socket.destroy());
  socket.write(text);
  await once(socket, 'close');
  if (!response) throw new Error('the connection was closed without a response');
  return response;
}

/** The start of an HTTP/1.1 request, without the empty line that ends the headers. */
export function headOf({ method, target, headers }: Sample, more: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ ...headers, ...more }).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${target} HTTP/1.1`, ...lines, ''].join('\r\n');
}
