import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

import type { Request } from 'express';

import { sendResponse } from './response';
import { createCompressionCache } from './compression-cache';
import type { RequestContext } from '../request/request-context';

/** Below this size, about one packet, compression does not pay off. */
const smallestCompressedBytes = 1_400;

const gzip = promisify(zlib.gzip);
const brotliCompress = promisify(zlib.brotliCompress);

/** The supported encodings, best first, with settings for speed. */
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

const compressionCache = createCompressionCache(16 * 1024 * 1024);

/** A serialized JSON body. */
export interface JsonBytes {
  readonly bytes: Buffer;
  /** SHA-256 of the bytes, in base64url; undefined if the client must not cache the response. */
  readonly digest: string | undefined;
}

/** @param isCacheable whether the client may cache the response and revalidate it */
export function jsonBytes(body: unknown, isCacheable: boolean): JsonBytes {
  const bytes = Buffer.from(JSON.stringify(body));
  return { bytes, digest: isCacheable ? hash('sha256', bytes, 'base64url') : undefined };
}

/**
 * Sends JSON, compressed if the client accepts it and it pays off. A cacheable response has a
 * strong ETag for each encoding (RFC 9110, 8.8.3.3). If the client already has it, the response is
 * 304 without a body (RFC 9110, 13.1.2).
 */
export async function sendJson(
  context: RequestContext,
  status: number,
  { bytes, digest }: JsonBytes,
  contentType = 'application/json; charset=utf-8',
): Promise<void> {
  const { req, headers } = context;
  const isRead = req.method === 'GET' || req.method === 'HEAD';
  if (isRead) headers['Vary'] ??= 'Accept-Encoding';
  const encoding = isRead && bytes.length >= smallestCompressedBytes ? encodingOf(req) : undefined;
  const etag =
    digest === undefined
      ? undefined
      : `"${digest.slice(0, 22)}${encoding === undefined ? '' : `-${encoding}`}"`;
  if (etag !== undefined && req.headers['if-none-match'] !== undefined && isFresh(context, etag)) {
    headers['ETag'] = etag;
    sendResponse(context, 304);
    return;
  }
  const sent = encoding === undefined ? bytes : await compressed(bytes, digest, encoding);
  // Set these headers only now: if compression fails, an error response is sent instead.
  if (etag !== undefined) headers['ETag'] = etag;
  if (encoding !== undefined) headers['Content-Encoding'] = encoding;
  headers['Content-Type'] = contentType;
  sendResponse(context, status, sent);
}

function compressed(bytes: Buffer, digest: string | undefined, encoding: Encoding): Promise<Buffer> {
  const compress = () => compressors[encoding](bytes);
  return digest === undefined ? compress() : compressionCache.find(`${digest} ${encoding}`, compress);
}

/** Sets the ETag temporarily, because Express compares the request with the response headers. */
function isFresh({ req, res }: RequestContext, etag: string): boolean {
  res.setHeader('ETag', etag);
  const { fresh } = req;
  res.removeHeader('ETag');
  return fresh;
}

/** The best encoding that the client accepts, if any. */
function encodingOf(req: Request): Encoding | undefined {
  if (req.headers['accept-encoding'] === undefined) return undefined;
  return encodings.find((encoding) => req.acceptsEncodings(encoding) === encoding);
}
