import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';

import { type Exchange, pieces, type Transcript } from '../cases/case';
import { MemoryConnection } from './memory-connection';

const responseTimeoutMs = 10_000;
const closeTimeoutMs = 2_000;
/** After this many idle turns of the event loop, the parser has processed all input. */
const idleTurns = 3;

interface UnderWay {
  req: IncomingMessage;
  res: ServerResponse;
}

/** Responses in progress on one connection, and the waiters for a change. */
interface Watch {
  readonly underWay: Set<UnderWay>;
  wake: () => void;
}

/** Sends cases to a server in this process, each over a separate connection without a socket. */
export function createInProcessExchange(server: Server): Exchange {
  const watches = new WeakMap<object, Watch>();
  const note = (req: IncomingMessage, res: ServerResponse): void => {
    const watch = watches.get(req.socket);
    if (!watch) return;
    const one = { req, res };
    watch.underWay.add(one);
    res.once('close', () => {
      watch.underWay.delete(one);
      watch.wake();
    });
  };
  server.prependListener('request', note);
  server.prependListener('checkExpectation', note);

  /** Resolves at the next change or timeout. */
  async function change(watch: Watch, timeoutMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      watch.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Waits until the service closes the connection or waits for more input. */
  async function waitUntilIdle(
    connection: MemoryConnection,
    watch: Watch,
    deadline: number,
  ): Promise<boolean> {
    for (let idle = 0; idle < idleTurns;) {
      if (connection.isOver) return true;
      const left = deadline - performance.now();
      if (left <= 0) return false;
      const waitsForMore = [...watch.underWay].every(({ req }) => !req.complete);
      if (connection.isDrained && waitsForMore) {
        idle += 1;
        await turn();
      } else {
        idle = 0;
        await change(watch, left);
      }
    }
    return true;
  }

  return async (fuzzCase): Promise<Transcript> => {
    // Failed authentications are counted per address, so each case has a different one.
    const { index } = fuzzCase;
    const connection = new MemoryConnection(`10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`);
    const watch: Watch = { underWay: new Set(), wake: () => undefined };
    watches.set(connection, watch);
    connection.onChange = () => {
      watch.wake();
    };
    server.emit('connection', connection);
    const startedAt = performance.now();
    for (const piece of pieces(fuzzCase)) {
      connection.send(piece);
      await turn();
    }
    const isIdle = await waitUntilIdle(connection, watch, startedAt + responseTimeoutMs);
    const closedByService = connection.isOver;
    if (!closedByService) {
      connection.send(null);
      const deadline = performance.now() + closeTimeoutMs;
      while (!connection.isOver && performance.now() < deadline)
        await change(watch, deadline - performance.now());
    }
    const isOver = connection.isOver;
    connection.destroy();
    return {
      bytes: connection.responseBytes,
      closedByService,
      wasReset: false,
      timedOut: !isIdle || !isOver,
      elapsedMs: Math.max(0, connection.lastByteAt - startedAt),
    };
  };
}
