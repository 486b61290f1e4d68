import { gzipSync } from 'node:zlib';

import { readResponses } from './responses';

const read = (text: string | Buffer, heads: number[] = []) =>
  readResponses(Buffer.isBuffer(text) ? text : Buffer.from(text, 'latin1'), (number) =>
    heads.includes(number),
  );

describe('the bytes of a connection', () => {
  test('with two responses are parsed as two, in order', () => {
    const { responses, flaw } = read(
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n',
    );
    expect(responses.map(({ status, body }) => [status, body.toString()])).toEqual([
      [200, '{}'],
      [204, ''],
    ]);
    expect(flaw).toBeUndefined();
  });

  test('with an interim response are parsed without it', () => {
    const { responses } = read('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    expect(responses.map(({ status }) => status)).toEqual([200]);
  });

  test('with a response to HEAD have no body, whatever Content-Length says', () => {
    expect(read('HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n', [0])).toMatchObject({ flaw: undefined });
  });

  test('in chunks and compressed are decoded to the text', () => {
    const body = gzipSync('{"a":1}');
    const { responses, flaw } = read(
      Buffer.concat([
        Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n`),
        Buffer.from(`${body.length.toString(16)}\r\n`),
        body,
        Buffer.from('\r\n0\r\n\r\n'),
      ]),
    );
    expect([responses[0]?.body.toString(), flaw]).toEqual(['{"a":1}', undefined]);
  });

  test.each<[string, string]>([
    ['bytes before a response', '{}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['bytes after a response', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}}'],
    ['a response with two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}}'],
    [
      'a length and chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a header with a line break in it', 'HTTP/1.1 200 OK\r\nX-A: b\nX-B: c\r\nContent-Length: 0\r\n\r\n'],
    ['another version', 'HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['an incomplete response', 'HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{}'],
    ['incomplete headers', 'HTTP/1.1 200 OK\r\nConte'],
    [
      'a body that does not match its Content-Encoding',
      'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}',
    ],
  ])('with %s are invalid', (_what, text) => {
    expect(read(text).flaw).toBeDefined();
  });
});
