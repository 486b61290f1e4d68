import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';

import type { Random } from '../../faults/random';
import type { Mutation } from './mutation';
import { bodyBytes, type RequestParts } from './request-parts';

const hasBody = ({ body }: RequestParts): boolean => body.media !== 'none';

/** Compressed once, because compressing them for each request would take longer than sending. */
const bombs: Readonly<Record<string, Buffer>> = {
  gzip: gzipSync(Buffer.alloc(20_000_000)),
  deflate: deflateSync(Buffer.alloc(20_000_000)),
  br: brotliCompressSync(Buffer.alloc(20_000_000)),
};
const nothing = gzipSync(Buffer.alloc(0));
const manyEmptyMembers = Buffer.concat(Array.from({ length: 1_500 }, () => nothing));

function compress(encoding: string, bytes: Buffer): Buffer {
  if (encoding === 'gzip') return gzipSync(bytes, { level: 1 });
  if (encoding === 'deflate') return deflateSync(bytes, { level: 1 });
  return encoding === 'br' ? brotliCompressSync(bytes, { params: {} }) : bytes;
}

function corrupt(bytes: Buffer, random: Random): Buffer {
  const copy = Buffer.from(bytes);
  switch (random.integer(0, 4)) {
    case 0:
      return copy.subarray(0, random.integer(0, copy.length));
    case 1:
      return Buffer.concat([copy, Buffer.from('trailing')]);
    case 2:
      return Buffer.concat([copy, copy]);
    default:
      if (copy.length > 0) copy[random.integer(0, copy.length - 1)] = random.integer(0, 255);
      return copy;
  }
}

/** Mutations of the media type, the charset and the compression of a body. */
export const encodingMutations: readonly Mutation[] = [
  {
    name: 'compressed',
    weight: 4,
    applies: hasBody,
    apply(parts, random) {
      const encoding = random.pick(['gzip', 'deflate', 'br']);
      const bytes = compress(encoding, bodyBytes(parts.body));
      parts.body = { media: 'bytes', bytes: random.chance(0.5) ? bytes : corrupt(bytes, random) };
      parts.headers.push(['Content-Encoding', random.chance(0.9) ? encoding : encoding.toUpperCase()]);
    },
  },
  {
    name: 'compressed-otherwise',
    weight: 3,
    applies: hasBody,
    apply(parts, random) {
      const bytes = bodyBytes(parts.body);
      const [encoding, encoded] = random.pick<[string, () => Buffer]>([
        ['gzip', () => bytes],
        ['br', () => bytes],
        ['deflate', () => deflateRawSync(bytes)],
        ['gzip, gzip', () => gzipSync(gzipSync(bytes))],
        ['identity', () => bytes],
        ['zstd', () => bytes],
        ['x-gzip', () => gzipSync(bytes)],
        ['', () => bytes],
        [',', () => bytes],
        ['gzip', () => Buffer.alloc(0)],
        ['gzip', () => manyEmptyMembers],
        ['gzip'.repeat(1_000), () => bytes],
      ]);
      parts.body = { media: 'bytes', bytes: encoded() };
      parts.headers.push(['Content-Encoding', encoding]);
    },
  },
  {
    name: 'bomb',
    weight: 0.4,
    applies: hasBody,
    apply(parts, random) {
      const [encoding, bytes] = random.pick(Object.entries(bombs));
      parts.body = { media: 'bytes', bytes };
      parts.headers.push(['Content-Encoding', encoding]);
    },
  },
  {
    name: 'content-type',
    weight: 4,
    applies: hasBody,
    apply({ headers }, random) {
      const value = random.pick([
        'application/json; charset=utf-16',
        'application/json; charset="UTF-8"',
        'application/json; charset=utf-8; charset=latin1',
        'application/json;',
        'application/json;;;;',
        'APPLICATION/JSON',
        'application/json, text/plain',
        'application/x-www-form-urlencoded',
        'text/plain',
        'application/json\u0000',
        'multipart/form-data',
        'multipart/form-data; boundary=the-boundary-0',
        '',
        ';',
        `application/json${'; a=b'.repeat(1_500)}`,
      ]);
      const header = headers.find(([name]) => name === 'Content-Type');
      if (header) header[1] = value;
      else headers.push(['Content-Type', value]);
    },
  },
];
