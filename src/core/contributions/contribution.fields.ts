import { z } from 'zod';

import { field, recordedField, refuse, uuidField } from '../../http/request/fields';

/** project_id in a body: an integer, or text with its digits, because form fields are text. */
export const projectIdInBody = field({ type: 'integer', minimum: 1, examples: [1] }, (value) => {
  const number = typeof value === 'string' && /^[1-9]\d{0,15}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number') return refuse('invalid_type', 'Send an integer.');
  if (!Number.isSafeInteger(number) || number < 1)
    return refuse('invalid_format', 'Send a positive integer.');
  return number;
});

/** transaction_id in a path. `parseTransactionId` defines the accepted spellings. */
export const transactionIdInPath = field(
  {
    type: 'string',
    description:
      'The transaction_id of the contribution. Case, spaces and hyphens are ignored. O is read as 0, and I and L as 1.',
    examples: ['K7Q20CR5M3V9XHG'],
  },
  (value) => (typeof value === 'string' ? value : refuse('invalid_type', 'Send a string.')),
);

/** The status that a completion asks for (specification 4.6). */
export const onlyCompleted = z.literal('completed', { error: 'Send "completed".' });

/** currency: optional, because USD is the only one. An empty one skips no check. */
export const currency = recordedField(
  { type: 'string', const: 'USD', description: 'Optional. USD is the only currency.' },
  (value) => (value === 'USD' ? value : refuse('unsupported_value', 'The only currency is USD.')),
);

/** company_id in a query. An unknown id matches nothing. */
export const companyId = uuidField('Return only contributions of this company.').optional();

const printableAscii = /^[\x20-\x7e]*$/;

/** Idempotency-Key: 1 to 255 printable ASCII characters. */
export const idempotencyKey = field(
  {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: '^[ -~]+$',
    description:
      "A unique key that you generate for each contribution, such as a UUID. The same key with the same request never creates a second contribution. Keys do not expire. Do not put personal data in a key: the service keeps it with the contribution, even after the operator deletes the user's hash and name.",
  },
  (value) => {
    if (typeof value !== 'string' || value.length < 1 || value.length > 255) {
      return refuse('invalid_length', 'Send 1 to 255 characters.');
    }
    return printableAscii.test(value)
      ? value
      : refuse('invalid_format', 'Send printable ASCII characters only.');
  },
).optional();
