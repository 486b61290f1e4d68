import { createDeflateRaw, createInflateRaw } from 'node:zlib';

import { type Pieces, throughZlib, unpackedLength } from '../reading/pieces';

/** The compressed bytes of a chunk: one row, which one statement inserts in milliseconds. */
export const chunkBytes = 256 * 1024;

/** The fastest level. Statements shrink to about a tenth with any. */
const level = 1;

/** Compresses bytes into chunks of `chunkBytes`. The last is shorter. */
export async function* packedChunks(bytes: Pieces): AsyncGenerator<Buffer, void> {
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of throughZlib(bytes, createDeflateRaw({ level }))) {
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
  throughZlib(chunks, createInflateRaw(unpackedLength));
