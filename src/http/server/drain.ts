import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { contained } from '../../shared/contained';
import type { Connections } from './connection';

export interface Drain {
  /**
   * Shuts a server down without failing requests. For `delayMs` it still accepts connections, and
   * each response closes its connection, so that a load balancer notices. Then it accepts no more
   * connections, and pending requests have `timeoutMs` to finish.
   *
   * @returns the number of requests that were aborted
   */
  (times: { delayMs: number; timeoutMs: number }): Promise<number>;
}

const idleConnectionsIntervalMs = 250;

export function createDrain(server: Server, connections: Connections): Drain {
  return async ({ delayMs, timeoutMs }) => {
    const closeAfter = (res: ServerResponse): void => {
      if (res.headersSent) return;
      res.setHeader('Connection', 'close');
      connections.of(res.req.socket).endWith(res);
    };
    server.prependListener(
      'request',
      contained((_req, res) => {
        closeAfter(res);
      }),
    );
    for (const res of connections.lastPending()) closeAfter(res);
    await delay(delayMs);

    const closed = once(server, 'close');
    // http's own close() also closes connections that are idle at this moment, although their
    // client may just have sent a request. This closes only the listening socket.
    NetServer.prototype.close.call(server);
    const idle = setInterval(() => {
      if (connections.countPending() === 0) server.closeIdleConnections();
    }, idleConnectionsIntervalMs);
    const over = delay(timeoutMs, 'over' as const, { ref: false });
    const ended = await Promise.race([closed, over]);
    clearInterval(idle);
    if (ended !== 'over') return 0;
    const cutOff = connections.countPending();
    server.closeAllConnections();
    return cutOff;
  };
}
