import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

import type { Peppers } from '../../../core/key-pairs/credentials';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** The key of one upload. A chunk is sealed as nonce, ciphertext and tag. */
export interface ChunkKey {
  /** Encrypts a chunk. Its number is authenticated, so chunks cannot change places. */
  seal: (number: number, chunk: Uint8Array) => Buffer;
  /** @throws Error if the chunk was changed, truncated, or sealed under another pepper or number */
  open: (number: number, sealed: Buffer) => Buffer;
}

const authenticated = (number: number): Buffer => Buffer.from(`chunk ${number}`);

/**
 * Derives the key of an upload from a pepper (HKDF, RFC 5869). No key is stored, so a copy of the
 * database reads no file.
 *
 * @throws Error if there is no pepper with that version
 */
export function keyOfUpload(peppers: Peppers, pepperVersion: number, uploadId: string): ChunkKey {
  const pepper = peppers.get(pepperVersion);
  if (!pepper) throw new Error(`there is no pepper with version ${pepperVersion}`);
  const key = Buffer.from(hkdfSync('sha256', pepper, '', `statement upload ${uploadId}`, keyBytes));
  return {
    seal(number, chunk) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(authenticated(number));
      return Buffer.concat([nonce, cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
    },
    open(number, sealed) {
      if (sealed.length < nonceBytes + tagBytes) throw new Error(`chunk ${number} is truncated`);
      const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      })
        .setAAD(authenticated(number))
        .setAuthTag(sealed.subarray(-tagBytes));
      return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
    },
  };
}
