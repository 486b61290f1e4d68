import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Whether the client has closed or reset its connection. Node then closes its side too, so no
 * response can reach the client.
 */
export const hasLeft = ({ socket }: IncomingMessage): boolean => socket.destroyed || socket.readableEnded;

/** Thrown when the client of a read has left, to skip the rest of the work. */
export class ClientLeft extends Error {}

/**
 * Ends a response whose client has left. Waits until the connection is closed, so that the metrics
 * and the log record the request as `unanswered`.
 */
export function endUnread({ req: { socket } }: ServerResponse, end: () => void): void {
  const endSoon = (): void => void setImmediate(end);
  if (socket.closed) endSoon();
  else socket.once('close', endSoon).destroy();
}

/**
 * Calls back after Node has read each connection again. Node reads the end of a connection one turn
 * of the event loop after its last request.
 */
export function afterNextRead(then: () => void): void {
  setImmediate(() => setImmediate(then));
}
