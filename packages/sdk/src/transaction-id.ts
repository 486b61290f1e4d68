import { assertInput } from './errors.js';
import { isText } from './values.js';

/** The length of every `transaction_id`. It fits the shortest reference field, which is in ACH. */
export const transactionIdLength = 15;

const form = /^[A-HJKMNP-TV-Z][0-9A-HJKMNP-TV-Z]{14}$/;

/** The ISO 7064 MOD 37,36 check character of digits and capital letters. */
function checkCharacter(text: string): string {
  let product = 36;
  for (const character of text) {
    product = (((product + parseInt(character, 36)) % 36 || 36) * 2) % 37;
  }
  return ((37 - product) % 36).toString(36).toUpperCase();
}

/**
 * Reads a `transaction_id` as banks and people write it. Case, spaces and hyphens are ignored; O is
 * read as 0, I and L as 1.
 *
 * @param text the id as a person or a bank wrote it
 * @returns the canonical form, or undefined if the text is not an id or is mistyped
 * @throws InvalidInput for anything but text
 * @example
 * transactionId.parse('k7q2-0cr5-m3v9-xhg'); // 'K7Q20CR5M3V9XHG'
 */
function parse(text: string): string | undefined {
  assertInput(isText(text), 'transaction_id', `Pass it as text; you passed ${typeof text}.`);
  const id = text.replace(/[\s-]/g, '').toUpperCase().replace(/O/g, '0').replace(/[IL]/g, '1');
  if (!form.test(id)) return undefined;
  return checkCharacter(id.slice(0, -1)) === id.slice(-1) ? id : undefined;
}

/**
 * Whether the text is a `transaction_id` in its canonical form, with the right check character.
 *
 * @param text the id to check
 * @example
 * transactionId.isValid('K7Q20CR5M3V9XHG'); // true
 */
function isValid(text: string): boolean {
  return isText(text) && parse(text) === text;
}

/** Parses and checks transaction ids without a request. */
export const transactionId: {
  parse: (text: string) => string | undefined;
  isValid: (text: string) => boolean;
} = { parse, isValid };
