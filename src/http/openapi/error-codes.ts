import { type ErrorCode, errorCodes } from '../../shared/errors';
import type { EndpointContract } from '../endpoint';

/** The codes that any operation can answer. `test/api/error-codes.test.ts` provokes each of them on each operation. */
export const commonErrors: readonly ErrorCode[] = [
  'malformed_http',
  'credentials_malformed',
  'credentials_invalid',
  'https_required',
  'scope_missing',
  'environment_not_served',
  'request_timeout',
  'rate_limited',
  'authentication_throttled',
  'headers_too_large',
  'internal_error',
  'database_unavailable',
  'database_timeout',
  'overloaded',
];

/** The codes that an operation can answer: its own and those of every operation. */
export function errorCodesOf(contract: EndpointContract): ErrorCode[] {
  return errorCodes.filter((code) => commonErrors.includes(code) || contract.errors.includes(code));
}
