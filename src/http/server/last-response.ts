import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const lastKey = Symbol('last response');
type WithLast = Duplex & { [lastKey]?: ServerResponse };

/**
 * Makes a response with `Connection: close` the last one of its connection. The server must not
 * process later requests on the connection (RFC 9112, 9.6): they would take effect, but get no
 * response.
 */
export function endConnectionWith(res: ServerResponse): void {
  const socket: WithLast = res.req.socket;
  socket[lastKey] = socket[lastKey] ?? res;
}

/** Whether a request arrived after the one whose response is the last of the connection. */
export function isBehindLast({ socket }: IncomingMessage, res: ServerResponse): boolean {
  const last = (socket as WithLast)[lastKey];
  return last !== undefined && last !== res;
}
