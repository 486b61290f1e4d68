import type { IncomingMessage } from 'node:http';
import { gunzipSync, inflateSync } from 'node:zlib';

import { contained } from '../../shared/contained';
import { ServiceError } from '../../shared/errors';

/**
 * There is no `br`: 27 bytes with a large window take 33 ms to decompress, regardless of the output
 * limit.
 */
const decompressors = { gzip: gunzipSync, deflate: inflateSync } as const;

type Encoding = keyof typeof decompressors;

/**
 * Reads the whole body of a request and decompresses it. Decompression starts after the last piece:
 * a stream would occupy a thread of Node's pool for each of thousands of small pieces.
 *
 * @param limitBytes the largest body, both before and after decompression
 * @throws ServiceError 413 for a larger body, 415 for another encoding, 400 for a body that is
 *   incomplete or does not match its encoding
 */
export async function readBodyBytes(request: WithBody, limitBytes: number): Promise<Buffer> {
  const { 'content-encoding': name } = request.req.headers;
  const encoding = name === undefined ? undefined : encodingOf(name);
  const bytes = await collectBody(request, limitBytes);
  if (encoding === undefined || bytes.length === 0) return bytes;
  try {
    return decompressors[encoding](bytes, { maxOutputLength: limitBytes });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? tooLarge(limitBytes)
      : notWhole(error);
  }
}

function encodingOf(header: string): Encoding | undefined {
  const name = header.trim().toLowerCase();
  if (name === '' || name === 'identity') return undefined;
  if (Object.hasOwn(decompressors, name)) return name as Encoding;
  throw new ServiceError('unsupported_media_type', {
    detail:
      'The Content-Encoding is not supported. Send the body uncompressed, or compress it with gzip or deflate.',
  });
}

const mostSmallPieces = 256;
const smallPieceBytes = 16;

/**
 * The service reads and discards the rest of an unwanted body up to this size, to keep the
 * connection usable.
 */
const mostDiscardedBytes = 16 * 1024;

/** Infinity for a chunked body, whose size is unknown. */
const declaredBytesOf = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;

/** Whether an unwanted body is too large, or of unknown size, to be read and discarded. */
export const isLeftUnread = (req: IncomingMessage): boolean =>
  !req.complete && declaredBytesOf(req) > mostDiscardedBytes;

const ignore = (): void => undefined;

/**
 * Stops reading a connection with an unwanted body. Node would parse the body to its end, which may
 * never come, and a chunk of one byte costs as much as a large one. Replaces `_read`, through which
 * Node would resume the connection. The response must close the connection.
 */
export function leaveUnread(req: IncomingMessage): void {
  req._read = ignore;
  req.socket.pause();
}

/** A request, and its body once it is collected. */
export interface WithBody {
  readonly req: IncomingMessage;
  collected: Promise<Buffer> | undefined;
}

/** Observes a body while it arrives. */
export interface BodyWatch {
  /**
   * Called after each piece.
   *
   * @param bytes the size of the body so far
   * @returns whether to read on
   */
  admit: (bytes: number) => boolean;
  /** Called when the rest of the body will not be read. The response must close the connection. */
  onUnread: () => void;
}

const unwatched: BodyWatch = { admit: () => true, onUnread: () => undefined };

/**
 * Reads a body once. Later calls get the same bytes or the same error.
 *
 * The package raw-body reports nothing before the end, so the caller could neither count the bytes
 * nor reject tiny chunks.
 *
 * @throws ServiceError as `readBodyBytes` does
 */
export const collectBody = (
  request: WithBody,
  limitBytes: number,
  watch: BodyWatch = unwatched,
): Promise<Buffer> => (request.collected ??= collect(request.req, limitBytes, watch));

/**
 * Joins the pieces of a body as they arrive. A buffer for each piece of one byte would take 200
 * times its memory.
 */
class JoinedPieces {
  private buffer: Buffer = Buffer.alloc(0);
  private length = 0;

  /** @param mostBytes the size that the body cannot exceed */
  constructor(private readonly mostBytes: number) {}

  add(piece: Buffer): void {
    const joined = this.length + piece.length;
    // Most bodies are one piece, which needs no copy.
    if (this.length === 0) this.buffer = piece;
    else {
      if (joined > this.buffer.length) this.grow(Math.min(2 * joined, this.mostBytes));
      piece.copy(this.buffer, this.length);
    }
    this.length = joined;
  }

  private grow(capacity: number): void {
    const larger = Buffer.allocUnsafeSlow(capacity);
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }

  /** Returns all bytes, and keeps none. */
  take(): Buffer {
    const bytes = this.buffer.subarray(0, this.length);
    this.buffer = Buffer.alloc(0);
    this.length = 0;
    return bytes;
  }
}

function collect(req: IncomingMessage, limitBytes: number, watch: BodyWatch): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const declaredBytes = Number(req.headers['content-length'] ?? 0);
    const body = new JoinedPieces(Math.min(declaredBytes || limitBytes, limitBytes));
    let arrivedBytes = 0;
    let pieces = 0;
    let isRejected = false;
    const stop = (): void => {
      req.off('data', take);
      leaveUnread(req);
    };
    const fail = (error: ServiceError): void => {
      // Call this before the rejection: later requests of the connection may be in the same packet.
      watch.onUnread();
      isRejected = true;
      reject(error);
    };
    const take = contained(
      (piece: Buffer) => {
        arrivedBytes += piece.length;
        pieces += 1;
        // Parsing a tiny piece costs as much as parsing a whole body. No client sends thousands of
        // them by accident.
        if (pieces > mostSmallPieces && arrivedBytes < pieces * smallPieceBytes) {
          fail(tooManyPieces());
          stop();
        } else if (arrivedBytes > limitBytes) {
          fail(tooLarge(limitBytes));
          body.take();
          // A client that exceeds the limit by little can still read the response.
          if (arrivedBytes > limitBytes + mostDiscardedBytes) stop();
        } else if (isRejected) {
          // The announced size exceeds the limit. Discard the body.
        } else if (watch.admit(arrivedBytes)) {
          body.add(piece);
        } else {
          reject(notWhole(undefined));
          body.take();
          stop();
        }
      },
      () => req.destroy(),
    );
    if (declaredBytes > limitBytes) fail(tooLarge(limitBytes));
    if (declaredBytes > limitBytes + mostDiscardedBytes) {
      leaveUnread(req);
      return;
    }
    // A destroyed request emits no further events.
    if (req.destroyed) {
      reject(notWhole(undefined));
      return;
    }
    const onError = (error: Error): void => {
      reject(notWhole(error));
    };
    const onClose = (): void => {
      reject(notWhole(undefined));
    };
    req.on('data', take);
    req.on('error', onError);
    req.on('close', onClose);
    req.once('end', () => {
      resolve(body.take());
      // The listeners would keep the body in memory until the response is sent.
      req.off('data', take).off('close', onClose).off('error', onError).on('error', ignore);
    });
  });
}

function tooManyPieces(): ServiceError {
  return new ServiceError('malformed_body', {
    detail: 'The body arrives in chunks of a few bytes. Send it in one piece or in larger chunks.',
  });
}

export function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError('body_too_large', {
    detail: `The body exceeds ${limitBytes} bytes.`,
  });
}

function notWhole(cause: unknown): ServiceError {
  return new ServiceError('malformed_body', {
    detail: 'The body is incomplete, or does not match its Content-Length or Content-Encoding.',
    cause,
  });
}
