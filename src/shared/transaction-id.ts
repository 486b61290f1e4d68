import { randomInt } from 'node:crypto';

/**
 * Transaction identifiers: 15 characters that fit the reference field of every US-dollar transfer.
 * These are the ACH individual identification number (15), the Fedwire reference for beneficiary
 * (16), field 20 of MT103 (16x) and the ISO 20022 EndToEndId (35).
 *
 *   4  tag of the environment (unique over the installation, the first a letter)
 *   6  seconds since 2026-01-01T00:00:00Z, so that ids of one environment sort by time
 *   4  randomness
 *   1  ISO 7064 MOD 37,36 check character
 *
 * All are Crockford base 32: digits and capital letters without I, L, O and U.
 */
const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const tagLetters = 'ABCDEFGHJKMNPQRSTVWXYZ';
const checkAlphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const epochSeconds = Date.UTC(2026, 0, 1) / 1000;
const timeSpan = 32 ** 6;
const randomSpan = 32 ** 4;

export const transactionIdLength = 15;
export const transactionIdPattern = /^[A-HJKMNP-TV-Z][0-9A-HJKMNP-TV-Z]{14}$/;

function encode(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32)) {
    text = crockford.charAt(rest % 32) + text;
  }
  return text;
}

/**
 * The ISO 7064 MOD 37,36 check character of a text of digits and capital letters.
 *
 * @throws RangeError for any other character
 */
export function checkCharacter(text: string): string {
  let product = 36;
  for (const character of text) {
    const value = checkAlphabet.indexOf(character);
    if (value < 0) throw new RangeError('only digits and capital letters have a check character');
    product = (((product + value) % 36 || 36) * 2) % 37;
  }
  return checkAlphabet.charAt((37 - product) % 36);
}

/** Whether the last character of a text with the form of an id is its check character. */
export const hasCheckCharacter = (id: string): boolean => checkCharacter(id.slice(0, -1)) === id.slice(-1);

/** Case does not matter; O is read as 0, I and L as 1. */
export const normalizeTransactionId = (text: string): string =>
  text.toUpperCase().replace(/O/g, '0').replace(/[IL]/g, '1');

/** Generates a tag for a new environment. The database ensures that it is unique. */
export function generateTransactionTag(): string {
  return tagLetters.charAt(randomInt(tagLetters.length)) + encode(randomInt(32 ** 3), 3);
}

/**
 * Composes an identifier from its parts.
 *
 * @param tag the environment's four characters
 * @param at the time to encode
 * @param number below 32 ** 4; distinguishes the identifiers of one second
 * @returns undefined if the check character would be I, L, O or U. `parseTransactionId` reads I, L
 * and O as digits and rejects U. Try an even `number` and then the next one: at least one succeeds
 */
export function composeTransactionId(tag: string, at: Date, number: number): string | undefined {
  const sinceEpoch = Math.floor(at.getTime() / 1000) - epochSeconds;
  // Never negative, even if the clock is wrong: `encode` needs a non-negative number.
  const seconds = ((sinceEpoch % timeSpan) + timeSpan) % timeSpan;
  const text = tag + encode(seconds, 6) + encode(number, 4);
  const check = checkCharacter(text);
  return crockford.includes(check) ? text + check : undefined;
}

/**
 * Generates a new identifier. Two of them within one second can be equal. The primary key rejects
 * the second, and the caller tries again.
 *
 * @param tag the environment's four characters
 * @param now the time to encode
 */
export function generateTransactionId(tag: string, now: Date): string {
  for (;;) {
    const id = composeTransactionId(tag, now, randomInt(randomSpan));
    if (id !== undefined) return id;
  }
}

export interface ParsedTransactionId {
  /** In the form that the database stores. */
  transactionId: string;
  /** Identifies the environment. */
  tag: string;
}

/**
 * Parses an identifier as banks and people type it. Spaces and hyphens do not matter.
 *
 * @returns undefined for other text, for example with a wrong check character
 */
export function parseTransactionId(text: string): ParsedTransactionId | undefined {
  const transactionId = normalizeTransactionId(text.replace(/[\s-]/g, ''));
  if (!transactionIdPattern.test(transactionId) || !hasCheckCharacter(transactionId)) return undefined;
  return { transactionId, tag: transactionId.slice(0, 4) };
}

/** The time that an identifier contains. The reverse of `composeTransactionId`. */
export function transactionIdTime(transactionId: string): Date {
  const seconds = Array.from(transactionId.slice(4, 10)).reduce(
    (total, character) => total * 32 + crockford.indexOf(character),
    0,
  );
  return new Date((epochSeconds + seconds) * 1000);
}
