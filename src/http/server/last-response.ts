import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

import { mostHeldPerConnection } from './admission/class-limits';

const lastKey = Symbol('last response');
const ignoredKey = Symbol('ignored requests');
type WithLast = Duplex & { [lastKey]?: ServerResponse; [ignoredKey]?: number };

/**
 * Makes a response with `Connection: close` the last one of its connection. The server must not
 * process later requests on the connection (RFC 9112, 9.6): they would take effect, but get no
 * response.
 */
export function endConnectionWith(res: ServerResponse): void {
  const socket: WithLast = res.req.socket;
  socket[lastKey] = socket[lastKey] ?? res;
}

/**
 * Ignores a request that arrived after the last response of its connection. Ignored requests stay
 * in memory until that response is sent. Too many of them close the connection before it is sent.
 */
export function ignoreBehindLast({ socket }: { socket: WithLast }): void {
  socket[ignoredKey] = (socket[ignoredKey] ?? 0) + 1;
  if (socket[ignoredKey] > mostHeldPerConnection) socket.destroy();
}

/** Whether a request arrived after the one with the last response of the connection. */
export function isBehindLast({ socket }: IncomingMessage, res: ServerResponse): boolean {
  const last = (socket as WithLast)[lastKey];
  return last !== undefined && last !== res;
}
