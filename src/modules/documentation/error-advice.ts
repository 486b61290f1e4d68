import type { ErrorCode, InputErrorCode } from '../../shared/errors';

/** What the error catalogue of the pages adds to a code's own row: the steps to take, and more than yes or no on retrying. */
interface Advice {
  action: string;
  /** Absent where `retryable` says it all. */
  retry?: string;
}

/** Exhaustive: a code without advice does not compile. */
export const errorAdvice: Readonly<Record<ErrorCode, Advice>> = {
  invalid_request: {
    action:
      'Read every entry of `errors`: each names the place and what is expected there. [Their codes](#input-codes) are a closed list too.',
  },
  malformed_body: {
    action:
      'Log the bytes that you send. Common causes: an empty body, an array instead of an object, a form that is labelled as JSON.',
  },
  malformed_http: {
    action:
      'It comes from the client library or a proxy rather than from your own code: look at what is sent on the wire, above all at percent-encoding and the Host header.',
  },
  credentials_malformed: {
    action:
      'Compare with what you were given: the key begins with `cpk_`, the secret with `cps_`, both with the same word behind it. Paste the secret whole: it ends in a checksum, so a cut-off one is noticed.',
  },
  credentials_invalid: {
    action:
      'Check that the pair was not rotated out. Pairs of one company do not mix: key and secret must have been issued together. If it stays, ask the operator for a new pair.',
    retry: 'No. Trying again and again with the same pair ends in `authentication_throttled`.',
  },
  https_required: {
    action:
      'Change the address to https, then have the pair revoked and issued anew: whoever could listen has seen the secret.',
    retry: 'No, not over http.',
  },
  scope_missing: {
    action:
      'The reference says which scope an operation needs. Call it from where a pair with that scope is kept, or ask the operator for one; do not put a stronger pair into an app.',
  },
  environment_not_served: {
    action: 'Look at the prefix of your key: test and production pairs may have different addresses here.',
  },
  company_suspended: {
    action: 'Stop offering contributions to users and ask the operator. Reads and completions go on working.',
    retry: 'Only after the operator has ended the suspension.',
  },
  completion_reserved_for_bank: {
    action: 'Leave completing to the bank. If it should be you, the operator must end the link.',
  },
  path_not_found: {
    action: 'Paths are case-sensitive and begin with /company/integration. Compare with the reference.',
  },
  resource_not_found: {
    action: 'Read the list again: ids come from there. A story or project that was archived is still found.',
  },
  transaction_not_found: {
    action:
      'If the detail speaks of the check character, the id was mistyped. Otherwise it is of the other environment, of another company, or, for a bank, of a company that it is not linked to: all of these look the same.',
  },
  method_not_allowed: { action: 'Send one of the methods in `Allow`.' },
  request_timeout: {
    action: 'Look at the connection, and at whether the body is as long as Content-Length says.',
    retry: 'Yes: the same request, after a second or so. There is no `Retry-After`.',
  },
  amount_mismatch: {
    action:
      'Stop and have somebody compare the transfer with the contribution. Agree with the company and the operator; do not make it pass by leaving `amount` out.',
  },
  project_not_accepting: {
    action: 'Nothing was recorded. Read the list of projects again: it holds active ones only.',
  },
  body_too_large: {
    action: 'Send only the documented fields. The limit is on [the page of limits](limits.md).',
  },
  unsupported_media_type: {
    action: 'Set `Content-Type` to one that the reference names for the operation.',
  },
  project_not_found: { action: 'Use a `project_id` from the list of projects.' },
  idempotency_key_reused: {
    action:
      'A key stands for one contribution. If this is a new one, draw a new key; if it is a retry, send what you sent the first time: the same project, amount and user.',
  },
  rate_limited: {
    action:
      'Spread requests out; look for a loop. The rate is on [the page of limits](limits.md#rates). If your ordinary work needs more, ask the operator for another rate.',
  },
  authentication_throttled: {
    action:
      'Stop what sends the wrong pair, and find out which of your programs still has an old one. A pair that was in use just before is not affected.',
    retry: 'Only with a pair that is valid, after the seconds in `Retry-After`.',
  },
  headers_too_large: {
    action: 'Look for a cookie or a query that grew. The limit is on [the page of limits](limits.md).',
  },
  internal_error: {
    action: 'Report the `request_id`. Until you hear back, treat the outcome of a write as unknown.',
    retry:
      'A read, a completion, a story view and a create with an `Idempotency-Key`: once. A create without one: look it up first.',
  },
  outcome_unknown: {
    action:
      'List the contributions of this user since your attempt, and create again only if it is not there. With an `Idempotency-Key` this code does not occur.',
    retry: 'No: it could record the contribution twice.',
  },
  database_unavailable: { action: 'Wait, and tell the operator if it lasts.' },
  database_timeout: { action: 'Wait. If one request gets it again and again, report it.' },
  overloaded: { action: 'Send fewer requests at a time.' },
  shutting_down: {
    action: 'Open a new connection: the load balancer leads it elsewhere.',
  },
};

/** What an entry of `errors` says. Exhaustive as well. */
export const inputErrorMeanings: Readonly<Record<InputErrorCode, string>> = {
  required: 'It is missing. Send it.',
  invalid_type: 'It has another JSON type than expected, such as a number where a string belongs.',
  invalid_format: 'The type is right, but not what is written in it. The detail says which form is expected.',
  invalid_length: 'It is empty, or longer than allowed.',
  out_of_range: 'It is a number or amount outside the allowed bounds, which the detail names.',
  unsupported_value: 'It is none of the values that are accepted here.',
  duplicate: 'It was sent more than once, and it is not said which one would count. Send it once.',
  unknown_parameter:
    'The operation does not know this parameter. Only the list of contributions refuses that, because a mistyped filter would show more than was asked for.',
  file_not_allowed: 'A form may hold text fields only, and this one is a file.',
  not_found: 'It names something that does not exist.',
};
