import { Duplex } from 'node:stream';

/**
 * The service's end of a connection without a socket. An HTTP server accepts any duplex stream and
 * parses it normally. The methods of this object are the client's end.
 */
export class MemoryConnection extends Duplex {
  private readonly received: Buffer[] = [];
  /** The service has ended or destroyed the connection. */
  isOver = false;
  lastByteAt = 0;
  /** Called for everything that the service does to the connection. */
  onChange: () => void = () => undefined;

  // The properties of a socket that the service reads.
  constructor(readonly remoteAddress: string) {
    super({ allowHalfOpen: true });
  }

  /** Sends bytes; `null` ends the input. */
  send(bytes: Buffer | null): void {
    if (!this.destroyed) this.push(bytes);
  }

  get responseBytes(): Buffer {
    return Buffer.concat(this.received);
  }

  /** The service has read everything that was sent. */
  get isDrained(): boolean {
    return this.readableLength === 0;
  }

  override _read(): void {
    // Does nothing: the sender pushes its data.
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: () => void): void {
    this.received.push(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk);
    this.lastByteAt = performance.now();
    done();
    this.onChange();
  }

  override _final(done: () => void): void {
    this.isOver = true;
    done();
    this.onChange();
  }

  override _destroy(_error: Error | null, done: (error: null) => void): void {
    this.isOver = true;
    done(null);
    this.onChange();
  }

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  setTimeout(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }
}
