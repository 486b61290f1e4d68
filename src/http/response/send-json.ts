import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

import type { Request, Response } from 'express';

import { sendResponse } from './response';
import { createCompressedBodies } from '../request/compressed-bodies';
import { contextOf } from '../request/request-context';

/** Below this size, about one packet, compression saves nothing. */
const smallestCompressedBytes = 1_400;

const gzip = promisify(zlib.gzip);
const brotliCompress = promisify(zlib.brotliCompress);

/** The encodings that are offered, the best first, each with how it is made quickly. */
const compressors = {
  br: (bytes: Buffer) =>
    brotliCompress(bytes, {
      params: {
        [zlib.constants.BROTLI_PARAM_QUALITY]: 4,
        [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes: Buffer) => gzip(bytes, { level: 6 }),
};

type Encoding = keyof typeof compressors;
const encodings = Object.keys(compressors) as Encoding[];

const compressedBodies = createCompressedBodies(16 * 1024 * 1024);

/** JSON as it goes out. */
export interface JsonBytes {
  readonly bytes: Buffer;
  /** SHA-256 of the bytes, in base64url; absent for what no client may keep. */
  readonly digest: string | undefined;
}

/** @param isKept whether the client may keep the answer, and ask whether it is still the same */
export function jsonBytes(body: unknown, isKept: boolean): JsonBytes {
  const bytes = Buffer.from(JSON.stringify(body));
  return { bytes, digest: isKept ? hash('sha256', bytes, 'base64url') : undefined };
}

/**
 * Answers with JSON, compressed where the client accepts it and it pays. An answer that the client
 * may keep carries a strong ETag, one for each encoding (RFC 9110, 8.8.3.3), and is 304 without a
 * body when the client has it (RFC 9110, 13.1.2).
 */
export async function sendJson(
  req: Request,
  res: Response,
  status: number,
  { bytes, digest }: JsonBytes,
): Promise<void> {
  const { headers } = contextOf(res);
  const isRead = req.method === 'GET' || req.method === 'HEAD';
  if (isRead) headers['Vary'] = 'Accept-Encoding';
  const encoding = isRead && bytes.length >= smallestCompressedBytes ? encodingOf(req) : undefined;
  const etag =
    digest === undefined
      ? undefined
      : `"${digest.slice(0, 22)}${encoding === undefined ? '' : `-${encoding}`}"`;
  if (etag !== undefined && req.headers['if-none-match'] !== undefined && isFresh(req, res, etag)) {
    headers['ETag'] = etag;
    sendResponse(res, 304);
    return;
  }
  const sent = encoding === undefined ? bytes : await compressed(bytes, digest, encoding);
  // Only now: were there no memory to compress it, another answer would go out.
  if (etag !== undefined) headers['ETag'] = etag;
  if (encoding !== undefined) headers['Content-Encoding'] = encoding;
  headers['Content-Type'] = 'application/json; charset=utf-8';
  sendResponse(res, status, sent);
}

function compressed(bytes: Buffer, digest: string | undefined, encoding: Encoding): Promise<Buffer> {
  const compress = () => compressors[encoding](bytes);
  return digest === undefined ? compress() : compressedBodies.find(`${digest} ${encoding}`, compress);
}

/** As Express sees it, which looks at the headers that were set. */
function isFresh(req: Request, res: Response, etag: string): boolean {
  res.setHeader('ETag', etag);
  const { fresh } = req;
  res.removeHeader('ETag');
  return fresh;
}

/** The best of those that the client accepts; undefined for none. */
function encodingOf(req: Request): Encoding | undefined {
  if (req.headers['accept-encoding'] === undefined) return undefined;
  return encodings.find((encoding) => req.acceptsEncodings(encoding) === encoding);
}
