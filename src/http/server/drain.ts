import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { endConnectionWith } from './last-response';
import type { TrackedResponses } from './responses-by-connection';

export interface Drain {
  /**
   * Ends a server without failing anybody: for `delayMs` it goes on taking connections while every
   * answer closes its connection, so that whoever distributes requests can notice; then it takes no
   * more, and what is under way gets `timeoutMs`.
   *
   * @returns how many requests were cut off
   */
  (times: { delayMs: number; timeoutMs: number }): Promise<number>;
}

const idleConnectionsIntervalMs = 250;

/** The way to end a server, whose answers are watched. */
export function createDrain(server: Server, responses: TrackedResponses): Drain {
  return async ({ delayMs, timeoutMs }) => {
    const closeAfter = (res: ServerResponse): void => {
      if (res.headersSent) return;
      res.setHeader('Connection', 'close');
      endConnectionWith(res);
    };
    server.prependListener('request', (_req, res) => {
      closeAfter(res);
    });
    for (const res of responses.lastUnderWay()) closeAfter(res);
    await delay(delayMs);

    const closed = once(server, 'close');
    // Not http's close(): it also closes every connection that is idle just now, and whoever keeps
    // one busy may have sent the next request. What is still idle later on has nothing under way.
    NetServer.prototype.close.call(server);
    const idle = setInterval(() => {
      if (responses.countUnderWay() === 0) server.closeIdleConnections();
    }, idleConnectionsIntervalMs);
    const over = delay(timeoutMs, 'over' as const, { ref: false });
    const ended = await Promise.race([closed, over]);
    clearInterval(idle);
    if (ended !== 'over') return 0;
    const cutOff = responses.countUnderWay();
    server.closeAllConnections();
    return cutOff;
  };
}
