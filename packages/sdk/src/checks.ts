import { InvalidInput } from './errors.js';
import type { Query } from './request.js';
import { transactionId } from './transaction-id.js';

/**
 * Checks of values before they are sent. Each throws InvalidInput with advice, and never shows
 * personal data.
 */

/** US dollars: at most two decimals after a dot, no sign, exponent or leading zero. */
const decimalAmount = /^(0|[1-9]\d*)(\.\d{1,2})?$/;

/** Amounts are sent as text with two decimals. */
export function checkAmount(amount: unknown): string {
  if (typeof amount !== 'string' && typeof amount !== 'number')
    throw new InvalidInput('amount', "Pass US dollars as a string such as '25.00', or as a number.");
  const text = String(amount);
  if (/^\d+\.\d{3,}$/.test(text))
    throw new InvalidInput(
      'amount',
      `${text} has more than two decimals. Round to cents and pass a string, such as ${Number(text).toFixed(2)}.`,
    );
  if (!decimalAmount.test(text))
    throw new InvalidInput(
      'amount',
      "Pass US dollars as a plain decimal such as '25' or '25.50', without a sign, an exponent, spaces or leading zeros.",
    );
  if (Number(text) === 0) throw new InvalidInput('amount', 'Pass at least 0.01.');
  const [dollars = '', cents = ''] = text.split('.');
  return `${dollars}.${cents.padEnd(2, '0')}`;
}

/** An email address. A hash may have an @, but not between a name and a domain. */
const address = /^[\w.%+'-]+@[\w-]+(\.[\w-]+)*\.[a-z]{2,}$/i;
const hasAddress = /[\w.%+'-]+@[\w-]+(\.[\w-]+)*\.[a-z]{2,}/i;

export function checkUserHash(userHash: unknown): string {
  if (typeof userHash !== 'string' || userHash === '')
    throw new InvalidInput('user_hash', "Pass the user's encrypted email address. It must not be empty.");
  if (userHash.length > 1024 || !/^[!-~]+$/.test(userHash))
    throw new InvalidInput(
      'user_hash',
      'Pass 1 to 1024 visible ASCII characters, for example Base64 without line breaks.',
    );
  if (address.test(userHash))
    throw new InvalidInput('user_hash', 'This is an email address. Encrypt it first, and pass the result.');
  return userHash;
}

/** A user_hash that may be omitted, but not be empty. */
export const checkOptionalUserHash = (userHash: unknown): string | undefined =>
  userHash === undefined ? undefined : checkUserHash(userHash);

/** An identifier of a project or story. */
export function checkId(field: string, id: unknown): number {
  const number = typeof id === 'string' && /^[1-9]\d*$/.test(id) ? Number(id) : id;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1)
    throw new InvalidInput(field, 'Pass a positive integer.');
  return number;
}

export function checkTransactionId(id: unknown): string {
  const canonical = typeof id === 'string' ? transactionId.parse(id) : undefined;
  if (canonical === undefined)
    throw new InvalidInput(
      'transaction_id',
      'The id is mistyped: it has 15 letters and digits, and the last one is a check character. Compare it with its source.',
    );
  return canonical;
}

export function checkKey(key: unknown): string {
  if (typeof key !== 'string' || !/^[ -~]{1,255}$/.test(key))
    throw new InvalidInput('key', 'Pass 1 to 255 printable ASCII characters, such as a UUID.');
  return key;
}

/** The key of a new contribution. The service keeps it, even after a user is deleted. */
export function checkNewKey(key: unknown): string {
  const checked = checkKey(key);
  if (hasAddress.test(checked))
    throw new InvalidInput(
      'key',
      'The key contains an email address. Pass a key without personal data, such as the id of the order.',
    );
  return checked;
}

/** Optional text with a maximum length. */
export function checkText(field: string, text: unknown, mostCharacters: number): string | undefined {
  if (text === undefined) return undefined;
  if (typeof text !== 'string' || Array.from(text).length > mostCharacters)
    throw new InvalidInput(field, `Pass text of at most ${mostCharacters} characters.`);
  return text;
}

/** The same for text that must not be missing. */
export function checkRequiredText(field: string, text: unknown, mostCharacters: number): string {
  const checked = checkText(field, text, mostCharacters);
  if (checked === undefined || checked.trim() === '')
    throw new InvalidInput(field, `Pass text of 1 to ${mostCharacters} characters.`);
  return checked;
}

/** An identifier that the service generated. */
export function checkUuid(field: string, id: unknown, advice = `Pass the ${field} from a response.`): string {
  if (typeof id !== 'string' || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id))
    throw new InvalidInput(field, advice);
  return id.toLowerCase();
}

/** A moment as the service writes it: UTC, ending in Z. */
export function checkTime(field: string, time: unknown): string {
  const date = time instanceof Date || typeof time === 'string' ? new Date(time) : undefined;
  if (!date || Number.isNaN(date.getTime()) || (typeof time === 'string' && !time.endsWith('Z')))
    throw new InvalidInput(field, "Pass a Date, or UTC text such as '2026-11-01T00:00:00Z'.");
  return typeof time === 'string' ? time : date.toISOString();
}

/** A filter with its times as the service reads them. */
export function withTimes<T extends object>(filter: T, ...names: (keyof T & string)[]): Query {
  const times = names.filter((name) => filter[name] !== undefined);
  return {
    ...(filter as Query),
    ...Object.fromEntries(times.map((name) => [name, checkTime(name, filter[name])])),
  };
}

export function checkDate(field: string, date: unknown): string | undefined {
  if (date === undefined) return undefined;
  if (typeof date !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(date) || Number.isNaN(Date.parse(date)))
    throw new InvalidInput(field, "Pass a date such as '2026-11-20'.");
  return date;
}
