import { crc32 } from 'node:zlib';

import { StatementFileRefused } from '@contribution-service/bank-files';

/**
 * Reads a ZIP file with one file (APPNOTE 6.3). No library: only three records are needed, zlib
 * unpacks, and libraries bound the output by what the file states about itself.
 */
const endSignature = 0x06054b50;
const endLength = 22;
const directorySignature = 0x02014b50;
const directoryLength = 46;
const localSignature = 0x04034b50;
const localLength = 30;
/** The end record may be followed by a comment. */
const longestComment = 0xffff;
/** Bit 0 of the flags. */
const encrypted = 1;
const methods = { stored: 0, deflated: 8 };

export const isZip = (bytes: Uint8Array): boolean => {
  const [one, two, three, four] = bytes;
  // An empty ZIP file has only the end record.
  return one === 0x50 && two === 0x4b && ((three === 3 && four === 4) || (three === 5 && four === 6));
};

interface ZippedFile {
  flags: number;
  method: number;
  crc: number;
  packedLength: number;
  localOffset: number;
}

const damaged = (): StatementFileRefused => new StatementFileRefused('The ZIP file is damaged.');

/** The files that the directory lists, without folders and the metadata that macOS adds. */
function filesOf(zip: Buffer): ZippedFile[] {
  const firstEnd = Math.max(0, zip.length - endLength - longestComment);
  let end = zip.length - endLength;
  while (end >= firstEnd && zip.readUInt32LE(end) !== endSignature) end -= 1;
  if (end < firstEnd) throw damaged();
  const files: ZippedFile[] = [];
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (zip.readUInt32LE(at) !== directorySignature) throw damaged();
    const nameLength = zip.readUInt16LE(at + 28);
    const name = zip.toString('latin1', at + directoryLength, at + directoryLength + nameLength);
    if (!name.endsWith('/') && !name.startsWith('__MACOSX/')) {
      files.push({
        flags: zip.readUInt16LE(at + 8),
        method: zip.readUInt16LE(at + 10),
        crc: zip.readUInt32LE(at + 16),
        packedLength: zip.readUInt32LE(at + 20),
        localOffset: zip.readUInt32LE(at + 42),
      });
    }
    at += directoryLength + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return files;
}

/** The only file in a ZIP file, as it is stored there. */
export interface PackedContent {
  bytes: Buffer;
  isDeflated: boolean;
  crc: number;
}

function contentOf(
  zip: Buffer,
  { flags, method, crc, packedLength, localOffset }: ZippedFile,
): PackedContent {
  if ((flags & encrypted) !== 0) {
    throw new StatementFileRefused('The ZIP file is encrypted. Send it without a password.');
  }
  if (zip.readUInt32LE(localOffset) !== localSignature) throw damaged();
  const start =
    localOffset + localLength + zip.readUInt16LE(localOffset + 26) + zip.readUInt16LE(localOffset + 28);
  const bytes = zip.subarray(start, start + packedLength);
  if (bytes.length !== packedLength) throw damaged();
  if (method !== methods.stored && method !== methods.deflated) {
    throw new StatementFileRefused('The ZIP file is not compressed with deflate.');
  }
  return { bytes, isDeflated: method === methods.deflated, crc };
}

/** @throws StatementFileRefused if a ZIP file has no file or several ones, or is damaged */
export function openZip(zip: Buffer): PackedContent {
  try {
    const [file, ...others] = filesOf(zip);
    if (!file || others.length > 0) {
      throw new StatementFileRefused(
        `The ZIP file contains ${others.length + (file ? 1 : 0)} files. Send one.`,
      );
    }
    return contentOf(zip, file);
  } catch (error) {
    // A number in the file leads outside of it.
    throw error instanceof RangeError ? damaged() : error;
  }
}

/** @throws StatementFileRefused after the last piece, if the content has another checksum */
export async function* withChecksum(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  expected: number,
): AsyncGenerator<Uint8Array, void> {
  let crc = 0;
  for await (const piece of content) {
    crc = crc32(piece, crc);
    yield piece;
  }
  if (crc !== expected) throw damaged();
}
