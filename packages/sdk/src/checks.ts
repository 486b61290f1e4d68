import { assertInput } from './errors.js';
import { transactionId } from './transaction-id.js';
import { isText } from './values.js';

/**
 * Checks values before they are sent. Each check throws InvalidInput with advice, and never shows
 * personal data.
 */

/** US dollars: at most two decimals after a dot, no sign, exponent or leading zero. */
const decimalAmount = /^(0|[1-9]\d*)(\.\d{1,2})?$/;

/** Amounts are sent as text with two decimals. */
export function checkAmount(amount: unknown): string {
  const field = 'amount';
  const text = isText(amount) || typeof amount === 'number' ? `${amount}` : '';
  assertInput(
    !/^\d+\.\d{3,}$/.test(text),
    field,
    `${text} has more than two decimals. Round to cents and pass a string, such as ${Number(text).toFixed(2)}.`,
  );
  assertInput(
    decimalAmount.test(text),
    field,
    "Pass US dollars as a number or a plain decimal such as '25.00', without sign, exponent, spaces or leading zeros.",
  );
  assertInput(Number(text) > 0, field, 'Pass at least 0.01.');
  const [dollars = '', cents = ''] = text.split('.');
  return `${dollars}.${cents.padEnd(2, '0')}`;
}

/** Matches an email address. A hash may contain an @, but not between a name and a domain. */
const address = /[\w.%+'-]+@[\w-]+(\.[\w-]+)*\.[a-z]{2,}/i;

export function checkUserHash(userHash: unknown): string {
  const field = 'user_hash';
  assertInput(
    isText(userHash) && /^[!-~]{1,1024}$/.test(userHash),
    field,
    "Pass the user's encrypted email address: 1 to 1024 visible ASCII characters, such as Base64 on one line.",
  );
  assertInput(
    address.exec(userHash)?.[0] !== userHash,
    field,
    'This is an email address. Encrypt it, and pass the result.',
  );
  return userHash;
}

/** Checks the identifier of a project or story. */
export function checkId(field: string, id: unknown): number {
  const number = isText(id) && /^[1-9]\d*$/.test(id) ? Number(id) : id;
  assertInput(Number.isSafeInteger(number) && (number as number) > 0, field, 'Pass a positive integer.');
  return number as number;
}

export function checkTransactionId(id: unknown): string {
  // Throws for anything but text.
  const canonical = transactionId.parse(id as string);
  assertInput(
    canonical !== undefined,
    'transaction_id',
    'The id is mistyped. Compare its 15 letters and digits with their source.',
  );
  return canonical;
}

/** Checks an identifier that the service generated. */
export function checkUuid(field: string, id: unknown): string {
  assertInput(
    isText(id) && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id),
    field,
    'Pass an id from a response of the service.',
  );
  return id.toLowerCase();
}

/** Checks the value of a placeholder in a path. */
export function checkPathId(name: string, id: unknown): string | number {
  if (name === 'transaction_id') return checkTransactionId(id);
  if (name === 'day' || name === 'month') {
    const example = name === 'day' ? '2026-11-30' : '2026-11';
    assertInput(
      isText(id) && /^[\d-]+$/.test(id) && id.length === example.length,
      name,
      `Pass a ${name}, such as ${example}.`,
    );
    return id;
  }
  return name === 'project_id' || name === 'story_id' ? checkId(name, id) : checkUuid(name, id);
}

export function checkKey(key: unknown): string {
  assertInput(
    isText(key) && /^[ -~]{1,255}$/.test(key),
    'idempotencyKey',
    'Pass 1 to 255 printable ASCII characters, such as a UUID.',
  );
  return key;
}

/**
 * Checks the key of a new contribution. The service keeps it even after a user is deleted, so it
 * must not contain an email address.
 */
export function checkNewKey(key: unknown): string {
  const checked = checkKey(key);
  assertInput(
    !address.test(checked),
    'idempotencyKey',
    'The key contains an email address. Pass a key without personal data, such as an order id.',
  );
  return checked;
}

/** Checks optional text with a maximum length. */
export function checkText(field: string, text: unknown, mostCharacters: number): string | undefined {
  if (text === undefined) return undefined;
  assertInput(
    isText(text) && Array.from(text).length <= mostCharacters,
    field,
    `Pass text of 1 to ${mostCharacters} characters.`,
  );
  return text;
}

/** Checks text that must not be blank. */
export function checkRequiredText(field: string, text: unknown, mostCharacters: number): void {
  checkText(field, isText(text) && text.trim() ? text : null, mostCharacters);
}

/** Checks a time in the format of the service: UTC, ending in Z. */
export function checkTime(field: string, time: unknown): string {
  const date = new Date(isText(time) || time instanceof Date ? time : NaN);
  assertInput(
    !Number.isNaN(date.getTime()) && (!isText(time) || time.endsWith('Z')),
    field,
    "Pass a Date, or UTC text such as '2026-11-01T00:00:00Z'.",
  );
  return isText(time) ? time : date.toISOString();
}

/** A transfer of money, in the values of the caller. */
interface Transfer {
  amount?: unknown;
  bank_reference?: unknown;
  value_date?: unknown;
}

/** Checks the given members of a transfer, and formats its amount with two decimals. */
export function checkTransfer<T extends Transfer>(transfer: T): T {
  const { amount, bank_reference: reference, value_date: date } = transfer;
  checkText('bank_reference', reference, 140);
  assertInput(
    date === undefined || (isText(date) && /^\d{4}-\d\d-\d\d$/.test(date) && !Number.isNaN(Date.parse(date))),
    'value_date',
    "Pass a date such as '2026-11-20'.",
  );
  return amount === undefined ? transfer : { ...transfer, amount: checkAmount(amount) };
}
