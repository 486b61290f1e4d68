import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const lastKey = Symbol('last response');
type WithLast = Duplex & { [lastKey]?: ServerResponse };

/**
 * Notes that a response, which says `Connection: close`, is the last of its connection. The server
 * must not process later requests of the connection (RFC 9112, 9.6): they would take effect, and no
 * response would say so.
 */
export function endConnectionWith(res: ServerResponse): void {
  const socket: WithLast = res.req.socket;
  socket[lastKey] = socket[lastKey] ?? res;
}

/** Whether a request arrived behind one whose response is the last of the connection. */
export function isBehindLast({ socket }: IncomingMessage, res: ServerResponse): boolean {
  const last = (socket as WithLast)[lastKey];
  return last !== undefined && last !== res;
}
