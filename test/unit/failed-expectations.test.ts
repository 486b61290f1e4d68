import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

import { createRequest } from '../support/request';

const server = createServer((_request, response) => {
  response.setHeader('Content-Type', 'application/json').end('{"code":"a code"}');
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => server.close());

const get = () => createRequest(server, 'get', '/');

/** The line of this file that a stack names first. */
function firstLine(stack = ''): string | undefined {
  const [, number] = /^[^\n]*\n[^\n]*failed-expectations\.test\.ts:(\d+)/.exec(stack) ?? [];
  return readFileSync(__filename, 'utf8').split('\n')[Number(number) - 1];
}

test.each([
  ['404', 'expected 404 "Not Found", got 200 "OK"', () => get().expect(404)],
  ['{ a: 1 }', "expected { a: 1 } response body, got { code: 'a code' }", () => get().expect({ a: 1 })],
  ["'ETag', 'x'", 'expected "ETag" header field', () => get().expect('ETag', 'x')],
  ['fails', 'not as expected', () => get().expect(fails)],
])('the stack of a failed expect(%s) starts at its line', async (given, message, send) => {
  const error = await send().then(
    () => undefined,
    (reason: unknown) => reason as Error,
  );

  expect(error?.message).toBe(message);
  expect(firstLine(error?.stack)).toContain(`expect(${given})`);
});

function fails(): never {
  throw new Error('not as expected');
}

test('no stack is formatted for expectations that are met', async () => {
  const formatted: unknown[] = [];
  Error.prepareStackTrace = (error, callSites) => {
    formatted.push(...callSites);
    return String(error);
  };
  try {
    await get().expect(200).expect('Content-Type', 'application/json').expect({ code: 'a code' });
  } finally {
    // Jest sets its own outside the test file.
    Reflect.deleteProperty(Error, 'prepareStackTrace');
  }

  expect(formatted).toEqual([]);
});
