import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** How far the answers of one connection have come. */
export interface ResponsesOnConnection {
  /** The last answer that must still go out; answers go out in the order of their requests. */
  owed: ServerResponse | undefined;
  /**
   * Nothing more may be said: the request whose body is still arriving has its answer already, or
   * the last answer said that it is the last (RFC 9112, 9.6).
   */
  isSilent: boolean;
}

/**
 * The answers of a server: whose turn it is on a connection, and what is not with the operating
 * system yet.
 */
export interface TrackedResponses {
  of: (socket: Duplex) => ResponsesOnConnection;
  /** Of each connection with requests that have no answer yet, the last answer. */
  lastUnderWay: () => ServerResponse[];
  /**
   * Answers that are not yet with the operating system. Node calls a connection idle as soon as its
   * answer is written.
   */
  countUnderWay: () => number;
}

/** What is remembered of a connection. */
interface Turns {
  /** In the order of their requests. */
  readonly underWay: ServerResponse[];
  /** The last answer that is out, if nothing may be said after it. */
  last: ServerResponse | undefined;
}

// On the socket itself: a WeakMap takes longer, and there are as many look-ups as requests.
const turnsKey = Symbol('turns');
type WithTurns = Duplex & { [turnsKey]?: Turns };

/**
 * Watches the answers of a server from its beginning, for whoever has to say something to a
 * connection from outside the application, or to end all of them. Several requests can be under way
 * on one connection (RFC 9112, 9.3.2).
 *
 * An answer that is out is forgotten: a thousand connections that are kept open would otherwise
 * keep the last of each, and V8 would copy them with every collection of young objects.
 */
export function trackResponses(server: Server): TrackedResponses {
  const connections = new Set<Turns>();

  function begin(socket: WithTurns): Turns {
    const turns: Turns = { underWay: [], last: undefined };
    socket[turnsKey] = turns;
    connections.add(turns);
    socket.once('close', () => {
      connections.delete(turns);
      // Node says so of the answer whose turn it was, and of none that waited behind it.
      setImmediate(() => {
        for (const res of [...turns.underWay]) res.emit('close');
      });
    });
    return turns;
  }

  function note({ socket }: IncomingMessage, res: ServerResponse): void {
    // Requests that were read before their connection was closed get no response.
    if (socket.destroyed) return;
    const turns = (socket as WithTurns)[turnsKey] ?? begin(socket);
    turns.underWay.push(res);
    turns.last = undefined;
    res.once('close', forget);
  }

  /** One function for all answers, so that none is made for each. */
  function forget(this: ServerResponse): void {
    const turns = (this.req.socket as WithTurns)[turnsKey];
    if (!turns) return;
    turns.underWay.splice(turns.underWay.indexOf(this), 1);
    if (turns.underWay.length === 0 && silences(this)) turns.last = this;
  }

  server.prependListener('request', note);
  server.prependListener('checkExpectation', note);

  return {
    of(socket: WithTurns) {
      const { underWay, last } = socket[turnsKey] ?? { underWay: [], last: undefined };
      const latest = underWay.at(-1) ?? last;
      return {
        // One to a whole request, or to the beginning of one that was enough to answer. Only the
        // latest can lack its end.
        owed: underWay.findLast((res) => !res.writableFinished && (res.req.complete || res.headersSent)),
        isSilent: latest !== undefined && silences(latest),
      };
    },
    lastUnderWay: () => [...connections].flatMap((turns) => turns.underWay.at(-1) ?? []),
    countUnderWay: () => [...connections].reduce((sum, { underWay }) => sum + underWay.length, 0),
  };
}

/** Whether nothing may be said after this answer. */
const silences = (res: ServerResponse): boolean => res.headersSent && (!res.req.complete || isLast(res));

function isLast(res: ServerResponse): boolean {
  return !res.shouldKeepAlive || res.getHeader('Connection') === 'close';
}
