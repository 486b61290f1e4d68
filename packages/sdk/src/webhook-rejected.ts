import { ContributionError, recognize } from './errors.js';

/** Why `webhooks.verify` rejected a request. */
export type WebhookRejection =
  | 'headers_missing'
  | 'timestamp_invalid'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_mismatch'
  | 'body_parsed'
  | 'body_missing'
  | 'body_invalid'
  | 'wrong_environment';

/** The request is not a current webhook of this endpoint. The message says what to check. */
export class WebhookRejected extends ContributionError {
  override readonly name: string = 'WebhookRejected';
  /** Why, for programs. */
  readonly reason: WebhookRejection;

  constructor(reason: WebhookRejection, advice: string) {
    super(`${reason}: ${advice}`);
    this.reason = reason;
  }
}

recognize({ WebhookRejected });
