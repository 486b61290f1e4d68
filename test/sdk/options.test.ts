import { ContributionService, InvalidInput } from '../../packages/sdk/src/index.js';
import { drawKeyPair } from '../../src/core/key-pairs/credentials';
import { fakeFetch } from './fake-service';

const test_ = drawKeyPair('test');
const production = drawKeyPair('production');
const good = {
  ...test_,
  apiUrl: 'https://api.example.org/company/integration',
  expectEnvironment: 'test' as const,
};

test.each([
  ['http://localhost:3000/company/integration', 'http://localhost:3000/company/integration/'],
  ['http://127.0.0.1:3000/company/integration', 'http://127.0.0.1:3000/company/integration/'],
  ['http://[::1]:3000/company/integration', 'http://[::1]:3000/company/integration/'],
  ['https://api.example.org/company/integration/', 'https://api.example.org/company/integration/'],
  ['https://example.org/donations/company/integration', 'https://example.org/donations/company/integration/'],
])('the address %s leads to %s', async (apiUrl, start) => {
  const { fetch, sent } = fakeFetch({ status: 200, body: { data: [] } });
  await new ContributionService({ ...good, apiUrl, fetch }).projectsStories.list();
  expect(sent[0]!.url).toBe(`${start}projects-stories`);
});

describe('environment variables', () => {
  const names = ['CONTRIBUTION_API_URL', 'CONTRIBUTION_API_KEY', 'CONTRIBUTION_API_SECRET'] as const;
  const before = names.map((name) => process.env[name]);
  const restore = (values: (string | undefined)[]): void => {
    names.forEach((name, index) => {
      const value = values[index];
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    });
  };
  afterEach(() => {
    restore(before);
  });

  test('replace the options, and an option wins', async () => {
    restore([good.apiUrl, test_.apiKey, test_.apiSecret]);
    const { fetch, sent } = fakeFetch({ status: 200, body: { data: [] } });
    await new ContributionService({ fetch }).projectsStories.list();
    await new ContributionService({
      fetch,
      apiUrl: 'https://b.example/company/integration',
    }).projectsStories.list();
    expect(sent.map(({ url }) => new URL(url).host)).toEqual(['api.example.org', 'b.example']);
    expect(sent[0]!.headers).toMatchObject({ 'API-Key': test_.apiKey, 'API-Secret': test_.apiSecret });
    expect(new ContributionService().environment).toBe('test');
  });

  test('of a production pair need an explicit expectEnvironment', () => {
    restore([good.apiUrl, production.apiKey, production.apiSecret]);
    expect(() => new ContributionService()).toThrow("pass expectEnvironment: 'production'");
    expect(new ContributionService({ expectEnvironment: 'production' }).environment).toBe('production');
  });

  test('that are missing are named, one after the other', () => {
    restore([undefined, undefined, undefined]);
    expect(() => new ContributionService()).toThrow(/apiKey: .* CONTRIBUTION_API_KEY\./);
    process.env['CONTRIBUTION_API_KEY'] = test_.apiKey;
    expect(() => new ContributionService()).toThrow(/apiSecret: .* CONTRIBUTION_API_SECRET\./);
    process.env['CONTRIBUTION_API_SECRET'] = test_.apiSecret;
    expect(() => new ContributionService()).toThrow(/apiUrl: .* CONTRIBUTION_API_URL\./);
  });
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
    /pair is for production, but this program expects test/,
  ],
  ['an unknown environment', { expectEnvironment: 'live' }, 'expectEnvironment', /'test' or 'production'/],
  ['no address', { apiUrl: '' }, 'apiUrl', /Pass the address/],
  ['an address of another protocol', { apiUrl: 'ftp://example.org' }, 'apiUrl', /Pass the address/],
  ['an address with a query', { apiUrl: 'https://example.org?a=1' }, 'apiUrl', /no query/],
  [
    'production without https',
    { ...production, expectEnvironment: 'production', apiUrl: 'http://api.example.org' },
    'apiUrl',
    /Use https/,
  ],
  ['a test pair over plain HTTP', { apiUrl: 'http://api.example.org' }, 'apiUrl', /Use https/],
  ['a host that only looks local', { apiUrl: 'http://localhost.example.org' }, 'apiUrl', /Use https/],
  [
    'an address without the path',
    { apiUrl: 'https://api.example.org/' },
    'apiUrl',
    /Pass 'https:\/\/api\.example\.org\/company\/integration'/,
  ],
  [
    'an address with another path',
    { apiUrl: 'https://api.example.org/v1/' },
    'apiUrl',
    /Pass 'https:\/\/api\.example\.org\/v1\/company\/integration'/,
  ],
  ['a secret among the keys', { companyApiKeys: [test_.apiSecret] }, 'companyApiKeys', /never a secret/],
  ['a key instead of a list', { companyApiKeys: test_.apiKey }, 'companyApiKeys', /list/],
  ['a key of production', { companyApiKeys: [production.apiKey] }, 'companyApiKeys', /cpk_test_/],
  ['no time', { timeoutMs: 0 }, 'timeoutMs', /positive/],
  ['a deadline that is not a number', { deadlineMs: NaN }, 'deadlineMs', /positive/],
  ['no attempt', { maxAttempts: 0 }, 'maxAttempts', /at least 1/],
  ['no fetch', { fetch: 'fetch' }, 'fetch', /no fetch/],
])('%s is rejected with advice', (_name, options, field, advice) => {
  const create = (): ContributionService => new ContributionService({ ...good, ...options });
  expect(create).toThrow(InvalidInput);
  expect(create).toThrow(advice);
  expect(create).toThrow(`${field}: `);
  // No error message may contain a secret.
  expect(create).not.toThrow(test_.apiSecret.slice(10, 30));
});

test('an inspected client shows no secret', async () => {
  const { inspect } = await import('node:util');
  const text =
    inspect(new ContributionService(good), { depth: 9, showHidden: true }) +
    JSON.stringify(new ContributionService(good));
  expect(text).not.toContain(test_.apiSecret.slice(10));
});
