import { assertInput } from './errors.js';
import { isText } from './values.js';

/** The environment of a key pair, which decides where a request acts. */
export type Environment = 'test' | 'production';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const checksumLength = 6;
const keyForm = /^cpk_(test|production)_[0-9A-Za-z]{22}$/;
const secretForm = /^cps_(test|production)_[0-9A-Za-z]{49}$/;

function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let index = 0; index < text.length; index += 1) {
    crc ^= text.charCodeAt(index);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** Verifies the checksum at the end of a secret, which detects a truncated paste. */
function hasChecksum(secret: string): boolean {
  let text = '';
  for (let rest = crc32(secret.slice(0, -checksumLength)); text.length < checksumLength;) {
    text = digits.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text === secret.slice(-checksumLength);
}

/** Without an expectation, only `test` is accepted: no test pays money of production. */
export function checkEnvironment(expected: unknown = 'test'): Environment {
  assertInput(
    expected === 'test' || expected === 'production',
    'expectEnvironment',
    "Pass 'test' or 'production'.",
  );
  return expected;
}

/** The name of the environment variable that replaces an option. */
export const variable = (name: string): string => `CONTRIBUTION_${name}`;

/** Advice for a missing option. */
export const orVariable = (advice: string, name: string): string =>
  `${advice} Or set the environment variable ${variable(name)}.`;

/** The environment in an API-Key; undefined if the key is malformed. */
export const environmentOfKey = (apiKey: unknown): string | undefined =>
  isText(apiKey) ? keyForm.exec(apiKey)?.[1] : undefined;

/**
 * Checks a key pair before anything is sent.
 *
 * @throws InvalidInput that says what to do, without showing the secret
 */
export function checkCredentials(apiKey: unknown, apiSecret: unknown, environment: unknown): Environment {
  const expected = checkEnvironment(environment);
  assertInput(
    isText(apiKey) && apiKey !== '',
    'apiKey',
    orVariable('Pass your API-Key, which starts with cpk_.', 'API_KEY'),
  );
  assertInput(
    isText(apiSecret) && apiSecret !== '',
    'apiSecret',
    orVariable('Pass your API-Secret, which starts with cps_.', 'API_SECRET'),
  );
  const isSecret = apiKey.startsWith('cps_');
  assertInput(
    !(isSecret && apiSecret.startsWith('cpk_')),
    'apiKey',
    'The key and the secret are swapped. Exchange apiKey and apiSecret.',
  );
  assertInput(!isSecret, 'apiKey', 'This is an API-Secret. Pass the API-Key, which starts with cpk_.');
  const keyEnvironment = environmentOfKey(apiKey);
  assertInput(
    keyEnvironment !== undefined,
    'apiKey',
    'The key is truncated or mistyped. Copy all of it: cpk_test_ or cpk_production_, and 22 characters.',
  );
  const secretEnvironment = secretForm.exec(apiSecret)?.[1];
  assertInput(
    secretEnvironment !== undefined && hasChecksum(apiSecret),
    'apiSecret',
    'The secret is truncated or mistyped. Copy all of it.',
  );
  assertInput(
    keyEnvironment === secretEnvironment,
    'apiSecret',
    `The key is for ${keyEnvironment} and the secret for ${secretEnvironment}. Use a key and a secret of one pair.`,
  );
  assertInput(
    keyEnvironment === expected,
    'expectEnvironment',
    `The key pair is for ${keyEnvironment}, but this program expects ${expected}. Use a ${expected} pair, or pass expectEnvironment: '${keyEnvironment}'.`,
  );
  return expected;
}
