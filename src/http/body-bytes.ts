import type { IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

import { ServiceError } from '../shared/errors';

const decompressors = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync } as const;

type Encoding = keyof typeof decompressors;

/**
 * Reads a request's body whole and unpacks it. It is unpacked at once when it is there: unpacked as it comes, a body in
 * thousands of small pieces would keep the threads busy that all requests share.
 *
 * @param limitBytes the largest body, as it comes and unpacked
 * @throws ServiceError 413, 415 for another encoding, 400 for what did not arrive whole or is not encoded as it says
 */
export async function readBodyBytes(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const encoding = encodingOf(req);
  const bytes = await collect(req, limitBytes);
  if (encoding === undefined || bytes.length === 0) return bytes;
  try {
    return decompressors[encoding](bytes, { maxOutputLength: limitBytes });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? tooLarge(limitBytes)
      : notWhole(error);
  }
}

function encodingOf(req: IncomingMessage): Encoding | undefined {
  const name = (req.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity') return undefined;
  if (Object.hasOwn(decompressors, name)) return name as Encoding;
  throw new ServiceError('unsupported_media_type', {
    detail: 'The Content-Encoding is not supported. Send the body as it is, or with gzip, deflate or br.',
  });
}

function collect(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const fail = (error: ServiceError): void => {
      req.off('data', take);
      // Whoever is still sending gets as far as reading the answer.
      req.resume();
      reject(error);
    };
    const take = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > limitBytes) fail(tooLarge(limitBytes));
      else chunks.push(chunk);
    };
    if (Number(req.headers['content-length'] ?? 0) > limitBytes) {
      fail(tooLarge(limitBytes));
      return;
    }
    // Who has gone away meanwhile ends nothing any more.
    if (req.destroyed) {
      reject(notWhole(undefined));
      return;
    }
    req.on('data', take);
    req.once('end', () => {
      resolve(Buffer.concat(chunks));
    });
    req.once('error', (error) => {
      fail(notWhole(error));
    });
    req.once('close', () => {
      reject(notWhole(undefined));
    });
  });
}

function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError('body_too_large', {
    detail: `The body is larger than ${limitBytes} bytes.`,
    headers: { Connection: 'close' },
  });
}

function notWhole(cause: unknown): ServiceError {
  return new ServiceError('malformed_body', {
    detail: 'The body did not arrive whole, or it is not what Content-Length or Content-Encoding say.',
    cause,
  });
}
