import type { IncomingMessage, Server } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';

import { createResponseParser } from './response-parser';
import type { ReceivedResponse, ReceivedRequest } from './validate-response';

/**
 * Observes every response that a server sends to any client. This includes the responses to
 * requests that Node's parser rejects.
 *
 * @param onResponse called with each complete response and its request; the request is undefined
 *   when the bytes were not a request
 */
export function tapResponses(
  server: Server,
  onResponse: (request: ReceivedRequest | undefined, response: ReceivedResponse) => void,
): void {
  // Responses are sent in the order of their requests (RFC 9112, 9.3.2).
  const waiting = new WeakMap<Socket, ReceivedRequest[]>();

  server.prependListener(
    server instanceof HttpsServer ? 'secureConnection' : 'connection',
    (socket: Socket) => {
      const requests: ReceivedRequest[] = [];
      waiting.set(socket, requests);
      const receive = createResponseParser(() => requests.shift(), onResponse);
      observeWrites(socket, 'write', receive);
      observeWrites(socket, 'end', receive);
    },
  );

  const note = ({ socket, method, url }: IncomingMessage): void => {
    waiting.get(socket)?.push({ method: method ?? '', target: url ?? '' });
  };
  server.prependListener('request', note);
  server.prependListener('checkExpectation', note);
}

/** Observes the bytes that one of a socket's methods writes. */
function observeWrites(socket: Socket, name: 'write' | 'end', receive: (bytes: Buffer) => void): void {
  const original = socket[name].bind(socket) as (...given: unknown[]) => unknown;
  const observed = (...given: unknown[]): unknown => {
    const [chunk, encoding] = given;
    if (typeof chunk === 'string') {
      receive(Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'));
    } else if (chunk instanceof Uint8Array) {
      receive(Buffer.from(chunk));
    }
    return original(...given);
  };
  Object.assign(socket, { [name]: observed });
}
