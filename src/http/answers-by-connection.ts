import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** How far the answers of one connection have come. */
export interface AnswersOnConnection {
  /** The last answer that must still go out; answers go out in the order of their requests. */
  owed: ServerResponse | undefined;
  /**
   * Nothing more may be said: the request whose body is still arriving has its answer already, or the last answer said that
   * it is the last (RFC 9112, 9.6).
   */
  isSilent: boolean;
}

/**
 * Watches the answers of a server, so that whoever has to say something to a connection from outside the application knows
 * whose turn it is. Several requests can be under way on one connection (RFC 9112, 9.3.2).
 */
export function trackAnswers(server: Server): (socket: Duplex) => AnswersOnConnection {
  const answers = new WeakMap<Duplex, { underWay: Set<ServerResponse>; latest: ServerResponse }>();

  const note = (req: IncomingMessage, res: ServerResponse): void => {
    const underWay = answers.get(req.socket)?.underWay ?? new Set();
    answers.set(req.socket, { underWay: underWay.add(res), latest: res });
    res.once('close', () => underWay.delete(res));
  };
  server.prependListener('request', note);
  server.prependListener('checkExpectation', note);

  return (socket) => {
    const found = answers.get(socket);
    if (!found) return { owed: undefined, isSilent: false };
    const { underWay, latest } = found;
    // One to a whole request, or to the beginning of one that was enough to answer.
    const owed = [...underWay].filter(
      (res) => !res.writableFinished && (res.req.complete || res.headersSent),
    );
    return { owed: owed.at(-1), isSilent: latest.headersSent && (!latest.req.complete || isLast(latest)) };
  };
}

function isLast(res: ServerResponse): boolean {
  return !res.shouldKeepAlive || res.getHeader('Connection') === 'close';
}
