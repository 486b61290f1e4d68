/**
 * The closed list of error codes. `http/error-catalog.ts` has one row for each: leaving one out does not compile.
 */
export const errorCodes = [
  'invalid_request',
  'malformed_body',
  'malformed_http',
  'credentials_malformed',
  'credentials_invalid',
  'https_required',
  'scope_missing',
  'environment_not_served',
  'company_suspended',
  'completion_reserved_for_bank',
  'path_not_found',
  'resource_not_found',
  'transaction_not_found',
  'method_not_allowed',
  'request_timeout',
  'amount_mismatch',
  'project_not_accepting',
  'body_too_large',
  'unsupported_media_type',
  'project_not_found',
  'idempotency_key_reused',
  'rate_limited',
  'authentication_throttled',
  'headers_too_large',
  'internal_error',
  'outcome_unknown',
  'database_unavailable',
  'database_timeout',
  'overloaded',
  'shutting_down',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** What can be wrong with one part of a request. A closed list too. */
export const inputErrorCodes = [
  'required',
  'invalid_type',
  'invalid_format',
  'invalid_length',
  'out_of_range',
  'unsupported_value',
  'duplicate',
  'unknown_parameter',
  'file_not_allowed',
  'not_found',
] as const;

export type InputErrorCode = (typeof inputErrorCodes)[number];

/** One thing that is wrong with a request, with the place where it is: exactly one of the three places is named. */
export type InputError = { code: InputErrorCode; detail: string } & (
  | { /** RFC 6901 JSON Pointer into the body. */ pointer: string }
  | { /** A path or query parameter. */ parameter: string }
  | { /** A request header. */ header: string }
);

interface ServiceErrorOptions {
  /** What happened and what to do, for the caller's engineer. Never a secret, a user_hash or a name. */
  detail: string;
  errors?: readonly InputError[];
  /** Headers that belong to the error, such as Allow. */
  headers?: Readonly<Record<string, string>>;
  cause?: unknown;
}

/** A refusal or failure that the caller is told about. Services throw it; the error handler turns it into a problem document. */
export class ServiceError extends Error {
  readonly errors: readonly InputError[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly code: ErrorCode,
    options: ServiceErrorOptions,
  ) {
    super(options.detail, { cause: options.cause });
    this.name = 'ServiceError';
    this.errors = options.errors ?? [];
    this.headers = options.headers ?? {};
  }
}

/** The one answer to every well-formed pair of credentials that is not good, wherever that is found out. */
export function invalidCredentials(): ServiceError {
  return new ServiceError('credentials_invalid', {
    detail: 'The pair of API-Key and API-Secret is not valid.',
  });
}
