import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** `requests` go from the client to the server, `responses` back. */
export type Direction = 'requests' | 'responses';

/** A watcher's decision about a piece of data. */
export type Fate = 'pass' | 'drop';
export type Watcher = (direction: Direction, data: Buffer, connection: object) => Fate;

const mostBufferedBytes = 256 * 1024;

/** A proxy that can cut, freeze, delay and reject connections. */
export interface TcpProxy {
  readonly port: number;
  /** The target of new connections. */
  target: number;
  /** Called with every piece of data before it is forwarded. */
  watcher: Watcher | undefined;
  /** Resets every connection. */
  cut(): void;
  /** Stops forwarding in this direction. Nothing is lost, and no connection ends. */
  freeze(direction: Direction): void;
  unfreeze(): void;
  /** Delays every piece of data in both directions by this time; 0 stops the delay. */
  slow(milliseconds: number): void;
  /** Makes new connections take this much longer to open; 0 ends it. */
  slowOpening(milliseconds: number): void;
  /** Rejects new connections. */
  refuse(isRefusing: boolean): void;
  stop(): Promise<void>;
}

interface Connection {
  /** Nothing reaches the server before this time, as of performance.now(). */
  readonly opensAt: number;
  readonly sockets: Readonly<Record<Direction, { from: Socket; to: Socket }>>;
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const connections = new Set<Connection>();
  const frozen = new Set<Direction>();
  let delayMs = 0;
  let openingMs = 0;
  let isRefusing = false;

  const end = (connection: Connection): void => {
    connections.delete(connection);
    connection.sockets.requests.from.destroy();
    connection.sockets.responses.from.destroy();
  };

  function forward(connection: Connection, direction: Direction): void {
    const { from, to } = connection.sockets[direction];
    const write = (data: Buffer): void => {
      if (!to.destroyed) to.write(data);
    };
    from.on('data', (data: Buffer) => {
      if (proxy.watcher?.(direction, data, connection) === 'drop') return;
      const waitMs = direction === 'requests' ? connection.opensAt - performance.now() : 0;
      if (Math.max(delayMs, waitMs) > 0) setTimeout(write, Math.max(delayMs, waitMs), data);
      else write(data);
      // Backpressure: stop reading while the other side does not read.
      if (to.writableLength > mostBufferedBytes) from.pause();
    });
    to.on('drain', () => {
      if (!frozen.has(direction)) from.resume();
    });
    if (frozen.has(direction)) from.pause();
    // Data in transit still arrives after an orderly close, but not after a reset.
    from.on('end', () => {
      setTimeout(() => to.end(), delayMs);
    });
    from.on('error', () => {
      end(connection);
    });
    from.on('close', () => {
      if (from.destroyed && !from.readableEnded) end(connection);
      else if (to.destroyed) connections.delete(connection);
    });
  }

  const listener = createServer({ allowHalfOpen: true }, (client) => {
    if (isRefusing) {
      client.destroy();
      return;
    }
    const server = connect({ port: proxy.target, host: '127.0.0.1', allowHalfOpen: true });
    const connection = {
      opensAt: performance.now() + openingMs,
      sockets: { requests: { from: client, to: server }, responses: { from: server, to: client } },
    };
    client.setNoDelay(true);
    server.setNoDelay(true);
    connections.add(connection);
    forward(connection, 'requests');
    forward(connection, 'responses');
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');

  const proxy: TcpProxy = {
    port: (listener.address() as AddressInfo).port,
    target,
    watcher: undefined,
    cut() {
      for (const connection of connections) end(connection);
    },
    freeze(direction) {
      frozen.add(direction);
      for (const { sockets } of connections) sockets[direction].from.pause();
    },
    unfreeze() {
      for (const direction of frozen) for (const { sockets } of connections) sockets[direction].from.resume();
      frozen.clear();
    },
    slow(milliseconds) {
      delayMs = milliseconds;
    },
    slowOpening(milliseconds) {
      openingMs = milliseconds;
    },
    refuse(refusing) {
      isRefusing = refusing;
    },
    async stop() {
      proxy.cut();
      listener.close();
      await once(listener, 'close');
    },
  };
  return proxy;
}
