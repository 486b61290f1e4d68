import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Whether the client has closed or reset its connection. Node answers the end of a connection with
 * its own, so no response can reach this client.
 */
export const hasLeft = ({ socket }: IncomingMessage): boolean => socket.destroyed || socket.readableEnded;

/** The client of a read left before the response was ready. Nobody needs the rest of the work. */
export class ClientLeft extends Error {}

/**
 * Ends a response that nobody reads. It waits for the connection to close, so that metrics and log
 * say `unanswered`.
 */
export function endUnread({ req: { socket } }: ServerResponse, end: () => void): void {
  const endSoon = (): void => void setImmediate(end);
  if (socket.closed) endSoon();
  else socket.once('close', endSoon).destroy();
}

/**
 * Calls back after Node has read each connection once more: the end of a connection is read one
 * turn after its last request.
 */
export function afterNextRead(then: () => void): void {
  setImmediate(() => setImmediate(then));
}
