/**
 * The closed list of error codes. `http/errors/error-catalog.ts` has one row for each: leaving one
 * out does not compile.
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
  'completed_by_another',
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

/**
 * One thing that is wrong with a request, with the place where it is: exactly one of the three
 * places is named.
 */
export type InputError = { code: InputErrorCode; detail: string } & (
  | { /** RFC 6901 JSON Pointer into the body. */ pointer: string }
  | { /** A path or query parameter. */ parameter: string }
  | { /** A request header. */ header: string }
);

interface ServiceErrorOptions {
  /**
   * What happened and what to do, for the caller's engineer. Never a secret, a user_hash or a name.
   */
  detail: string;
  errors?: readonly InputError[];
  /** Headers that belong to the error, such as Allow. */
  headers?: Readonly<Record<string, string>>;
  cause?: unknown;
}

/**
 * An error response that is known before any work begins, without the cost of an Error and its
 * stack.
 */
export interface Rejection {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A refusal or failure that the caller is told about. Services throw it; the error handler turns it
 * into a problem document.
 */
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

/** The same response for every invalid pair that is well formed, so that it reveals nothing. */
export function invalidCredentials(): ServiceError {
  return new ServiceError('credentials_invalid', {
    detail: 'This pair of API-Key and API-Secret is invalid.',
  });
}
