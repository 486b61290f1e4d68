import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';

/** Thrown if the receiver had closed a connection before it was reused. */
export class StaleConnection extends Error {}

/**
 * Watches whether a request fails because the receiver had already closed the connection. Such a
 * failure comes soon after the reuse and before any byte of a response. After a longer time, the
 * receiver may have processed the request.
 *
 * @returns a function that turns such a failure into a StaleConnection
 */
export function watchReuse(request: ClientRequest, withinMs: number): (error: Error) => Error {
  let startedAt = 0;
  let hasResponded = false;
  request.once('socket', (socket: Socket) => {
    if (!request.reusedSocket) return;
    startedAt = performance.now();
    const onData = (): void => {
      hasResponded = true;
    };
    socket.once('data', onData);
    // The next request uses the same socket.
    request.once('close', () => socket.off('data', onData));
  });
  return (error) => {
    const isStale =
      request.reusedSocket &&
      (error as NodeJS.ErrnoException).code === 'ECONNRESET' &&
      !hasResponded &&
      performance.now() - startedAt < withinMs;
    return isStale ? new StaleConnection() : error;
  };
}
