import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** `requests` go from the client to the server, `answers` back. */
export type Direction = 'requests' | 'responses';

/** What a watcher makes of a piece of data on its way. */
export type Fate = 'pass' | 'drop';
export type Watcher = (direction: Direction, data: Buffer, connection: object) => Fate;

const mostBufferedBytes = 256 * 1024;

/** A place in the network where connections are cut, frozen, slowed and refused. */
export interface TcpProxy {
  readonly port: number;
  /** Where new connections lead. */
  target: number;
  /** Sees every piece of data before it is passed on. */
  watcher: Watcher | undefined;
  /** Every connection ends without a word. */
  cut(): void;
  /** Nothing is passed on in this direction any more; nothing is lost, and no connection ends. */
  freeze(direction: Direction): void;
  thaw(): void;
  /** Every piece of data takes this much longer in either direction; 0 ends it. */
  slow(milliseconds: number): void;
  /** New connections are refused. */
  refuse(isRefusing: boolean): void;
  stop(): Promise<void>;
}

interface Connection {
  readonly sockets: Readonly<Record<Direction, { from: Socket; to: Socket }>>;
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const connections = new Set<Connection>();
  const frozen = new Set<Direction>();
  let delayMs = 0;
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
      if (delayMs > 0) setTimeout(write, delayMs, data);
      else write(data);
      // Whoever does not read is not read for.
      if (to.writableLength > mostBufferedBytes) from.pause();
    });
    to.on('drain', () => {
      if (!frozen.has(direction)) from.resume();
    });
    if (frozen.has(direction)) from.pause();
    // What was on its way still arrives when a connection ends in order, and does not when it
    // breaks.
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
    thaw() {
      for (const direction of frozen) for (const { sockets } of connections) sockets[direction].from.resume();
      frozen.clear();
    },
    slow(milliseconds) {
      delayMs = milliseconds;
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
