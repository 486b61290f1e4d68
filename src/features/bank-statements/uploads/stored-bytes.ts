import { createHash } from 'node:crypto';

import type { Peppers } from '../../../core/key-pairs/credentials';
import type { Pieces } from '../reading/pieces';
import { packedChunks, unpackedBytes } from './packed-chunks';
import { keyOfUpload } from './seal-chunks';
import {
  type Claim,
  type NewUpload,
  optionsOf,
  type ReceivedBytes,
  textOfOptions,
  type UploadOptions,
} from './statement-upload';
import type { StatementUploadsStore } from './statement-uploads.store';

/** The chunk of the options. The chunks of the file follow it. */
const optionsNumber = 0;

/**
 * Stores the options and the bytes of an upload, encrypted.
 *
 * @returns undefined if the upload was dropped meanwhile
 */
export async function storeBytes(
  { store, peppers }: { store: Pick<StatementUploadsStore, 'addChunk'>; peppers: Peppers },
  upload: NewUpload,
  bytes: Pieces,
  options: UploadOptions,
): Promise<ReceivedBytes | undefined> {
  const { seal } = keyOfUpload(peppers, upload.pepperVersion, upload.uploadId);
  const add = (number: number, chunk: Uint8Array): Promise<boolean> =>
    store.addChunk(upload, number, seal(number, chunk));
  const digest = createHash('sha256');
  let byteCount = 0;
  async function* counted(): AsyncGenerator<Uint8Array, void> {
    for await (const piece of bytes) {
      digest.update(piece);
      byteCount += piece.length;
      yield piece;
    }
  }
  if (!(await add(optionsNumber, Buffer.from(textOfOptions(options))))) return undefined;
  let chunkCount = optionsNumber + 1;
  for await (const chunk of packedChunks(counted())) {
    if (!(await add(chunkCount, chunk))) return undefined;
    chunkCount += 1;
  }
  return { sha256: digest.digest(), byteCount, chunkCount };
}

/**
 * Reads the options of an upload, and its bytes when they are needed.
 *
 * @throws Error, also from the bytes, if a chunk is missing or changed, or sealed under a pepper
 *   that is not configured
 */
export async function loadBytes(
  { store, peppers }: { store: Pick<StatementUploadsStore, 'chunk'>; peppers: Peppers },
  claim: Claim,
): Promise<{ options: UploadOptions; pieces: AsyncIterable<Buffer> }> {
  const { open } = keyOfUpload(peppers, claim.pepperVersion, claim.uploadId);
  const load = async (number: number): Promise<Buffer> => {
    const sealed = await store.chunk(claim, number);
    if (!sealed) throw new Error(`chunk ${number} of the upload is missing`);
    return open(number, sealed);
  };
  async function* chunks(): AsyncGenerator<Buffer, void> {
    for (let number = optionsNumber + 1; number < claim.chunkCount; number += 1) yield await load(number);
  }
  async function* pieces(): AsyncGenerator<Buffer, void> {
    const digest = createHash('sha256');
    for await (const piece of unpackedBytes(chunks())) {
      digest.update(piece);
      yield piece;
    }
    if (!digest.digest().equals(claim.sha256)) throw new Error('the bytes of the upload have changed');
  }
  return { options: optionsOf((await load(optionsNumber)).toString()), pieces: pieces() };
}
