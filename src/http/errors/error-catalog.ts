import type { CoreErrorCode, ErrorCode } from '../../shared/errors';
import { availabilityErrorCatalog } from './availability-error-catalog';
import type { CatalogEntry } from './catalog-entry';

/** The errors of the core. The compiler reports a code without an entry. */
export const coreErrors: Readonly<Record<CoreErrorCode, CatalogEntry>> = {
  invalid_request: {
    status: 400,
    title: 'The request is invalid',
    retryable: false,
    meaning: 'One or more parts of the request are missing or invalid. `errors` lists up to 50 of them.',
    advice:
      'Correct every part that `errors` lists. Each entry states the location, [a code](#input-codes) and what to send.',
  },
  malformed_body: {
    status: 400,
    title: 'The body cannot be parsed',
    retryable: false,
    meaning:
      'The body does not match its `Content-Type`, or is not a single JSON object with at most 32 levels.',
    advice:
      'Log the bytes that you send. Common causes are an empty body, an array instead of an object, and a form sent as JSON.',
  },
  malformed_http: {
    status: 400,
    title: 'The request is not valid HTTP',
    retryable: false,
    meaning: 'The request is not valid HTTP/1.1, or its path contains an invalid percent-encoding.',
    advice:
      'Inspect the bytes on the wire. The cause is usually a client library or a proxy: check percent-encoding and the `Host` header.',
  },
  credentials_malformed: {
    status: 401,
    title: 'The credentials are missing or malformed',
    retryable: false,
    meaning:
      '`API-Key` or `API-Secret` is missing, truncated or malformed, or the two belong to different environments. `detail` says which.',
    advice:
      'Compare both values with those you received. The key starts with `cpk_` and the secret with `cps_`, followed by the same environment. Paste the secret in full: its checksum detects truncation.',
  },
  credentials_invalid: {
    status: 401,
    title: 'The credentials are invalid',
    retryable: false,
    meaning:
      'The key pair is unknown, revoked or expired, or the secret is wrong. The response does not say which.',
    advice:
      'Check whether the pair was rotated. Use a key and a secret that were issued together. If the error persists, ask the operator for a new pair.',
    retry: 'No. Repeated attempts with an invalid pair get `authentication_throttled`.',
  },
  credentials_unverifiable: {
    status: 503,
    title: 'The key pair cannot be verified now',
    retryable: true,
    meaning: 'The service lacks the key that verifies this pair. Nothing was done.',
    advice:
      'Wait `Retry-After` seconds, then retry with the same `Idempotency-Key` if you sent one. If the error persists, tell the operator.',
  },
  https_required: {
    status: 403,
    title: 'HTTPS is required',
    retryable: false,
    meaning: 'The request arrived without TLS. Anyone on the network path could read its headers.',
    advice: 'Use https. If the request carried a secret, have the key pair revoked and replaced.',
    retry: 'Only over HTTPS.',
  },
  scope_missing: {
    status: 403,
    title: 'The key pair lacks the required scope',
    retryable: false,
    meaning: 'The key pair is restricted. `detail` names the scope that this operation requires.',
    advice:
      'Call the operation from a system that holds a pair with that scope, or ask the operator for one. Do not put a more powerful pair into an app. The API reference lists the scope of each operation.',
  },
  environment_not_served: {
    status: 403,
    title: 'This host does not serve your environment',
    retryable: false,
    meaning: 'The key pair belongs to an environment, test or production, that this host does not serve.',
    advice: 'Check the prefix of your key. Use the host for that environment, or a pair for this one.',
  },
  company_suspended: {
    status: 403,
    title: 'The company is suspended',
    retryable: false,
    meaning:
      'The company is suspended and cannot create contributions. It can still read data, and existing contributions can still be completed.',
    advice: 'Stop offering contributions to users, and contact the operator.',
    retry: 'Only after the operator lifts the suspension.',
  },
  completion_reserved_for_bank: {
    status: 403,
    title: 'Only the linked bank can complete this contribution',
    retryable: false,
    meaning: 'A partner bank completes this contribution. Your company cannot.',
    advice:
      'Wait until the bank completes the contribution. After a link ends, the bank still completes the contributions that were created during the link.',
  },
  sandbox_only: {
    status: 403,
    title: 'The operation works only in the test environment',
    retryable: false,
    meaning: 'Production key pairs cannot use [the sandbox](sandbox.md). No changes were made.',
    advice: 'Use a key pair of the test environment.',
  },
  path_not_found: {
    status: 404,
    title: 'Path not found',
    retryable: false,
    meaning: 'No operation has this path.',
    advice:
      'Check the spelling: paths are case-sensitive, and those of operations start with `/company/integration`. The documentation at `/docs` lists them all.',
  },
  resource_not_found: {
    status: 404,
    title: 'Resource not found',
    retryable: false,
    meaning: 'The project or story in the path does not exist.',
    advice: 'Use an id from the current list. Archived projects and stories are still found.',
  },
  transaction_not_found: {
    status: 404,
    title: 'Transaction not found',
    retryable: false,
    meaning:
      'No transaction with this id is visible to your key pair. The response is the same for an id that does not exist, an id of the other environment, and an id that you cannot see.',
    advice:
      'If `detail` mentions the check character, correct the typo. Otherwise check the id and the environment of your key pair. If you are a bank, your link to the company may have ended, or the contribution was completed before the link started: ask the operator.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    retryable: false,
    meaning: 'The path exists, but does not support this method.',
    advice: 'Use one of the methods in `Allow`.',
  },
  request_timeout: {
    status: 408,
    title: 'The request timed out',
    retryable: true,
    meaning: 'The headers or the body did not arrive in time. No changes were made.',
    advice:
      'Retry after a second. Check your connection, and that the body has the length in `Content-Length`.',
    retry: 'Yes. Send the same request after about a second. The response has no `Retry-After`.',
  },
  completed_by_another: {
    status: 409,
    title: 'Another party completed this contribution',
    retryable: false,
    meaning:
      'Another bank, or the company itself, completed the contribution. Nothing changed, and the service recorded your attempt. The money may have been transferred twice.',
    advice:
      'Stop, and check whether you transferred money for this contribution. If you did, agree with the company and the operator on who returns it.',
    retry: 'No. A retry never succeeds, and records another attempt.',
  },
  amount_mismatch: {
    status: 409,
    title: 'The amount does not match the transaction',
    retryable: false,
    meaning:
      'The completion states a different amount than the contribution. Nothing changed, and the service recorded your attempt.',
    advice:
      'Stop, and compare the transfer with the contribution. Agree with the company and the operator on what to do. Do not omit `amount` to bypass this check.',
  },
  project_not_accepting: {
    status: 409,
    title: 'The project does not accept contributions',
    retryable: false,
    meaning: 'The project is archived. Nothing was recorded.',
    advice: 'List the projects again and offer the user another one. The list contains active projects only.',
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large',
    retryable: false,
    meaning:
      'The body exceeds [the published limit](limits.md), or a file has too many lines. A normal request needs a few hundred bytes.',
    advice: 'Send only the documented fields.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    retryable: false,
    meaning: 'The operation does not accept this media type, character set or compression.',
    advice:
      'Send a media type that [the reference](/docs/reference) lists for the operation, such as `application/json`. Encode the body in UTF-8, optionally compressed with gzip or deflate.',
  },
  project_not_found: {
    status: 422,
    title: 'Project not found',
    retryable: false,
    meaning: 'The `project_id` in the body does not exist. Nothing was recorded.',
    advice: 'Use a `project_id` from the list of projects.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The idempotency key was used for a different request',
    retryable: false,
    meaning:
      'An earlier request used this key with another project, amount or user. Nothing was recorded. `transaction_id` names the contribution of the earlier request.',
    advice:
      'For a new contribution, generate a new key. For a retry, send the original project, amount and user.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    retryable: true,
    meaning:
      'Your environment exceeded the [rate limit](limits.md#rates) for this set of scopes, or [a limit of requested webhooks](events.md#limits-of-requested-webhooks). No changes were made.',
    advice:
      'Wait `Retry-After` seconds, then retry. Check for a loop, spread requests out, and slow down when `RateLimit` is low. If your normal traffic needs a higher limit, ask the operator.',
  },
  authentication_throttled: {
    status: 429,
    title: 'Too many failed authentications',
    retryable: true,
    meaning:
      'Your address sent too many requests with invalid credentials. No changes were made. Valid key pairs still work, but a new pair may be rejected for about a minute.',
    advice: 'Find the program that uses an old key pair, and stop it or give it a valid pair.',
    retry: 'Only with a valid pair, after `Retry-After`.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    retryable: false,
    meaning: 'The request line and headers exceed [the published limit](limits.md).',
    advice: 'Remove unneeded query parameters and headers, such as `Cookie`.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    retryable: false,
    meaning: 'The service failed. A write may or may not have taken effect.',
    advice:
      'Report the `request_id`. Retry once if the request is a read, a story view, a completion, a return or a create with an `Idempotency-Key`. Before you retry a create without a key, look up the contribution.',
    retry:
      'Once, for a read, a story view, a completion, a return or a create with an `Idempotency-Key`. Look up a create without a key first.',
  },
  outcome_unknown: {
    status: 500,
    title: 'The outcome of the create is unknown',
    retryable: false,
    meaning:
      'The contribution may or may not have been recorded. The create had no `Idempotency-Key`, so a retry could record it twice.',
    advice:
      "List the user's contributions since your attempt, and create again only if this one is missing. Send an `Idempotency-Key` with every create: then this error cannot occur.",
    retry: 'No. A retry could record the contribution twice.',
  },
  ...availabilityErrorCatalog,
};

const plain = (markdown: string): string =>
  markdown.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '');

/** The default `detail` of a problem: meaning and advice as plain text. */
export const defaultDetail = (code: CoreErrorCode): string => detailOf(coreErrors[code]);

/** The meaning and the advice as plain text. */
export const detailOf = ({ meaning, advice }: CatalogEntry): string => plain(`${meaning} ${advice}`);

/** The advice of an error code as plain text. */
export const adviceOf = (code: CoreErrorCode): string => plain(coreErrors[code].advice);

/** Describes all error codes, in the order of their status. */
export type ErrorCatalog = Readonly<Record<ErrorCode, CatalogEntry>>;

/** @param ofFeatures the errors that features add */
export const createErrorCatalog = (
  ofFeatures: readonly Readonly<Record<string, CatalogEntry>>[],
): ErrorCatalog =>
  Object.fromEntries(
    [coreErrors, ...ofFeatures]
      .flatMap((errors) => Object.entries<CatalogEntry>(errors))
      .sort(([, a], [, b]) => a.status - b.status),
  ) as ErrorCatalog;

/** The codes of a catalog, in its order. */
export const codesOf = (catalog: ErrorCatalog): ErrorCode[] => Object.keys(catalog) as ErrorCode[];
