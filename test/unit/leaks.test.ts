import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';

import { drawKeyPair } from '../../src/core/key-pairs/credentials';
import { canary } from '../support/canary-requests';
import { createLeakWatch, type LeakWatch, watchErrorResponses, type ForbiddenValues } from '../support/leaks';
import { startService } from '../support/service';

/** The leak search finds a forbidden value in every encoding and place that it searches. */
const word = 'Secret "of" 7+8/9=<&>?';
const found = (text: string, words: ForbiddenValues = { word }): readonly string[] => {
  const watch = createLeakWatch(words);
  watch.look('a text', text);
  return watch.found;
};

test.each<[string, string]>([
  ['as it is', word],
  ['in another case', word.toUpperCase()],
  ['in a line of JSON', JSON.stringify({ a: { b: word } })],
  ['in JSON within JSON', JSON.stringify({ a: JSON.stringify({ b: word }) })],
  ['in a query', `/path?user=${encodeURIComponent(word)}&more`],
  ['in a query, in lower case', `/path?user=${encodeURIComponent(word).toLowerCase()}`],
  ['in a form', new URLSearchParams({ user: word }).toString()],
  ['in Basic authentication', Buffer.from(`u:${word}`).toString('base64')],
  ['in base64, one byte later', Buffer.from(`us:${word}!`).toString('base64')],
  ['in base64, two bytes later', Buffer.from(`user:${word}!!`).toString('base64')],
  ['in a cursor', Buffer.from(JSON.stringify([1, word])).toString('base64url')],
  ['in hexadecimal', `\\x${Buffer.from(`<${word}>`).toString('hex').toUpperCase()}`],
  ['in a buffer that was logged', JSON.stringify(Buffer.from(`<${word}>`))],
  ['in a buffer that was inspected', inspect(Buffer.from(`<${word}>`))],
  ['in HTML', 'Secret &quot;of&quot; 7+8/9=&lt;&amp;&gt;?'],
])('a value is found %s', (_how, text) => {
  expect(found(text)).not.toEqual([]);
});

test('half of a long secret is found', () => {
  const secret = 'abcdefghijklmnopqrstuvwxyz0123456789';
  expect(found('… abcdefghijklmnopqr…', { secret })).toEqual([expect.stringContaining('first half')]);
  expect(found('…stuvwxyz0123456789', { secret })).toEqual([expect.stringContaining('second half')]);
});

test('any API-Secret is found without being named, also encoded', () => {
  const { apiKey, apiSecret } = drawKeyPair('production');
  expect(found(`API-Secret: ${apiSecret.slice(0, 30)}`)).toEqual(['a text: an API-Secret']);
  expect(found(Buffer.from(`${apiKey}:${apiSecret}`).toString('base64'))).toEqual(['a text: an API-Secret']);
  expect(found(apiKey)).toEqual([]);
});

test('nothing is found in harmless text', () => {
  expect(found('API-Secret is not of the form cps_test_… or cps_production_…')).toEqual([]);
  expect(found(JSON.stringify({ msg: 'request', route: '/secret', status: 200 }))).toEqual([]);
});

describe('a service under test', () => {
  test('that logged a canary fails when it stops', async () => {
    const service = await startService();
    service.logger.trace({ req: { url: `/x?user_hash=${encodeURIComponent(canary.userHash)}` } }, 'request');
    await expect(service.stop()).rejects.toThrow('log: userHash');
  });

  test('that logged an issued secret fails when it stops', async () => {
    const service = await startService();
    const { test: client } = await service.addCompany();
    service.logger.debug({ headers: { 'api-secret': client.apiSecret } });
    await expect(service.stop()).rejects.toThrow('log: an API-Secret');
  });

  test('that logged the password of its database fails when it stops', async () => {
    const service = await startService();
    service.logger.warn(`cannot connect to ${service.database.url}`);
    await expect(service.stop()).rejects.toThrow('log: password of the database');
  });

  test('that logged no secret stops', async () => {
    const service = await startService();
    await service.anonymous.get('/company/integration/get/projects').expect(401);
    await service.stop();
    expect(service.logLines.join()).toContain('credentials_malformed');
  });
});

describe('an error response that contains a canary is found', () => {
  let server: Server;
  let watch: LeakWatch;
  const text = JSON.stringify({ detail: `no such user: ${canary.userHash}` });

  beforeAll(async () => {
    watch = createLeakWatch(canary);
    server = createServer((req, res) => {
      const responders: Record<string, () => void> = {
        '/plain': () => res.writeHead(500).end(text),
        '/parts': () => {
          res.statusCode = 400;
          res.write(text.slice(0, 20));
          res.end(text.slice(20));
        },
        '/gzip': () => res.setHeader('Content-Encoding', 'gzip').writeHead(404).end(gzipSync(text)),
        '/br': () => res.setHeader('Content-Encoding', 'br').writeHead(404).end(brotliCompressSync(text)),
        '/header': () => res.setHeader('X-Reason', canary.name).writeHead(403).end(),
        '/success': () => res.end(text),
      };
      responders[req.url ?? '']?.();
    });
    watchErrorResponses(server, watch);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  test.each([
    ['/plain', 'body of an error: userHash'],
    ['/parts', 'body of an error: userHash'],
    ['/gzip', 'body of an error: userHash'],
    ['/br', 'body of an error: userHash'],
    ['/header', 'headers of an error: name'],
  ])('%s', async (path, what) => {
    const before = watch.found.length;
    await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)).text();
    expect(watch.found.slice(before)).toEqual(expect.arrayContaining([expect.stringContaining(what)]));
    expect(() => {
      watch.assertNothingFound();
    }).toThrow(what);
  });

  test('but in a success it is data that the caller requested', async () => {
    const before = watch.found.length;
    await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/success`)).text();
    expect(watch.found.slice(before)).toEqual([]);
  });
});
