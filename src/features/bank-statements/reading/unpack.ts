import { gunzipSync } from 'node:zlib';

import { inflate } from './inflate';
import { isZip, unpackZip } from './unpack-zip';

const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/**
 * Unpacks a gzip file, or a ZIP file with one file. The first bytes show what it is. Returns other
 * bytes unchanged.
 *
 * @throws StatementFileRefused if it is damaged, or unpacks to more than `limitBytes`
 */
export function unpack(bytes: Uint8Array, limitBytes: number): Uint8Array {
  if (isGzip(bytes)) return inflate(bytes, limitBytes, gunzipSync);
  return isZip(bytes) ? unpackZip(bytes, limitBytes) : bytes;
}
