import net from 'node:net';

import type { RequestSpec } from '../operations';
import { type ReadResponse, ResponseReader } from './response-reader';

/** Bytes of a request on a keep-alive connection. */
export function bytesOf({ method, path, headers, body = '' }: RequestSpec): Buffer {
  const lines = Object.entries({ ...headers, Host: 'localhost' }).map(([name, value]) => `${name}: ${value}`);
  if (body !== '') lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n'));
}

/** One connection that sends one request at a time. */
export class Connection {
  private socket: net.Socket | undefined;
  private waiting: ((response: ReadResponse | undefined) => void) | undefined;
  private reader = this.newReader();

  constructor(private readonly port: number) {}

  /** @returns undefined if the connection broke */
  send(bytes: Buffer): Promise<ReadResponse | undefined> {
    return new Promise((resolve) => {
      this.waiting = resolve;
      (this.socket ??= this.open()).write(bytes);
    });
  }

  close(): void {
    this.socket?.destroy();
  }

  private open(): net.Socket {
    const socket = net.connect(this.port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.on('data', (data) => {
      this.reader.read(data);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.socket === socket) this.socket = undefined;
      this.reader = this.newReader();
      this.respond(undefined);
    });
    return socket;
  }

  private newReader(): ResponseReader {
    return new ResponseReader((response) => {
      this.respond(response);
    });
  }

  private respond(response: ReadResponse | undefined): void {
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.(response);
  }
}
