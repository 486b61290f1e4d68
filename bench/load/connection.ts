import net from 'node:net';

import type { RequestSpec } from '../operations';

export interface Answer {
  status: number;
  hasRetryAfter: boolean;
}

/** Bytes of a request on a keep-alive connection. */
export function bytesOf({ method, path, headers, body = '' }: RequestSpec): Buffer {
  const lines = Object.entries({ ...headers, Host: 'localhost' }).map(([name, value]) => `${name}: ${value}`);
  if (body !== '') lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n'));
}

/**
 * One connection that sends one request at a time. Much less than a client: it believes Content-Length, and ignores the rest.
 * So it takes little from the processors that it shares with what it measures.
 */
export class Connection {
  private socket: net.Socket | undefined;
  private waiting: ((answer: Answer | undefined) => void) | undefined;
  private head = '';
  private answer: Answer = { status: 0, hasRetryAfter: false };
  private bodyBytesLeft = -1;

  constructor(private readonly port: number) {}

  /** @returns undefined when the connection broke */
  send(bytes: Buffer): Promise<Answer | undefined> {
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
      this.read(data);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.socket === socket) this.socket = undefined;
      this.head = '';
      this.bodyBytesLeft = -1;
      this.settle(undefined);
    });
    return socket;
  }

  private read(data: Buffer): void {
    let body = data.length;
    if (this.bodyBytesLeft < 0) {
      this.head += data.toString('latin1');
      const end = this.head.indexOf('\r\n\r\n');
      if (end < 0) return;
      body = this.head.length - end - 4;
      const head = this.head.slice(0, end);
      this.answer = { status: Number(head.slice(9, 12)), hasRetryAfter: /\r\nretry-after:/i.test(head) };
      this.bodyBytesLeft = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      this.head = '';
    }
    this.bodyBytesLeft -= body;
    if (this.bodyBytesLeft > 0) return;
    this.bodyBytesLeft = -1;
    this.settle(this.answer);
  }

  private settle(answer: Answer | undefined): void {
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.(answer);
  }
}
