import { createHmac } from 'node:crypto';

import fc from 'fast-check';

import {
  currentPepperVersion,
  drawKeyPair,
  hashSecret,
  malformation,
  secretMatches,
} from '../../src/core/key-pairs/credentials';
import { environmentKinds } from '../../src/shared/scopes';
import { randomCases } from '../support/full-run';

const kind = fc.constantFrom(...environmentKinds);
const alphanumeric = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const peppers = new Map([
  [1, Buffer.from('the first pepper, which is long enough')],
  [3, Buffer.from('the third pepper, which is long enough')],
]);

describe('a generated key pair', () => {
  test.each(environmentKinds)('of %s has the documented form', (environment) => {
    const { apiKey, apiSecret } = drawKeyPair(environment);
    expect(apiKey).toMatch(new RegExp(`^cpk_${environment}_[0-9A-Za-z]{22}$`));
    expect(apiSecret).toMatch(new RegExp(`^cps_${environment}_[0-9A-Za-z]{49}$`));
  });

  test('is always well formed', () => {
    fc.assert(
      fc.property(kind, (environment) => {
        const { apiKey, apiSecret } = drawKeyPair(environment);
        expect(malformation(apiKey, apiSecret)).toBeUndefined();
      }),
    );
  });

  test('is never generated twice', () => {
    const pairs = Array.from({ length: 2_000 }, () => drawKeyPair('test'));
    expect(new Set(pairs.map(({ apiKey }) => apiKey)).size).toBe(2_000);
    expect(new Set(pairs.map(({ apiSecret }) => apiSecret.slice(0, -6))).size).toBe(2_000);
  });

  test('has a key that reveals nothing about the secret', () => {
    const { apiKey, apiSecret } = drawKeyPair('test');
    expect(apiSecret).not.toContain(apiKey.slice('cpk_test_'.length));
  });
});

describe('a mistyped secret', () => {
  const { apiKey, apiSecret } = drawKeyPair('production');
  const position = fc.integer({ min: 0, max: apiSecret.length - 1 });

  test('with any one character changed is detected', () => {
    fc.assert(
      fc.property(position, fc.constantFrom(...alphanumeric.split('')), (at, character) => {
        fc.pre(apiSecret[at] !== character);
        const changed = apiSecret.slice(0, at) + character + apiSecret.slice(at + 1);
        expect(malformation(apiKey, changed)).toBeDefined();
      }),
      { numRuns: randomCases(1_000) },
    );
  });

  test('with two neighbors exchanged is detected', () => {
    for (let at = 0; at < apiSecret.length - 1; at += 1) {
      const [one = '', other = ''] = apiSecret.slice(at, at + 2);
      if (one === other) continue;
      const changed = apiSecret.slice(0, at) + other + one + apiSecret.slice(at + 2);
      expect(malformation(apiKey, changed)).toBeDefined();
    }
  });

  test('that is truncated anywhere is detected, and the hint says so', () => {
    for (let length = 1; length < apiSecret.length; length += 1) {
      expect(malformation(apiKey, apiSecret.slice(0, length))).toMatch(/truncated or mistyped/);
    }
  });

  test.each([
    ['a trailing space', `${apiSecret} `],
    ['quotes around it', `"${apiSecret}"`],
    ['a trailing line break', `${apiSecret}\n`],
    ['another prefix', apiSecret.replace('cps_', 'sk_')],
    ['its environment in capitals', apiSecret.replace('production', 'PRODUCTION')],
    ['the other environment', apiSecret.replace('production', 'test')],
    ['itself twice', apiSecret + apiSecret],
  ])('with %s is detected', (_what, secret) => {
    expect(malformation(apiKey, secret)).toMatch(/API-Secret/);
  });
});

describe('the hint for a malformed pair', () => {
  const test_ = drawKeyPair('test');
  const production = drawKeyPair('production');

  test.each([
    ['no key', undefined, test_.apiSecret, /Missing: API-Key\./],
    ['an empty key', '', test_.apiSecret, /Missing: API-Key\./],
    ['no secret', test_.apiKey, undefined, /Missing: API-Secret\./],
    ['an empty secret', test_.apiKey, '', /Missing: API-Secret\./],
    ['neither', undefined, undefined, /Missing: API-Key, API-Secret\./],
    ['both in the wrong header', test_.apiSecret, test_.apiKey, /swapped/],
    ['a truncated key', test_.apiKey.slice(0, -1), test_.apiSecret, /API-Key is malformed/],
    ['the secret in both headers', test_.apiSecret, test_.apiSecret, /API-Key is malformed/],
    ['the key in both headers', test_.apiKey, test_.apiKey, /API-Secret/],
    [
      'a test key with a production secret',
      test_.apiKey,
      production.apiSecret,
      /API-Key is for test, but API-Secret is for production/,
    ],
    [
      'a production key with a test secret',
      production.apiKey,
      test_.apiSecret,
      /API-Key is for production, but API-Secret is for test/,
    ],
  ])('describes %s', (_what, apiKey, apiSecret, hint) => {
    expect(malformation(apiKey, apiSecret)).toMatch(hint);
  });

  test('describes any text without repeating it', () => {
    // The unit 'binary' keeps a map of all code points, which takes 80 MB.
    const unit = fc.nat(0x10_ffff).map((point) => String.fromCodePoint(point));
    const text = fc.string({ unit, minLength: 8 });
    fc.assert(
      fc.property(text, text, (apiKey, apiSecret) => {
        const hint = malformation(apiKey, apiSecret);
        expect(hint).toBeDefined();
        expect(hint).not.toContain(apiSecret);
        expect(hint).not.toContain(apiKey);
      }),
    );
  });

  test("does not detect another pair's secret, which only the database can check", () => {
    expect(malformation(test_.apiKey, drawKeyPair('test').apiSecret)).toBeUndefined();
  });
});

describe('a stored secret', () => {
  const { apiSecret } = drawKeyPair('test');

  test('is its HMAC-SHA-256 with the pepper of that version', () => {
    const expected = createHmac('sha256', 'the third pepper, which is long enough')
      .update(apiSecret)
      .digest();
    expect(hashSecret(apiSecret, peppers, 3)).toEqual(expected);
  });

  test('matches the secret with its own pepper only', () => {
    const stored = hashSecret(apiSecret, peppers, 1);
    expect(secretMatches(apiSecret, stored, peppers, 1)).toBe(true);
    expect(secretMatches(apiSecret, stored, peppers, 3)).toBe(false);
  });

  test('does not match any other secret', () => {
    const stored = hashSecret(apiSecret, peppers, 1);
    fc.assert(
      fc.property(kind, (environment) => {
        expect(secretMatches(drawKeyPair(environment).apiSecret, stored, peppers, 1)).toBe(false);
      }),
    );
  });

  test('with a missing pepper causes an error that names the version and not the secret', () => {
    expect(() => hashSecret(apiSecret, peppers, 2)).toThrow('there is no pepper with version 2');
  });

  test('of a new pair uses the highest pepper version, in any order of the setting', () => {
    expect(currentPepperVersion(peppers)).toBe(3);
    expect(currentPepperVersion(new Map([...peppers].reverse()))).toBe(3);
  });
});
