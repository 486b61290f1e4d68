import {
  currentSecret,
  signedHeaders,
  signingSecrets,
} from '../../src/features/webhooks/endpoints/webhook-secrets';

const key = (letter: string): Buffer => Buffer.from(letter.repeat(32));
const until = new Date('2026-11-30T00:00:00Z');
const rotated = {
  endpointId: '0190a1b2-0000-7000-8000-000000000001',
  secretVersion: 2,
  keyVersion: 2,
  previousKeyVersion: 1,
  previousSecretUntil: until,
};
const before = new Date('2026-11-29T00:00:00Z');
const signaturesWith = (versions: [number, Buffer][], now: Date): string[] =>
  signedHeaders(signingSecrets(new Map(versions), rotated, now), 'id', 1, '{}')['webhook-signature']!.split(
    ' ',
  );

test('both secrets sign while they overlap, and only the current one afterwards', () => {
  const keys: [number, Buffer][] = [
    [1, key('a')],
    [2, key('b')],
  ];
  const overlapping = signaturesWith(keys, before);
  expect(new Set(overlapping).size).toBe(2);
  expect(signaturesWith(keys, until)).toEqual(overlapping.slice(0, 1));
});

test('without the master key of the previous secret, only the current one signs', () => {
  const both = signaturesWith(
    [
      [1, key('a')],
      [2, key('b')],
    ],
    before,
  );
  expect(signaturesWith([[2, key('b')]], before)).toEqual(both.slice(0, 1));
});

test('without the master key of the current secret, nothing signs', () => {
  const keys = new Map([[1, key('a')]]);
  expect(() => signingSecrets(keys, rotated, before)).toThrow('WEBHOOK_SECRET_KEYS has no version 2');
  expect(() => currentSecret(keys, rotated)).toThrow('WEBHOOK_SECRET_KEYS has no version 2');
});
