import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** One response as received. */
export interface ReceivedResponse {
  readonly status: number;
  /** Values by lower-case name, in the received order. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** After decompression. */
  readonly body: Buffer;
}

/** The strictly parsed bytes of a connection: only what a careful client or proxy accepts. */
export interface ReceivedResponses {
  readonly responses: readonly ReceivedResponse[];
  /** What is wrong with the bytes; undefined if they are whole responses and nothing else. */
  readonly flaw: string | undefined;
  /** The last response has started but is incomplete. */
  readonly isPartial: boolean;
}

const statusLine = /^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]*$/;
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\t\x20-\x7e\x80-\xff]*)$/;

type Step = { response: ReceivedResponse; end: number } | { flaw: string } | 'partial';

/** @returns undefined when a line is not a valid header */
function readHeaders(lines: readonly string[]): Map<string, string[]> | undefined {
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const [, name, value] = headerLine.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    const key = name.toLowerCase();
    headers.set(key, [...(headers.get(key) ?? []), value]);
  }
  return headers;
}

function readChunks(bytes: Buffer, from: number): { body: Buffer; end: number } | 'partial' | 'flawed' {
  const chunks: Buffer[] = [];
  for (let at = from; ;) {
    const lineEnd = bytes.indexOf('\r\n', at, 'latin1');
    if (lineEnd < 0) return 'partial';
    const size = /^[0-9a-f]{1,8}$/i.exec(bytes.toString('latin1', at, lineEnd));
    if (!size) return 'flawed';
    const length = parseInt(size[0], 16);
    const start = lineEnd + 2;
    if (bytes.length < start + length + 2) return 'partial';
    if (bytes.toString('latin1', start + length, start + length + 2) !== '\r\n') return 'flawed';
    if (length === 0) return { body: Buffer.concat(chunks), end: start + 2 };
    chunks.push(bytes.subarray(start, start + length));
    at = start + length + 2;
  }
}

function decompress(encoding: string | undefined, body: Buffer): Buffer {
  if (encoding === undefined || encoding === 'identity' || body.length === 0) return body;
  if (encoding === 'gzip') return gunzipSync(body);
  if (encoding === 'br') return brotliDecompressSync(body);
  if (encoding === 'deflate') return inflateSync(body);
  throw new Error(`Content-Encoding ${encoding} is not known`);
}

function readOne(bytes: Buffer, from: number, isHead: boolean): Step {
  const headEnd = bytes.indexOf('\r\n\r\n', from, 'latin1');
  if (headEnd < 0) {
    const opening = bytes.toString('latin1', from, from + 9);
    return 'HTTP/1.1 '.startsWith(opening) ? 'partial' : { flaw: 'bytes that are not a response' };
  }
  const [first = '', ...lines] = bytes.toString('latin1', from, headEnd).split('\r\n');
  const status = Number(statusLine.exec(first)?.[1] ?? 0);
  const headers = readHeaders(lines);
  if (status === 0 || !headers) return { flaw: 'a status line or headers that are not HTTP/1.1' };
  const bodyStart = headEnd + 4;
  const lengths = headers.get('content-length');
  const transfers = headers.get('transfer-encoding');
  if (lengths && (transfers ?? lengths.length > 1)) return { flaw: 'a response with two lengths' };
  if (status < 200) return { response: { status, headers, body: Buffer.alloc(0) }, end: bodyStart };
  // A parser that failed before the method responds with a body and closes the connection.
  const isBeforeMethod =
    status >= 400 && headers.get('connection')?.includes('close') === true && bytes.length > bodyStart;
  if ((isHead && !isBeforeMethod) || status === 204 || status === 304) {
    return { response: { status, headers, body: Buffer.alloc(0) }, end: bodyStart };
  }
  let body: Buffer;
  let end: number;
  if (transfers) {
    const chunks = readChunks(bytes, bodyStart);
    if (chunks === 'partial') return 'partial';
    if (chunks === 'flawed') return { flaw: 'a body in broken chunks' };
    ({ body, end } = chunks);
  } else {
    if (lengths && !/^\d{1,9}$/.test(lengths[0] ?? '')) return { flaw: 'a length that is not a number' };
    end = lengths ? bodyStart + Number(lengths[0]) : bytes.length;
    if (end > bytes.length) return 'partial';
    body = bytes.subarray(bodyStart, end);
  }
  try {
    return {
      response: { status, headers, body: decompress(headers.get('content-encoding')?.[0], body) },
      end,
    };
  } catch (error) {
    return { flaw: `a body that does not decompress: ${String(error)}` };
  }
}

/**
 * Parses the responses of a connection and omits interim ones (100 Continue).
 *
 * @param isHead whether the response with this number, from 0, is to a HEAD
 */
export function readResponses(bytes: Buffer, isHead: (number: number) => boolean): ReceivedResponses {
  const responses: ReceivedResponse[] = [];
  for (let at = 0; at < bytes.length;) {
    const step = readOne(bytes, at, isHead(responses.length));
    if (step === 'partial') return { responses, flaw: 'an incomplete response', isPartial: true };
    if ('flaw' in step) return { responses, flaw: step.flaw, isPartial: false };
    at = step.end;
    if (step.response.status >= 200) responses.push(step.response);
  }
  return { responses, flaw: undefined, isPartial: false };
}
