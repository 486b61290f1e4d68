import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

import { apiKeyPattern } from '../../shared/api-key';
import type { EnvironmentKind } from '../../shared/scopes';

/**
 * The format of the credentials, which specification 5.1 and 5.2 leave open:
 *
 *   API-Key     cpk_test_<22 characters>                public identifier, 128 bits
 *   API-Secret  cps_test_<43 characters><6 characters>  256 bits and their checksum
 *
 * The prefix lets secret scanners recognize leaks and shows the environment. The checksum detects a
 * truncated secret without a lookup. It is not a security measure, because anyone can compute it.
 */
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const keyLength = 22;
const secretLength = 43;
const checksumLength = 6;
const secretForm = /^cps_(production|test)_[0-9A-Za-z]{49}$/;

export interface KeyPair {
  apiKey: string;
  apiSecret: string;
}

function encode(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text;
  return text;
}

function randomText(bytes: number, length: number): string {
  return encode(BigInt(`0x${randomBytes(bytes).toString('hex')}`), length);
}

function checksum(text: string): string {
  return encode(BigInt(crc32(text)), checksumLength);
}

/** Generates a new pair. The secret is shown to its owner once and stored only as an HMAC. */
export function drawKeyPair(kind: EnvironmentKind): KeyPair {
  const secret = `cps_${kind}_${randomText(32, secretLength)}`;
  return { apiKey: `cpk_${kind}_${randomText(16, keyLength)}`, apiSecret: secret + checksum(secret) };
}

/** @returns what is wrong with the format of a pair; undefined if it is well formed */
export function malformation(apiKey: string | undefined, apiSecret: string | undefined): string | undefined {
  const missing = [apiKey ? [] : ['API-Key'], apiSecret ? [] : ['API-Secret']].flat();
  if (!apiKey || !apiSecret) return `Send both API-Key and API-Secret. Missing: ${missing.join(', ')}.`;
  if (apiKey.startsWith('cps_') && apiSecret.startsWith('cpk_')) return 'API-Key and API-Secret are swapped.';
  const keyKind = apiKeyPattern.exec(apiKey)?.[1];
  if (!keyKind)
    return 'API-Key is malformed. A valid key is cpk_test_ or cpk_production_, followed by 22 characters.';
  const secretKind = secretForm.exec(apiSecret)?.[1];
  if (!secretKind || checksum(apiSecret.slice(0, -checksumLength)) !== apiSecret.slice(-checksumLength)) {
    return 'API-Secret is truncated or mistyped: its checksum does not match. Paste the full secret again.';
  }
  if (keyKind !== secretKind) {
    return `API-Key is for ${keyKind}, but API-Secret is for ${secretKind}. Use a key and a secret from the same pair.`;
  }
  return undefined;
}

/** The server's HMAC keys for secrets, by version. New pairs use the highest version. */
export type Peppers = ReadonlyMap<number, Buffer>;

export function currentPepperVersion(peppers: Peppers): number {
  return Math.max(...peppers.keys());
}

/**
 * HMAC-SHA-256 of a secret. A slow hash is unnecessary because nobody can guess 256 random bits,
 * and it would let clients exhaust the CPU.
 *
 * @throws Error if there is no pepper with that version
 */
export function hashSecret(apiSecret: string, peppers: Peppers, version: number): Buffer {
  const pepper = peppers.get(version);
  if (!pepper) throw new Error(`there is no pepper with version ${version}`);
  return createHmac('sha256', pepper).update(apiSecret).digest();
}

/**
 * Compares in constant time.
 *
 * @returns undefined if there is no pepper with that version
 */
export function secretMatches(
  apiSecret: string,
  stored: Buffer,
  peppers: Peppers,
  version: number,
): boolean | undefined {
  return peppers.has(version) ? timingSafeEqual(hashSecret(apiSecret, peppers, version), stored) : undefined;
}

/**
 * All peppers, the current one first. The older ones find account numbers that they have hashed.
 */
export const pepperList = (peppers: Peppers): Buffer[] => {
  const current = currentPepperVersion(peppers);
  const others = [...peppers].filter(([version]) => version !== current).map(([, pepper]) => pepper);
  return [...[peppers.get(current)].flatMap((pepper) => pepper ?? []), ...others];
};
