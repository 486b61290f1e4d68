import { Duplex } from 'node:stream';

/**
 * The service's end of a connection without a socket: an HTTP server takes any duplex stream, and
 * runs its whole parser over it. The client's end is this object's own methods.
 */
export class MemoryConnection extends Duplex {
  private readonly received: Buffer[] = [];
  /** The service has said that nothing more will come, or has let go of the connection. */
  isOver = false;
  lastByteAt = 0;
  /** Told of everything that the service does to the connection. */
  onChange: () => void = () => undefined;

  // What the service asks a socket for.
  constructor(readonly remoteAddress: string) {
    super({ allowHalfOpen: true });
  }

  /** Sends; `null` says that nothing more will come. */
  send(bytes: Buffer | null): void {
    if (!this.destroyed) this.push(bytes);
  }

  get responseBytes(): Buffer {
    return Buffer.concat(this.received);
  }

  /** The service has taken in everything that was sent. */
  get isDrained(): boolean {
    return this.readableLength === 0;
  }

  override _read(): void {
    // Whatever comes is pushed.
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
