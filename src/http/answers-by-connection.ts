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
  const last = new WeakMap<Duplex, { latest: ServerResponse; previous: ServerResponse | undefined }>();

  const note = ({ socket }: IncomingMessage, latest: ServerResponse): void => {
    // Whatever came before an answer that has gone out has gone out as well.
    const previous = last.get(socket)?.latest;
    last.set(socket, { latest, previous: previous?.writableFinished === true ? undefined : previous });
  };
  server.prependListener('request', note);
  server.prependListener('checkExpectation', note);

  return (socket) => {
    const { latest, previous } = last.get(socket) ?? {};
    return {
      // One to a whole request, or to the beginning of one that was enough to answer. Only the latest can lack its end.
      owed: [latest, previous].find(
        (res) => res && !res.writableFinished && (res.req.complete || res.headersSent),
      ),
      isSilent: latest !== undefined && latest.headersSent && (!latest.req.complete || isLast(latest)),
    };
  };
}

function isLast(res: ServerResponse): boolean {
  return !res.shouldKeepAlive || res.getHeader('Connection') === 'close';
}
