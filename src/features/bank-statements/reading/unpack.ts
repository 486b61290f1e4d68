import type { Transform } from 'node:stream';
import { createGunzip, createInflateRaw } from 'node:zlib';

import { fileLimits, StatementFileRefused } from '@contribution-service/bank-files';

import { type Pieces, throughZlib, unpackedLength } from './pieces';
import { isZip, openZip, withChecksum } from './unpack-zip';

const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;
/** The number of bytes that show whether a file is packed. */
const signatureLength = 4;

async function* inflated(packed: Pieces, zlib: Transform): AsyncGenerator<Uint8Array, void> {
  try {
    yield* throughZlib(packed, zlib);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw code.startsWith('Z_') ? new StatementFileRefused('The compressed file is damaged.') : error;
  }
}

/** A ZIP file lists its files at its end, so all of it is in memory. */
async function* unzipped(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const all: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    length += piece.length;
    if (length > fileLimits.bytes) {
      throw new StatementFileRefused(
        `The ZIP file has more than ${fileLimits.bytes / 1024 / 1024} MiB. Send it as gzip.`,
      );
    }
    all.push(piece);
  }
  const { bytes, isDeflated, crc } = openZip(Buffer.concat(all.splice(0)));
  const content = isDeflated ? inflated([bytes], createInflateRaw(unpackedLength)) : [bytes];
  yield* withChecksum(content, crc);
}

async function* asynchronous(pieces: Pieces): AsyncGenerator<Uint8Array, void> {
  yield* pieces;
}

/**
 * Unpacks a gzip file, or a ZIP file with one file. The first bytes show what it is. Other bytes
 * stay as they are. The reader limits the number of unpacked bytes.
 *
 * @throws StatementFileRefused if the file is damaged, perhaps after the last piece
 */
export async function* unpacked(pieces: Pieces): AsyncGenerator<Uint8Array, void> {
  const rest = asynchronous(pieces);
  let start = Buffer.alloc(0);
  while (start.length < signatureLength) {
    const next = await rest.next();
    if (next.done) break;
    start = Buffer.concat([start, next.value]);
  }
  async function* all(): AsyncGenerator<Uint8Array, void> {
    yield start;
    yield* rest;
  }
  if (isGzip(start)) yield* inflated(all(), createGunzip(unpackedLength));
  else yield* isZip(start) ? unzipped(all()) : all();
}
