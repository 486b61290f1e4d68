import { field, type Refusal, refuse } from '../../http/request/fields';

const userHashSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 1024,
  pattern: '^[!-~]+$',
  description:
    "The user's email address, encrypted deterministically by you: 1 to 1024 visible ASCII characters. The service compares the encrypted text byte for byte and never decrypts it.",
  examples: ['q2Zk1sV0uYc9rA7dT5xNfg=='],
} as const;

/** @param ofSpace what to do about a space in the value */
const parseUserHash =
  (ofSpace: string) =>
  (value: unknown): string | Refusal => {
    if (typeof value !== 'string') return refuse('invalid_type', 'Send a string.');
    if (value.length < 1 || value.length > 1024)
      return refuse('invalid_length', 'Send 1 to 1024 characters.');
    if (value.includes(' ')) {
      return refuse('invalid_format', `The value contains a space. ${ofSpace}`);
    }
    if (!/^[\x21-\x7e]+$/.test(value)) return refuse('invalid_format', 'Send visible ASCII characters only.');
    return value;
  };

/** A required user_hash (specification 4.3, 4.5). */
export const userHash = field(userHashSchema, parseUserHash('Send visible ASCII characters only.'));

const parseInQuery = parseUserHash('In a query, "+" means a space: send "+" as %2B.');

/** An optional user_hash in a query (specification 4.4). Empty is the same as missing. */
export const optionalUserHash = field({ ...userHashSchema, minLength: 0, pattern: '^[!-~]*$' }, (value) =>
  value === '' ? undefined : parseInQuery(value),
).optional();
