import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

import { contained } from '../../shared/contained';

/** The state of the responses on one connection. */
export interface ResponsesOnConnection {
  /** The last response that is not sent yet. Responses are sent in the order of their requests. */
  lastPending: ServerResponse | undefined;
  /**
   * Whether no further response may be sent. Either a request already has its response although its
   * body is still arriving, or the last response closes the connection (RFC 9112, 9.6).
   */
  isClosing: boolean;
}

/** The pending responses of a server. */
export interface TrackedResponses {
  of: (socket: Duplex) => ResponsesOnConnection;
  /** The last pending response of each connection that has one. */
  lastPending: () => ServerResponse[];
  /**
   * The number of responses that the operating system has not taken yet. Node already treats a
   * connection as idle when its response is written.
   */
  countPending: () => number;
}

interface ConnectionResponses {
  /** The pending responses, in the order of their requests. */
  readonly pending: ServerResponse[];
  /** The last sent response, if no other response may follow it. */
  last: ServerResponse | undefined;
}

// Use a property of the socket: each request looks it up, and a WeakMap is slower.
const responsesKey = Symbol('responses');
type WithResponses = Duplex & { [responsesKey]?: ConnectionResponses };

/** Shared by all responses, so that none of them allocates a listener. */
const forget = contained(function (this: ServerResponse): void {
  const responses = (this.req.socket as WithResponses)[responsesKey];
  if (!responses) return;
  responses.pending.splice(responses.pending.indexOf(this), 1);
  if (responses.pending.length === 0 && isFinal(this)) responses.last = this;
});

/**
 * Tracks the responses of a server, for code outside the application that responds on a connection
 * or shuts the server down. A connection can have several pending requests (RFC 9112, 9.3.2).
 *
 * Sent responses are not kept: V8 would otherwise copy one for each open connection in every
 * collection of the young generation.
 */
export function trackResponses(server: Server): TrackedResponses {
  const connections = new Set<ConnectionResponses>();

  function begin(socket: WithResponses): ConnectionResponses {
    const responses: ConnectionResponses = { pending: [], last: undefined };
    socket[responsesKey] = responses;
    connections.add(responses);
    socket.once('close', () => {
      connections.delete(responses);
      // Node emits 'close' only for the first pending response, not for those behind it.
      setImmediate(() => {
        for (const res of [...responses.pending]) res.emit('close');
      });
    });
    return responses;
  }

  const note = contained(({ socket }: IncomingMessage, res: ServerResponse) => {
    // Requests that were read before their connection was closed get no response.
    if (socket.destroyed) return;
    const responses = (socket as WithResponses)[responsesKey] ?? begin(socket);
    responses.pending.push(res);
    responses.last = undefined;
    res.once('close', forget);
  });

  server.prependListener('request', note);

  return {
    of(socket: WithResponses) {
      const { pending, last } = socket[responsesKey] ?? { pending: [], last: undefined };
      const latest = pending.at(-1) ?? last;
      return {
        // Skip a request that is still arriving and has no response. Only the latest can be in this
        // state.
        lastPending: pending.findLast(
          (res) => !res.writableFinished && (res.req.complete || res.headersSent),
        ),
        isClosing: latest !== undefined && isFinal(latest),
      };
    },
    lastPending: () => [...connections].flatMap((responses) => responses.pending.at(-1) ?? []),
    countPending: () => [...connections].reduce((sum, { pending }) => sum + pending.length, 0),
  };
}

/** Whether no response may follow this one. */
const isFinal = (res: ServerResponse): boolean => res.headersSent && (!res.req.complete || isLast(res));

function isLast(res: ServerResponse): boolean {
  return !res.shouldKeepAlive || res.getHeader('Connection') === 'close';
}
