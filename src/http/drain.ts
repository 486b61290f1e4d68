import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Drain {
  /**
   * Ends a server without failing anybody: for `delayMs` it goes on taking connections while every answer closes its
   * connection, so that whoever distributes requests can notice; then it takes no more, and what is under way gets `timeoutMs`.
   *
   * @returns how many requests were cut off
   */
  (times: { delayMs: number; timeoutMs: number }): Promise<number>;
}

const idleConnectionsIntervalMs = 250;

/** Watches a server from its beginning, for the time when it must end. */
export function prepareDrain(server: Server): Drain {
  // Answers that are not yet with the operating system. Node calls a connection idle as soon as its answer is written. They are
  // counted, and not kept in a set: the tables that a busy set leaves behind keep dead answers from being collected.
  let underWay = 0;
  const latestAnswers = new Map<Socket, ServerResponse>();
  server.on('request', ({ socket }, res) => {
    underWay += 1;
    res.once('close', () => {
      underWay -= 1;
    });
    if (!latestAnswers.has(socket)) socket.once('close', () => latestAnswers.delete(socket));
    latestAnswers.set(socket, res);
  });

  return async ({ delayMs, timeoutMs }) => {
    server.prependListener('request', (_req, res) => {
      res.setHeader('Connection', 'close');
    });
    for (const res of latestAnswers.values()) if (!res.headersSent) res.setHeader('Connection', 'close');
    await delay(delayMs);

    const closed = once(server, 'close');
    // Not http's close(): it also closes every connection that is idle just now, and whoever keeps one busy may have sent the
    // next request. What is still idle later on has nothing under way.
    NetServer.prototype.close.call(server);
    const idle = setInterval(() => {
      if (underWay === 0) server.closeIdleConnections();
    }, idleConnectionsIntervalMs);
    let cutOff = 0;
    const deadline = setTimeout(() => {
      cutOff = underWay;
      server.closeAllConnections();
    }, timeoutMs);
    await closed;
    clearInterval(idle);
    clearTimeout(deadline);
    return cutOff;
  };
}
