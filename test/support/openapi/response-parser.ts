import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import type { ReceivedResponse, ReceivedRequest } from './validate-response';

/**
 * Parses the responses that a server sends over one connection (RFC 9112).
 *
 * @param nextRequest the request of the next response; undefined if there is none
 * @param onResponse called with each complete response
 * @returns a function that takes the bytes
 */
export function createResponseParser(
  nextRequest: () => ReceivedRequest | undefined,
  onResponse: (request: ReceivedRequest | undefined, response: ReceivedResponse) => void,
): (bytes: Buffer) => void {
  let received: Buffer = Buffer.alloc(0);
  let head: Head | undefined;
  let request: ReceivedRequest | undefined;

  return (bytes) => {
    received = Buffer.concat([received, bytes]);
    for (;;) {
      if (!head) {
        const end = received.indexOf('\r\n\r\n');
        if (end < 0) return;
        head = readHead(received.toString('latin1', 0, end));
        received = received.subarray(end + 4);
        if (head.status < 200) {
          head = undefined;
          continue;
        }
        request = nextRequest();
      }
      const body = readBody(received, head, request?.method === 'HEAD');
      if (!body) return;
      received = received.subarray(body.length);
      onResponse(request, { ...head, body: decode(body.bytes, head.headers['content-encoding']) });
      head = undefined;
    }
  };
}

interface Head {
  status: number;
  headers: Record<string, string>;
}

function readHead(text: string): Head {
  const [statusLine = '', ...lines] = text.split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]+): *(.*)$/.exec(line) ?? [];
    const key = name.toLowerCase();
    headers[key] = key in headers ? `${headers[key] ?? ''}, ${value}` : value;
  }
  return { status: Number(statusLine.split(' ')[1]), headers };
}

/**
 * The body at the start of the bytes, with its encoded length; undefined while it is incomplete.
 */
function readBody(
  received: Buffer,
  { status, headers }: Head,
  isHead: boolean,
): { bytes: Buffer; length: number } | undefined {
  if (isHead || status === 204 || status === 304) return { bytes: Buffer.alloc(0), length: 0 };
  if (headers['transfer-encoding'] === 'chunked') return readChunks(received);
  const length = Number(headers['content-length'] ?? 0);
  return received.length < length ? undefined : { bytes: received.subarray(0, length), length };
}

function readChunks(received: Buffer): { bytes: Buffer; length: number } | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = received.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = parseInt(received.toString('latin1', at, lineEnd), 16);
    const end = lineEnd + 2 + size;
    if (received.length < end + 2) return undefined;
    if (size === 0) return { bytes: Buffer.concat(chunks), length: end + 2 };
    chunks.push(received.subarray(lineEnd + 2, end));
    at = end + 2;
  }
}

function decode(bytes: Buffer, encoding: string | undefined): string {
  if (bytes.length === 0 || encoding === undefined) return bytes.toString('utf8');
  if (encoding === 'gzip') return gunzipSync(bytes).toString('utf8');
  if (encoding === 'br') return brotliDecompressSync(bytes).toString('utf8');
  throw new Error(`a response has the Content-Encoding ${encoding}`);
}
