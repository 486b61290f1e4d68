import { Client, InvalidInput } from '../../packages/sdk/src/index.js';
import { drawKeyPair } from '../../src/modules/key-pairs/credentials';
import { fakeFetch } from './fake-service';

const test_ = drawKeyPair('test');
const production = drawKeyPair('production');
const good = { ...test_, baseUrl: 'https://api.example.org', expectEnvironment: 'test' as const };

test.each([
  ['http://localhost:3000', 'http://localhost:3000/company/integration/'],
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/company/integration/'],
  ['http://[::1]:3000', 'http://[::1]:3000/company/integration/'],
  ['https://api.example.org/', 'https://api.example.org/company/integration/'],
  ['https://api.example.org/company/integration', 'https://api.example.org/company/integration/'],
  ['https://example.org/donations/', 'https://example.org/donations/company/integration/'],
])('the base URL %s leads to %s', async (baseUrl, start) => {
  const { fetch, sent } = fakeFetch({ status: 200, body: { data: [] } });
  await new Client({ ...good, baseUrl, fetch }).component();
  expect(sent[0]!.url).toBe(`${start}projects-stories`);
});

test.each<[string, object, string, RegExp]>([
  ['no key', { apiKey: undefined }, 'apiKey', /Pass your API-Key/],
  ['no secret', { apiSecret: '' }, 'apiSecret', /Pass your API-Secret/],
  ['swapped credentials', { apiKey: test_.apiSecret, apiSecret: test_.apiKey }, 'apiKey', /swapped/],
  ['a secret as the key', { apiKey: test_.apiSecret }, 'apiKey', /This is an API-Secret/],
  ['a truncated key', { apiKey: test_.apiKey.slice(0, -1) }, 'apiKey', /truncated/],
  ['a truncated secret', { apiSecret: test_.apiSecret.slice(0, -1) }, 'apiSecret', /truncated/],
  ['a mistyped secret', { apiSecret: test_.apiSecret.replace(/.$/, '-') }, 'apiSecret', /mistyped/],
  [
    'a secret with a wrong checksum',
    { apiSecret: drawKeyPair('test').apiSecret.replace(/.{6}$/, '000000') },
    'apiSecret',
    /mistyped/,
  ],
  ['halves of two pairs', { apiSecret: production.apiSecret }, 'apiSecret', /one pair/],
  [
    'a production pair in a test',
    { ...production },
    'expectEnvironment',
    /pair is for production, but you expect test/,
  ],
  ['no environment', { expectEnvironment: undefined }, 'expectEnvironment', /'test' or 'production'/],
  ['no base URL', { baseUrl: '' }, 'baseUrl', /Pass the address/],
  ['a base URL of another protocol', { baseUrl: 'ftp://example.org' }, 'baseUrl', /Pass the address/],
  ['a base URL with a query', { baseUrl: 'https://example.org?a=1' }, 'baseUrl', /no query/],
  [
    'production without https',
    { ...production, expectEnvironment: 'production', baseUrl: 'http://api.example.org' },
    'baseUrl',
    /Use https/,
  ],
  ['a test pair over plain HTTP', { baseUrl: 'http://api.example.org' }, 'baseUrl', /Use https/],
  ['a host that only looks local', { baseUrl: 'http://localhost.example.org' }, 'baseUrl', /Use https/],
  ['a secret among the keys', { companyApiKeys: [test_.apiSecret] }, 'companyApiKeys', /never a secret/],
  ['a key instead of a list', { companyApiKeys: test_.apiKey }, 'companyApiKeys', /list/],
  ['a key of production', { companyApiKeys: [production.apiKey] }, 'companyApiKeys', /cpk_test_/],
  ['no time', { timeoutMs: 0 }, 'timeoutMs', /positive/],
  ['a deadline that is not a number', { deadlineMs: NaN }, 'deadlineMs', /positive/],
  ['no attempt', { maxAttempts: 0 }, 'maxAttempts', /at least 1/],
  ['no fetch', { fetch: 'fetch' }, 'fetch', /no fetch/],
])('%s is rejected with advice', (_name, options, field, advice) => {
  const create = (): Client => new Client({ ...good, ...options });
  expect(create).toThrow(InvalidInput);
  expect(create).toThrow(advice);
  expect(create).toThrow(`${field}: `);
  // No error message may contain a secret.
  expect(create).not.toThrow(test_.apiSecret.slice(10, 30));
});

test('an inspected client shows no secret', async () => {
  const { inspect } = await import('node:util');
  const text = inspect(new Client(good), { depth: 9, showHidden: true }) + JSON.stringify(new Client(good));
  expect(text).not.toContain(test_.apiSecret.slice(10));
});
