import type { EnvironmentKind } from './scopes';

/** The error codes of the core. `http/errors/error-catalog.ts` describes each of them. */
export type CoreErrorCode =
  | 'invalid_request'
  | 'malformed_body'
  | 'malformed_http'
  | 'credentials_malformed'
  | 'credentials_invalid'
  | 'credentials_unverifiable'
  | 'company_frozen'
  | 'https_required'
  | 'scope_missing'
  | 'environment_not_served'
  | 'company_suspended'
  | 'completion_reserved_for_bank'
  | 'sandbox_only'
  | 'path_not_found'
  | 'resource_not_found'
  | 'transaction_not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'completed_by_another'
  | 'amount_mismatch'
  | 'project_not_accepting'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'project_not_found'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'authentication_throttled'
  | 'headers_too_large'
  | 'internal_error'
  | 'outcome_unknown'
  | 'database_unavailable'
  | 'database_full'
  | 'database_timeout'
  | 'overloaded'
  | 'shutting_down';

/** The error codes that features add: the file with the errors of a feature extends this. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- it is extended elsewhere
export interface FeatureErrors {}

export type ErrorCode = CoreErrorCode | keyof FeatureErrors;

/** The closed list of codes for invalid input. */
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

/** One error in a request, at exactly one of three places. */
export type InputError = { code: InputErrorCode; detail: string } & (
  | { /** RFC 6901 JSON Pointer into the body. */ pointer: string }
  | { /** A path or query parameter. */ parameter: string }
  | { /** A request header. */ header: string }
);

/** Further members of the problem document, which name what the error is about. */
export const errorSubjects = {
  idempotency_key: 'Only with `idempotency_key_reused`: the key that your request repeated',
  transaction_id: 'Only with `idempotency_key_reused`: the contribution that this key created',
} as const;

export type ErrorSubject = Partial<Record<keyof typeof errorSubjects, string>>;

interface ServiceErrorOptions {
  /** The cause, and advice for the caller. Never contains a secret, a user_hash or a name. */
  detail: string;
  errors?: readonly InputError[];
  subject?: ErrorSubject;
  /** Headers that belong to the error, such as Allow. */
  headers?: Readonly<Record<string, string>>;
  cause?: unknown;
}

/**
 * An error response that is decided before any work begins. It avoids the cost of an Error's stack.
 */
export interface Rejection {
  readonly code: CoreErrorCode;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error that the caller sees. The error handler turns it into a problem document. */
export class ServiceError extends Error {
  readonly errors: readonly InputError[];
  readonly subject: ErrorSubject;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly code: ErrorCode,
    options: ServiceErrorOptions,
  ) {
    super(options.detail, { cause: options.cause });
    this.name = 'ServiceError';
    this.errors = options.errors ?? [];
    this.subject = options.subject ?? {};
    this.headers = options.headers ?? {};
  }
}

/**
 * Rejects input with all its problems.
 *
 * @param describe builds the detail from a text such as "2 problems"
 */
export function invalidRequest(
  errors: readonly InputError[],
  describe = (count: string): string => `The request has ${count}. See errors.`,
): ServiceError {
  const count = errors.length === 1 ? '1 problem' : `${errors.length} problems`;
  return new ServiceError('invalid_request', { detail: describe(count), errors });
}

const invalidCredentialsDetail = 'This pair of API-Key and API-Secret is invalid.';

/**
 * The key pair no longer belongs to this environment: it was revoked, or a reset moved it to a new
 * environment. Nothing changed. The endpoint reads the pair again, and repeats the request if the
 * pair was moved.
 */
export class OutdatedKeyPair extends ServiceError {
  constructor() {
    super('credentials_invalid', { detail: invalidCredentialsDetail });
  }
}

/** Nothing was done, because an operator has frozen the company of the key pair. */
export class CompanyFrozen extends ServiceError {
  constructor(environment: EnvironmentKind) {
    super('company_frozen', {
      detail:
        'The operator has frozen this company for a while. Nothing was done. Keep the request, and retry after Retry-After seconds until the freeze ends.',
      headers: { Environment: environment, 'Retry-After': '300' },
    });
  }
}

/** The same for every well-formed but invalid pair, so that the response reveals nothing. */
export function invalidCredentials(): ServiceError {
  return new ServiceError('credentials_invalid', {
    detail: invalidCredentialsDetail,
  });
}
