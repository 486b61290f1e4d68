import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

import type { Request, Response } from 'express';

import { createCompressedBodies } from './compressed-bodies';

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

/**
 * Answers with JSON, compressed where the client accepts it and it pays. An answer that the client may keep carries a strong
 * ETag, one for each encoding (RFC 9110, 8.8.3.3), and is 304 without a body when the client has it (RFC 9110, 13.1.2).
 * Status and Cache-Control are set before.
 */
export async function sendJson(req: Request, res: Response, body: unknown): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(body));
  const isRead = req.method === 'GET' || req.method === 'HEAD';
  if (isRead) res.vary('Accept-Encoding');
  const encoding = isRead && bytes.length >= smallestCompressedBytes ? encodingOf(req) : undefined;
  const isKept = isRead && res.getHeader('Cache-Control') !== 'no-store';
  const digest = isKept ? hash('sha256', bytes, 'base64url') : undefined;
  if (digest !== undefined) {
    res.setHeader('ETag', `"${digest.slice(0, 22)}${encoding === undefined ? '' : `-${encoding}`}"`);
    if (req.fresh) {
      res.status(304).end();
      return;
    }
  }
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  if (encoding === undefined) {
    end(res, bytes);
    return;
  }
  const compress = () => compressors[encoding](bytes);
  const known = digest === undefined ? compress() : compressedBodies.find(`${digest} ${encoding}`, compress);
  res.setHeader('Content-Encoding', encoding);
  end(res, await known);
}

/** Not Express's send(): it makes a 304 of whatever it takes for the same. Node leaves the body of an answer to HEAD out. */
function end(res: Response, bytes: Buffer): void {
  res.setHeader('Content-Length', bytes.length);
  res.end(bytes);
}

/** The best of those that the client accepts; undefined for none. */
function encodingOf(req: Request): Encoding | undefined {
  return encodings.find((encoding) => req.acceptsEncodings(encoding) === encoding);
}
