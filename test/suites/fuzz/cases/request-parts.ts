import { type FuzzCase, type Rest, type WholeRequest } from './case';

/** The parts of a request body before serialization. */
export type BodyParts =
  | { readonly media: 'none' }
  /** Members as JSON text: keys can be there twice, values can be anything. */
  | { readonly media: 'json'; members: [key: string, value: string][] }
  | { readonly media: 'multipart'; boundary: string; parts: { head: string; value: string }[]; end: string }
  | { readonly media: 'bytes'; bytes: Buffer };

/**
 * The parts of a request, which can be mutated separately. Texts other than JSON are latin1 bytes.
 */
export interface RequestParts {
  method: string;
  path: string;
  /** Already percent-encoded. */
  query: [name: string, value: string][];
  version: string;
  headers: [name: string, value: string][];
  body: BodyParts;
  framing: 'length' | 'chunked';
}

const wellFormedRequestId = /^[A-Za-z0-9._-]{1,128}$/;

/** The bytes of a body. */
export function bodyBytes(body: BodyParts): Buffer {
  switch (body.media) {
    case 'none':
      return Buffer.alloc(0);
    case 'json':
      return Buffer.from(`{${body.members.map(([key, value]) => `${key}:${value}`).join(',')}}`, 'utf8');
    case 'multipart': {
      const parts = body.parts.map(({ head, value }) => `--${body.boundary}\r\n${head}\r\n\r\n${value}\r\n`);
      return Buffer.from(parts.join('') + body.end, 'utf8');
    }
    case 'bytes':
      return body.bytes;
  }
}

export function targetOf({ path, query }: RequestParts): string {
  const text = query.map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join('&');
  return query.length === 0 ? path : `${path}?${text}`;
}

/** The request line and the headers as bytes. */
export function renderHead(parts: RequestParts, framing: readonly [name: string, value: string][]): Buffer {
  const lines = [...parts.headers, ...framing].map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(
    `${parts.method} ${targetOf(parts)} ${parts.version}\r\n${lines.join('')}\r\n`,
    'latin1',
  );
}

/** A body in chunks of one size. */
export function chunked(body: Buffer, size = 64): Buffer {
  const chunks: Buffer[] = [];
  for (let start = 0; start < body.length; start += size) {
    const chunk = body.subarray(start, start + size);
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
}

/** A request as bytes, framed according to its parts. */
export function render(parts: RequestParts): Buffer {
  const body = bodyBytes(parts.body);
  if (parts.framing === 'chunked') {
    return Buffer.concat([renderHead(parts, [['Transfer-Encoding', 'chunked']]), chunked(body)]);
  }
  const framing: [string, string][] =
    parts.body.media === 'none' ? [] : [['Content-Length', String(body.length)]];
  return Buffer.concat([renderHead(parts, framing), body]);
}

/** What the sender knows about a request. */
export function wholeRequest(parts: RequestParts): WholeRequest {
  const ids = parts.headers.filter(([name]) => name.toLowerCase() === 'x-request-id');
  const id = ids.length === 1 ? ids[0]?.[1] : undefined;
  return {
    method: parts.method,
    target: targetOf(parts),
    requestId: id !== undefined && wellFormedRequestId.test(id) ? id : undefined,
  };
}

/** Whether a part contains a line break or similar that changes the structure of the request. */
function breaksFraming(parts: RequestParts): boolean {
  const texts = [parts.method, targetOf(parts), parts.version, ...parts.headers.flat()];
  const target = targetOf(parts);
  return texts.some((text) => /[\r\n]/.test(text)) || /[ \t]/.test(parts.method + target) || target === '';
}

/** A case with one request, made from its parts. */
export function caseOf(index: number, kind: string, parts: RequestParts): FuzzCase {
  const isBroken = breaksFraming(parts);
  const rest: Rest = isBroken ? 'anything' : 'nothing';
  return {
    index,
    kind,
    bytes: render(parts),
    cuts: [],
    requests: isBroken ? [] : [wholeRequest(parts)],
    rest,
  };
}
