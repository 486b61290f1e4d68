import { pipeline, Readable, type Transform } from 'node:stream';

/** Any bytes in pieces, such as a request or an array of buffers. */
export type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** The output of a stream of zlib, which works outside of the calling thread. */
export function throughZlib(pieces: Pieces, zlib: Transform): AsyncIterable<Buffer> {
  // A failure of one stream ends the other, and the iteration throws it.
  pipeline(Readable.from(pieces, { objectMode: false }), zlib, () => undefined);
  return zlib;
}

/** The pieces that zlib unpacks to. Fewer and larger ones than by default take less time. */
export const unpackedLength = { chunkSize: 64 * 1024 };
