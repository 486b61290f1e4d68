import { pipeline, Readable, type Transform } from 'node:stream';
import { createDeflateRaw, createInflateRaw } from 'node:zlib';

/** The compressed bytes of a chunk: one row, which one statement inserts in milliseconds. */
export const chunkBytes = 256 * 1024;

/** The fastest level. Statements shrink to about a tenth with any. */
const level = 1;

/** Any bytes in pieces, such as a request or an array of buffers. */
export type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** The output of a stream of zlib, which works outside of the main thread. */
function through(pieces: Pieces, zlib: Transform): AsyncIterable<Buffer> {
  // A failure of one stream ends the other, and the iteration throws it.
  pipeline(Readable.from(pieces, { objectMode: false }), zlib, () => undefined);
  return zlib;
}

/** Compresses bytes into chunks of `chunkBytes`. The last is shorter. */
export async function* packedChunks(bytes: Pieces): AsyncGenerator<Buffer, void> {
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of through(bytes, createDeflateRaw({ level }))) {
    pieces.push(piece);
    length += piece.length;
    while (length >= chunkBytes) {
      const all = Buffer.concat(pieces);
      yield all.subarray(0, chunkBytes);
      pieces = [all.subarray(chunkBytes)];
      length -= chunkBytes;
    }
  }
  if (length > 0) yield Buffer.concat(pieces);
}

/** The reverse of `packedChunks`. */
export const unpackedBytes = (chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> =>
  through(chunks, createInflateRaw());
