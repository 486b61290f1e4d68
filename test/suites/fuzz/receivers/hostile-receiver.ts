import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

import type { HostileResponse } from './hostile-responses';

/** Responds as the path says: `/3` selects the response with this number. */
export interface HostileReceiver {
  port: number;
  /** The connections that are open. */
  open: () => number;
  stop(): Promise<void>;
}

function respond(socket: Socket, choose: (number: number) => HostileResponse): void {
  let text = '';
  socket.on('error', () => undefined);
  socket.on('data', (part: Buffer) => {
    text += part.toString('latin1');
    const [, path, length] =
      /^POST \/(\d+) [^]*?\r\ncontent-length: (\d+)\r\n[^]*?\r\n\r\n/i.exec(text) ?? [];
    if (path === undefined || text.length < text.indexOf('\r\n\r\n') + 4 + Number(length)) return;
    text = '';
    choose(Number(path)).act(socket);
  });
}

/** Listens on a free port, and tracks every connection, even before its handshake is complete. */
async function listening(server: Server): Promise<HostileReceiver> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    open: () => sockets.size,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** @param tls for a receiver over TLS */
export async function startHostileReceiver(
  choose: (number: number) => HostileResponse,
  tls?: TlsOptions,
): Promise<HostileReceiver> {
  const server: Server = tls
    ? createTlsServer(tls, (socket) => {
        respond(socket, choose);
      })
    : createServer((socket) => {
        respond(socket, choose);
      });
  server.on('tlsClientError', () => undefined);
  return listening(server);
}

/** Breaks the TLS handshake, each time in the next of several ways. */
export async function startBrokenTls(): Promise<HostileReceiver> {
  let count = 0;
  const alert = Buffer.from('15030300020228', 'hex');
  const endlessHandshake = Buffer.from('160303ffff0200fffc', 'hex');
  const ways: readonly ((socket: Socket) => void)[] = [
    (socket) => socket.end(),
    (socket) => socket.resetAndDestroy(),
    (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'),
    (socket) => socket.end(alert),
    (socket) => socket.write(endlessHandshake),
    (socket) => socket.write(Buffer.alloc(70_000, 0x16)),
    () => undefined,
  ];
  const server = createServer((socket) => {
    socket.once('data', () => {
      ways[(count += 1) % ways.length]?.(socket);
    });
  });
  return listening(server);
}
