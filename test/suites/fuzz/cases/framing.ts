import type { Random } from '../../faults/random';
import type { FuzzCase } from './case';
import { bodyBytes, chunked, renderHead, type RequestParts } from './request-parts';

type Header = [name: string, value: string];

/** A request with ambiguous framing: two parsers could disagree about its end. */
interface AmbiguousFraming {
  readonly name: string;
  /** Whether it must be rejected (RFC 9112 6.1 to 6.3, 7.1). A parser may repair the others. */
  readonly mustReject: boolean;
  readonly headers: (body: Buffer) => Header[];
  readonly body?: (body: Buffer) => Buffer;
  readonly version?: string;
}

const length = (body: Buffer): Header => ['Content-Length', String(body.length)];
const transfer = (value: string): Header => ['Transfer-Encoding', value];
const inChunks = (body: Buffer): Buffer => chunked(body);
const hex = (body: Buffer): string => body.length.toString(16);
const oneChunk = (size: string, body: Buffer, end = '\r\n'): Buffer =>
  Buffer.concat([Buffer.from(`${size}\r\n`, 'latin1'), body, Buffer.from(`${end}0\r\n\r\n`)]);

const bothWays: readonly AmbiguousFraming[] = [
  {
    name: 'length-and-chunks',
    mustReject: true,
    headers: (body) => [length(body), transfer('chunked')],
    body: inChunks,
  },
  {
    name: 'chunks-and-length',
    mustReject: true,
    headers: () => [transfer('chunked'), ['Content-Length', '4']],
    body: inChunks,
  },
  {
    name: 'length-zero-and-chunks',
    mustReject: true,
    headers: () => [['Content-Length', '0'], transfer('chunked')],
    body: inChunks,
  },
  { name: 'two-lengths', mustReject: true, headers: (body) => [length(body), ['Content-Length', '0']] },
  {
    name: 'two-lengths-the-other-way',
    mustReject: true,
    headers: (body) => [['Content-Length', '0'], length(body)],
  },
  { name: 'length-list', mustReject: true, headers: (body) => [['Content-Length', `${body.length}, 0`]] },
  { name: 'equal-lengths', mustReject: false, headers: (body) => [length(body), length(body)] },
  {
    name: 'equal-lengths-list',
    mustReject: false,
    headers: (body) => [['Content-Length', `${body.length}, ${body.length}`]],
  },
];

const lengths: readonly AmbiguousFraming[] = [
  (body: Buffer) => `+${body.length}`,
  (body: Buffer) => `-${body.length}`,
  (body: Buffer) => `0x${hex(body)}`,
  (body: Buffer) => `${body.length}.0`,
  (body: Buffer) => `${body.length}e0`,
  (body: Buffer) => `${body.length} 0`,
  (body: Buffer) => `${body.length}\u0000`,
  (body: Buffer) => `"${body.length}"`,
  (body: Buffer) => `${body.length};0`,
  () => '99999999999999999999999',
  () => '18446744073709551616',
  () => 'many',
].map((value, number) => ({
  name: `length-${number}`,
  mustReject: true,
  headers: (body): Header[] => [['Content-Length', value(body)]],
}));

const transfers: readonly AmbiguousFraming[] = [
  ...[
    'identity',
    'chunked, identity',
    'xchunked',
    'chunked;q=1',
    'chunked\u000b',
    '"chunked"',
    'gzip',
    'chunked\u0000',
    'chunked,,',
  ].map((value): AmbiguousFraming => ({
    name: `transfer-${value.replace(/[^a-z0-9]+/g, '-')}`,
    mustReject: true,
    headers: () => [transfer(value)],
    body: inChunks,
  })),
  ...['CHUNKED', 'gzip, chunked', ',chunked', 'chunked, chunked', '\tchunked'].map(
    (value): AmbiguousFraming => ({
      name: `transfer-${value.replace(/[^a-zA-Z0-9]+/g, '-')}`,
      mustReject: false,
      headers: () => [transfer(value)],
      body: inChunks,
    }),
  ),
  {
    name: 'transfer-twice',
    mustReject: true,
    headers: () => [transfer('chunked'), transfer('identity')],
    body: inChunks,
  },
  {
    name: 'transfer-then-space',
    mustReject: true,
    headers: () => [['Transfer-Encoding ', 'chunked']],
    body: inChunks,
  },
  {
    name: 'transfer-folded',
    mustReject: false,
    headers: () => [['Transfer-Encoding', '\r\n chunked']],
    body: inChunks,
  },
  {
    name: 'transfer-behind-cr',
    mustReject: true,
    headers: (body) => [['X-A', 'b\rTransfer-Encoding: chunked'], length(body)],
  },
  {
    name: 'transfer-behind-lf',
    mustReject: false,
    headers: (body) => [['X-A', `b\nContent-Length: ${body.length}`]],
  },
  {
    name: 'transfer-in-http-1.0',
    mustReject: false,
    headers: () => [['Connection', 'keep-alive'], transfer('chunked')],
    body: inChunks,
    version: 'HTTP/1.0',
  },
];

const chunkSizes: readonly AmbiguousFraming[] = [
  ...[
    (size: string) => `0x${size}`,
    (size: string) => `-${size}`,
    (size: string) => `+${size}`,
    () => 'FFFFFFFFFFFFFFFFF',
    (size: string) => ` ${size}`,
    (size: string) => `${size}\n`,
    (size: string) => `${size};a\nb`,
    (size: string) => `${size} 1`,
    () => '',
    () => 'g',
  ].map((write, number): AmbiguousFraming => ({
    name: `chunk-size-${number}`,
    mustReject: true,
    headers: () => [transfer('chunked')],
    body: (body) => oneChunk(write(hex(body)), body),
  })),
  {
    name: 'chunk-too-short',
    mustReject: true,
    headers: () => [transfer('chunked')],
    body: (body) => oneChunk((body.length - 1).toString(16), body),
  },
  {
    name: 'chunk-ended-by-lf',
    mustReject: true,
    headers: () => [transfer('chunked')],
    body: (body) => oneChunk(hex(body), body, '\n'),
  },
  {
    name: 'chunk-not-ended',
    mustReject: true,
    headers: () => [transfer('chunked')],
    body: (body) => oneChunk(hex(body), body, ''),
  },
  {
    name: 'chunk-extension-long',
    mustReject: false,
    headers: () => [transfer('chunked')],
    body: (body) => oneChunk(`${hex(body)};${'a'.repeat(20_000)}`, body),
  },
  {
    name: 'trailers-many',
    mustReject: false,
    headers: () => [transfer('chunked')],
    body: (body) =>
      Buffer.concat([chunked(body).subarray(0, -2), Buffer.from('A: b\r\n'.repeat(4_000) + '\r\n')]),
  },
  {
    name: 'trailer-of-framing',
    mustReject: false,
    headers: () => [transfer('chunked')],
    body: (body) =>
      Buffer.concat([chunked(body).subarray(0, -2), Buffer.from('Content-Length: 4\r\nAPI-Key: x\r\n\r\n')]),
  },
];

export const ambiguousFramings: readonly AmbiguousFraming[] = [
  ...bothWays,
  ...lengths,
  ...transfers,
  ...chunkSizes,
];

/**
 * A request with ambiguous framing that smuggles another request. Only one of the interpretations
 * contains the smuggled request.
 *
 * @param carrier a request whose operation takes a body
 */
export function ambiguousCase(
  index: number,
  carrier: RequestParts,
  credentials: string,
  random: Random,
): FuzzCase {
  const framing = random.pick(ambiguousFramings);
  const smuggledId = `smuggled-${index}`;
  const smuggled = Buffer.from(
    `GET /company/integration/projects-stories HTTP/1.1\r\nHost: service.example\r\nX-Request-Id: ${smuggledId}\r\n${credentials}\r\n`,
  );
  // The smuggled request is the body, follows the last chunk, or follows the body.
  const body = random.pick([
    () => smuggled,
    () => Buffer.concat([Buffer.from('0\r\n\r\n'), smuggled]),
    () => Buffer.concat([bodyBytes(carrier.body), smuggled]),
  ])();
  const parts: RequestParts = { ...carrier, version: framing.version ?? carrier.version };
  const head = renderHead(parts, framing.headers(body));
  return {
    index,
    kind: `framing:${framing.name}`,
    bytes: Buffer.concat([head, framing.body?.(body) ?? body]),
    cuts: [],
    requests: [],
    rest: framing.mustReject ? 'refusal' : 'anything',
    smuggledId,
  };
}
