import type { ErrorCode } from '../../shared/errors';
import type { EndpointContract } from '../contract';
import { codesOf, type ErrorCatalog } from '../errors/error-catalog';

/**
 * Error codes of every operation. `test/api/error-codes.test.ts` triggers each of them on each
 * operation.
 */
const commonErrors: readonly ErrorCode[] = [
  'malformed_http',
  'credentials_malformed',
  'credentials_invalid',
  'credentials_unverifiable',
  'company_frozen',
  'https_required',
  'scope_missing',
  'environment_not_served',
  'request_timeout',
  'rate_limited',
  'authentication_throttled',
  'headers_too_large',
  'internal_error',
  'database_unavailable',
  'database_full',
  'database_timeout',
  'overloaded',
];

/** All error codes of an operation, in the order of the catalog. */
export function errorCodesOf(contract: EndpointContract, catalog: ErrorCatalog): ErrorCode[] {
  const { params, query, headers, errors = [] } = contract;
  const body = contract.body ?? contract.upload;
  const codes = [...commonErrors, ...errors];
  if (params ?? query ?? headers ?? body) codes.push('invalid_request');
  if (body) codes.push('malformed_body', 'body_too_large', 'unsupported_media_type');
  if (contract.onlyIn) codes.push('sandbox_only');
  return codesOf(catalog).filter((code) => codes.includes(code));
}
