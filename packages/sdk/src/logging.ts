import { isText } from './values.js';

/** The log event of one attempt. It contains no body, query, secret or user_hash. */
export interface LogEvent {
  /** The HTTP method. */
  method: string;
  /** The path with placeholders, for example `/contributions/{transaction_id}`. */
  path: string;
  /** The number of the attempt, from 1. */
  attempt: number;
  /** The duration of the attempt, in milliseconds. */
  durationMs: number;
  /** The HTTP status. Undefined if no response arrived. */
  status: number | undefined;
  /** The error code, if the response has one. */
  code: string | undefined;
  /** The `X-Request-Id` of the attempt. Undefined if no response arrived. */
  requestId: string | undefined;
  /** The reason why no response arrived. Secrets and personal data are replaced. */
  failure: string | undefined;
  /** The delay before the next attempt, in milliseconds. Undefined if there is none. */
  retryInMs: number | undefined;
}

/**
 * Receives a log event for every attempt. An error that it throws is ignored.
 *
 * @example
 * new ContributionService({ logger: (event) => console.log(JSON.stringify(event)) });
 */
export type Logger = (event: LogEvent) => void;

/** Replaces every one of the secrets in a text. */
export function redact(text: string, secrets: readonly unknown[]): string {
  let redacted = text;
  for (const secret of secrets) {
    if (!isText(secret) || secret === '') continue;
    for (const written of [secret, encodeURIComponent(secret)]) {
      redacted = redacted.replaceAll(written, '[redacted]');
    }
  }
  return redacted;
}
