import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

import { contained } from '../../../shared/contained';
import type { Admissible } from './admission';
import type { CountedBody } from './body-budget';
import { clearConnection, type Connection, newConnection } from './fair-queue';
import { isBackedUp } from '../unsent-responses';

export interface HeldConnection extends Connection {
  /** Requests without a written response. */
  held: number;
  /** Their approximate size in memory. */
  heldBytes: number;
  /** Whether Node has read the connection again after its first request. */
  isSettled: boolean;
}

/** A request that the gate has accepted and that has no response yet. */
export interface HeldRequest extends Admissible {
  readonly req: IncomingMessage;
  readonly res: ServerResponse & { req: IncomingMessage };
  readonly connection: HeldConnection;
  state: 'waiting' | 'started' | 'finished';
  /**
   * Whether the response is written or the client has left. A started request may still be running.
   */
  isClosed: boolean;
  /** Bytes of the body that have arrived. */
  bodyBytes: number;
  /** The limit of the body, if its operation has its own. */
  bodyLimitBytes: number | undefined;
  /** The approximate size of the request in memory, without its body, until it is closed. */
  heldBytes: number;
  /** The request's share of the body budget. */
  counted: CountedBody | undefined;
  /** Finishes a request whose client has left and whose endpoint never writes a response. */
  finishTimer?: NodeJS.Timeout;
}

// Use properties of the socket and the response, because a WeakMap is slower.
const connectionKey = Symbol('connection');
const requestKey = Symbol('held request');

export function connectionOf(socket: Duplex & { [connectionKey]?: HeldConnection }): HeldConnection {
  const known = socket[connectionKey];
  if (known) return known;
  const connection = { ...newConnection(() => isBackedUp(socket)), held: 0, heldBytes: 0, isSettled: false };
  socket[connectionKey] = connection;
  socket.once(
    'close',
    contained(() => {
      clearConnection(connection);
    }),
  );
  return connection;
}

/** Counts a new request on its connection and attaches it to its response. */
export function holdRequest(req: IncomingMessage, res: HeldRequest['res']): HeldRequest {
  const connection = connectionOf(req.socket);
  connection.held += 1;
  const request: HeldRequest = {
    // The screen sets the class and the flow.
    trafficClass: 'anonymous',
    flow: '',
    connection,
    since: 0,
    req,
    res,
    state: 'waiting',
    isClosed: false,
    bodyBytes: 0,
    bodyLimitBytes: undefined,
    heldBytes: 0,
    counted: undefined,
  };
  (res as { [requestKey]?: HeldRequest })[requestKey] = request;
  return request;
}

/** The request that `holdRequest` attached to this response. */
export const heldRequestOf = (
  res: ServerResponse & { [requestKey]?: HeldRequest },
): HeldRequest | undefined => res[requestKey];
