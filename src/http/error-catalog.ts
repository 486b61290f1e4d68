import type { ErrorCode } from '../shared/errors';

/** What is fixed about an error code. */
export interface CatalogEntry {
  readonly status: number;
  readonly title: string;
  /** Whether the same request, sent again later without a change, may succeed. */
  readonly retryable: boolean;
  /** What it means and what to do, for the error catalogue of the documentation. */
  readonly meaning: string;
}

/** The one table from code to everything else. A code without a row does not compile. */
export const errorCatalog: Readonly<Record<ErrorCode, CatalogEntry>> = {
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    retryable: false,
    meaning:
      'One or more parts of the request are missing or wrong. "errors" names all of them: correct them and send again.',
  },
  malformed_body: {
    status: 400,
    title: 'The body cannot be read',
    retryable: false,
    meaning: 'The body is not what its Content-Type says, or it is not one JSON object. Correct the body.',
  },
  malformed_http: {
    status: 400,
    title: 'The request is not valid HTTP',
    retryable: false,
    meaning:
      'The request could not be parsed as HTTP/1.1, or its path has a broken percent-encoding. Correct the client.',
  },
  credentials_malformed: {
    status: 401,
    title: 'The credentials are missing or malformed',
    retryable: false,
    meaning:
      'API-Key or API-Secret is missing, cut off, not of the form that this service issues, or the two are of different kinds. The detail says which.',
  },
  credentials_invalid: {
    status: 401,
    title: 'The credentials are not valid',
    retryable: false,
    meaning:
      'The pair is unknown, revoked or expired, or the secret is wrong; the answer does not say which. Check the pair, or ask for a new one.',
  },
  https_required: {
    status: 403,
    title: 'HTTPS is required',
    retryable: false,
    meaning:
      'The request came without TLS, so its secret has travelled in the clear. Use https and have the pair replaced.',
  },
  scope_missing: {
    status: 403,
    title: 'This key pair may not do that',
    retryable: false,
    meaning: 'The key pair is a restricted one. Use a pair with the scope that the detail names.',
  },
  environment_not_served: {
    status: 403,
    title: 'This address does not serve that environment',
    retryable: false,
    meaning:
      'This instance is for the other kind of environment (test or production). Use the other address or the other pair.',
  },
  company_suspended: {
    status: 403,
    title: 'The company is suspended',
    retryable: false,
    meaning:
      'The company creates no contributions at present. What was created before can still be completed and read.',
  },
  completion_reserved_for_bank: {
    status: 403,
    title: 'The linked bank completes this contribution',
    retryable: false,
    meaning:
      'The company has a partner bank, which alone confirms that the money has moved: who creates does not confirm.',
  },
  path_not_found: {
    status: 404,
    title: 'There is nothing at this path',
    retryable: false,
    meaning: 'The path is no operation of this service. Check the spelling.',
  },
  resource_not_found: {
    status: 404,
    title: 'Not found',
    retryable: false,
    meaning: 'The project or story that the path names does not exist.',
  },
  transaction_not_found: {
    status: 404,
    title: 'There is no such transaction',
    retryable: false,
    meaning:
      'No transaction with this id is yours to see. Check the id, and that the pair is of the right environment.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The path does not have this method',
    retryable: false,
    meaning: 'The path exists with other methods: see the Allow header.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    retryable: true,
    meaning:
      'The headers or the body did not arrive in time and nothing was done. Send again on a better connection.',
  },
  amount_mismatch: {
    status: 409,
    title: "The amount is not the transaction's",
    retryable: false,
    meaning:
      'The completion names another amount than the contribution. Nothing was changed, the attempt was recorded: somebody must look, because money has moved.',
  },
  project_not_accepting: {
    status: 409,
    title: 'The project does not accept contributions',
    retryable: false,
    meaning: 'The project is archived. Offer the user another one.',
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large',
    retryable: false,
    meaning: 'The body is larger than the published limit. The operations need a few hundred bytes.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body has an unsupported media type',
    retryable: false,
    meaning:
      'Send application/json, or multipart/form-data where the operation accepts it, in UTF-8 and not compressed in another way than gzip, deflate or br.',
  },
  project_not_found: {
    status: 422,
    title: 'There is no such project',
    retryable: false,
    meaning: 'The project_id in the body names no project. Nothing was recorded.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The idempotency key belongs to another request',
    retryable: false,
    meaning:
      'The key was used before for another project, amount or user. Nothing was recorded: use a new key for a new contribution.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    retryable: true,
    meaning:
      'The environment has used up its rate for this set of scopes. Nothing was done. Send the same request again after the time in Retry-After, and slow down when RateLimit says that little is left.',
  },
  authentication_throttled: {
    status: 429,
    title: 'Too many failed authentications',
    retryable: true,
    meaning:
      'Too many requests with credentials that are not valid came from this address. Nothing was done. Correct the pair, and send again after the time in Retry-After.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    retryable: false,
    meaning: 'The request line and headers are larger than the published limit.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong here',
    retryable: false,
    meaning:
      'A fault of this service. Report the request_id. A completion, or a create with an Idempotency-Key, may be sent again safely.',
  },
  outcome_unknown: {
    status: 500,
    title: 'It is not known whether the contribution was recorded',
    retryable: false,
    meaning:
      'The create had no Idempotency-Key, so sending it again could record it twice. List the contributions of this user to see, and use an Idempotency-Key next time.',
  },
  database_unavailable: {
    status: 503,
    title: 'The service cannot reach its database',
    retryable: true,
    meaning:
      'Send the same request again after the time in Retry-After, with the same Idempotency-Key if it had one.',
  },
  database_timeout: {
    status: 503,
    title: 'The database did not finish in time',
    retryable: true,
    meaning: 'Nothing was done. Send the same request again after the time in Retry-After.',
  },
  overloaded: {
    status: 503,
    title: 'The service is busy',
    retryable: true,
    meaning: 'Nothing was done. Send the same request again after the time in Retry-After.',
  },
  shutting_down: {
    status: 503,
    title: 'This instance is shutting down',
    retryable: true,
    meaning: 'Nothing was done. Send the same request again: another instance answers.',
  },
};
