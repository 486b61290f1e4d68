import type { IncomingMessage, Server } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';

import { createResponseParser } from './response-parser';
import type { ReceivedResponse, ReceivedRequest } from './validate-response';

/**
 * Hears every answer that a server sends, as its bytes are on their way to whichever client: the
 * application's, and those that are written for what Node's parser refuses.
 *
 * @param onAnswer told of each whole answer, with the request that it is for; undefined for what
 *   was no request
 */
export function tapResponses(
  server: Server,
  onResponse: (request: ReceivedRequest | undefined, response: ReceivedResponse) => void,
): void {
  // Answers leave in the order in which the requests came (RFC 9112, 9.3.2).
  const waiting = new WeakMap<Socket, ReceivedRequest[]>();

  server.prependListener(
    server instanceof HttpsServer ? 'secureConnection' : 'connection',
    (socket: Socket) => {
      const requests: ReceivedRequest[] = [];
      waiting.set(socket, requests);
      const receive = createResponseParser(() => requests.shift(), onResponse);
      listenTo(socket, 'write', receive);
      listenTo(socket, 'end', receive);
    },
  );

  const note = ({ socket, method, url }: IncomingMessage): void => {
    waiting.get(socket)?.push({ method: method ?? '', target: url ?? '' });
  };
  server.prependListener('request', note);
  server.prependListener('checkExpectation', note);
}

/** Passes on what is written by one of a socket's methods. */
function listenTo(socket: Socket, name: 'write' | 'end', receive: (bytes: Buffer) => void): void {
  const original = socket[name].bind(socket) as (...given: unknown[]) => unknown;
  const heard = (...given: unknown[]): unknown => {
    const [chunk, encoding] = given;
    if (typeof chunk === 'string') {
      receive(Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'));
    } else if (chunk instanceof Uint8Array) {
      receive(Buffer.from(chunk));
    }
    return original(...given);
  };
  Object.assign(socket, { [name]: heard });
}
