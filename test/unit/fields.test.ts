import { z } from 'zod';

import {
  cursor,
  flag,
  idInPath,
  limit,
  optionalDate,
  optionalText,
  timestamp,
} from '../../src/http/request/fields';
import { amount, optionalAmount } from '../../src/core/contributions/amount.field';
import {
  idempotencyKey,
  currency,
  projectIdInBody,
  transactionIdInPath,
} from '../../src/core/contributions/contribution.fields';
import { optionalUserHash, userHash } from '../../src/core/users/user-hash.field';

/**
 * The request fields one by one: the parsed value, or the code and text of the error.
 * test/api/create-contribution-input.test.ts and its neighbors test the routes.
 */
const limits = { minimumCents: 500n, maximumCents: 2_000n };

/** The parsed value of a field, or its code and error text. */
function read(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data };
  expect(result.error.issues).toHaveLength(1);
  const [issue] = result.error.issues;
  const code = issue?.code === 'custom' ? (issue.params?.['code'] as unknown) : issue?.code;
  return { code, detail: issue?.message };
}

const fields: Record<string, z.ZodType> = {
  amount: amount(limits),
  optionalAmount: optionalAmount(limits),
  currency,
  // As lenient as a parser may be: only text may reach the field.
  cursor: cursor((text: unknown) => (String(text) === 'known' ? ['key'] : undefined)),
  flag: flag('A flag'),
  idempotencyKey,
  idInPath: idInPath('An id'),
  limit: limit(25),
  optionalDate: optionalDate('A date'),
  optionalText: optionalText(3, 'A text'),
  optionalUserHash,
  projectIdInBody,
  timestamp: timestamp('A time'),
  transactionIdInPath,
  userHash,
};

test.each<[field: string, given: unknown, value: unknown]>([
  ['amount', '5', 500n],
  ['amount', 20, 2_000n],
  ['amount', '5.01', 501n],
  ['optionalAmount', '19.99', 1_999n],
  ['optionalAmount', undefined, undefined],
  ['currency', 'USD', 'USD'],
  ['currency', '', undefined],
  ['cursor', 'known', ['key']],
  ['cursor', undefined, undefined],
  ['flag', '1', true],
  ['flag', '0', false],
  ['flag', undefined, undefined],
  ['idempotencyKey', 'k', 'k'],
  ['idempotencyKey', ' ~'.padEnd(255, 'k'), ' ~'.padEnd(255, 'k')],
  ['idempotencyKey', undefined, undefined],
  ['idInPath', '1', '1'],
  ['idInPath', '9'.repeat(18), '9'.repeat(18)],
  ['limit', '1', 1],
  ['limit', '1000', 1_000],
  ['limit', undefined, 25],
  ['optionalDate', '2024-02-29', '2024-02-29'],
  ['optionalDate', '', undefined],
  ['optionalText', 'abc', 'abc'],
  ['optionalText', '😀😀😀', '😀😀😀'],
  ['optionalText', null, undefined],
  ['optionalUserHash', '', undefined],
  ['optionalUserHash', undefined, undefined],
  ['optionalUserHash', '!~', '!~'],
  ['projectIdInBody', 1, 1],
  ['projectIdInBody', '1234567890123456', 1_234_567_890_123_456],
  ['projectIdInBody', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ['timestamp', '2026-01-31T00:00:00Z', '2026-01-31T00:00:00Z'],
  ['timestamp', '0001-01-01T00:00:00.000001Z', '0001-01-01T00:00:00.000001Z'],
  ['timestamp', '2026-01-31T00:00:00.123456789Z', '2026-01-31T00:00:00.123456789Z'],
  ['timestamp', undefined, undefined],
  ['transactionIdInPath', 'k7q2 0cr5', 'k7q2 0cr5'],
  ['userHash', '!', '!'],
  ['userHash', '~'.repeat(1024), '~'.repeat(1024)],
])('%s parses %j as %p', (field, given, value) => {
  expect(read(fields[field]!, given)).toEqual({ value });
});

const plainDecimal =
  'Send US dollars as a plain decimal such as 25 or 25.50: at most two decimals after a dot, no sign, no exponent, no spaces.';

test.each<[field: string, given: unknown, code: string, detail: string]>([
  ['amount', undefined, 'required', 'This field is required.'],
  ['amount', true, 'invalid_type', 'Send a number or a string.'],
  ['amount', '5,00', 'invalid_format', plainDecimal],
  ['amount', 5.005, 'invalid_format', plainDecimal],
  ['amount', '4.99', 'out_of_range', 'Send an amount from 5.00 to 20.00.'],
  ['amount', '20.01', 'out_of_range', 'Send an amount from 5.00 to 20.00.'],
  ['optionalAmount', null, 'required', 'This field is empty. Send a value, or leave the field out.'],
  ['optionalAmount', '', 'required', 'This field is empty. Send a value, or leave the field out.'],
  ['amount', '', 'invalid_format', plainDecimal],
  ['amount', null, 'invalid_type', 'Send a number or a string.'],
  ['optionalAmount', '4.99', 'out_of_range', 'Send an amount from 5.00 to 20.00.'],
  ['currency', 'usd', 'unsupported_value', 'The only currency is USD.'],
  ['cursor', 'unknown', 'invalid_format', 'Send the next_cursor of the previous page, unchanged.'],
  ['cursor', ['known'], 'invalid_format', 'Send the next_cursor of the previous page, unchanged.'],
  ['flag', 'true', 'invalid_value', 'Send 0 or 1.'],
  ['idempotencyKey', '', 'invalid_length', 'Send 1 to 255 characters.'],
  ['idempotencyKey', 'k'.repeat(256), 'invalid_length', 'Send 1 to 255 characters.'],
  ['idempotencyKey', ['k'], 'invalid_length', 'Send 1 to 255 characters.'],
  ['idempotencyKey', 'k\u007f', 'invalid_format', 'Send printable ASCII characters only.'],
  ['idempotencyKey', '\u001fk', 'invalid_format', 'Send printable ASCII characters only.'],
  ['idInPath', '01', 'invalid_format', 'Send a positive integer without leading zeros.'],
  ['idInPath', '1a', 'invalid_format', 'Send a positive integer without leading zeros.'],
  ['idInPath', 'a1', 'invalid_format', 'Send a positive integer without leading zeros.'],
  ['idInPath', '9'.repeat(19), 'invalid_format', 'Send a positive integer without leading zeros.'],
  ['idInPath', 1, 'invalid_format', 'Send a positive integer without leading zeros.'],
  ['limit', '0', 'out_of_range', 'Send an integer from 1 to 1000.'],
  ['limit', '1001', 'out_of_range', 'Send an integer from 1 to 1000.'],
  ['limit', '10x', 'out_of_range', 'Send an integer from 1 to 1000.'],
  ['limit', 'x10', 'out_of_range', 'Send an integer from 1 to 1000.'],
  ['limit', ['10'], 'out_of_range', 'Send an integer from 1 to 1000.'],
  ['optionalDate', '2023-02-29', 'invalid_format', 'Send a date such as 2026-01-31.'],
  ['optionalDate', '0000-01-01', 'invalid_format', 'Send a date such as 2026-01-31.'],
  ['optionalText', 1, 'invalid_type', 'Send a string.'],
  ['optionalText', 'abcd', 'invalid_length', 'Send at most 3 characters.'],
  ['optionalText', 'a\u0000', 'invalid_format', 'Remove control characters and broken surrogate pairs.'],
  ['optionalText', '\ud800', 'invalid_format', 'Remove control characters and broken surrogate pairs.'],
  ['optionalUserHash', 'é', 'invalid_format', 'Send visible ASCII characters only.'],
  ['projectIdInBody', '01', 'invalid_type', 'Send an integer.'],
  ['projectIdInBody', '1x', 'invalid_type', 'Send an integer.'],
  ['projectIdInBody', 'x1', 'invalid_type', 'Send an integer.'],
  ['projectIdInBody', '12345678901234567', 'invalid_type', 'Send an integer.'],
  ['projectIdInBody', true, 'invalid_type', 'Send an integer.'],
  ['projectIdInBody', ['1'], 'invalid_type', 'Send an integer.'],
  ['projectIdInBody', 0, 'invalid_format', 'Send a positive integer.'],
  ['projectIdInBody', 1.5, 'invalid_format', 'Send a positive integer.'],
  ['projectIdInBody', 2 ** 53, 'invalid_format', 'Send a positive integer.'],
  [
    'timestamp',
    '2026-01-31T00:00:00+01:00',
    'invalid_format',
    'Send a UTC time such as 2026-01-31T00:00:00Z, with at most nine decimals.',
  ],
  [
    'timestamp',
    '2026-01-31T00:00:00.1234567890Z',
    'invalid_format',
    'Send a UTC time such as 2026-01-31T00:00:00Z, with at most nine decimals.',
  ],
  [
    'timestamp',
    '0000-01-31T00:00:00Z',
    'invalid_format',
    'Send a UTC time such as 2026-01-31T00:00:00Z, with at most nine decimals.',
  ],
  ['transactionIdInPath', 1, 'invalid_type', 'Send a string.'],
  ['userHash', undefined, 'required', 'This field is required.'],
  ['userHash', '', 'invalid_length', 'Send 1 to 1024 characters.'],
  ['userHash', '~'.repeat(1025), 'invalid_length', 'Send 1 to 1024 characters.'],
  ['userHash', 1, 'invalid_type', 'Send a string.'],
  ['userHash', 'a b', 'invalid_format', 'The value contains a space. Send visible ASCII characters only.'],
  ['userHash', 'é!', 'invalid_format', 'Send visible ASCII characters only.'],
  ['userHash', '!é', 'invalid_format', 'Send visible ASCII characters only.'],
  ['userHash', 'a\nb', 'invalid_format', 'Send visible ASCII characters only.'],
])('%s rejects %j with %s', (field, given, code, detail) => {
  expect(read(fields[field]!, given)).toEqual({ code, detail });
});

test('the schemas of the fields in the contract are the agreed ones', () => {
  const documented = Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [
      name,
      z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
    ]),
  );
  expect(documented).toMatchObject({
    amount: {
      type: ['string', 'number'],
      description:
        'Amount in US dollars, from 5.00 to 20.00, with at most two decimals after a dot. Send a string to avoid rounding.',
    },
    currency: { const: 'USD' },
    idempotencyKey: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
    idInPath: { type: 'string', pattern: '^[1-9][0-9]{0,17}$', description: 'An id' },
    limit: { type: 'integer', minimum: 1, maximum: 1000 },
    optionalDate: { type: 'string', format: 'date', description: 'A date' },
    optionalText: { type: 'string', maxLength: 3, description: 'A text' },
    optionalUserHash: { type: 'string', minLength: 0, maxLength: 1024, pattern: '^[!-~]*$' },
    projectIdInBody: { type: 'integer', minimum: 1 },
    timestamp: { type: 'string', format: 'date-time', description: 'A time' },
    transactionIdInPath: { type: 'string' },
    userHash: { type: 'string', minLength: 1, maxLength: 1024, pattern: '^[!-~]+$' },
  });
});
