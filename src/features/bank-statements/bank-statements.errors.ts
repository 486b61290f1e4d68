import type { CatalogEntry } from '../../http/errors/catalog-entry';

/** The errors of bank statements. */
export const statementErrors = {
  statement_not_found: {
    status: 404,
    title: 'Statement not found',
    retryable: false,
    meaning: 'Your environment has no uploaded file with this `file_id`.',
    advice: 'Check the id and the key pair. `GET /company/integration/statements` lists your files.',
  },
  statement_options_differ: {
    status: 409,
    title: 'The file is stored with other options',
    retryable: false,
    meaning:
      'An earlier upload of the same bytes had another `account`, `direction` or `mapping`. Nothing was stored.',
    advice:
      'To read the file again, void it with `POST /company/integration/statements/{file_id}/void`. `detail` has its id. Then send it with the new options.',
  },
  statement_account_not_found: {
    status: 404,
    title: 'Account not found',
    retryable: false,
    meaning: 'Your environment has no statements of an account with this `account_id`.',
    advice:
      'Check the id and the key pair. `GET /company/integration/statement-accounts` lists your accounts.',
  },
  statement_entry_not_found: {
    status: 404,
    title: 'Entry not found',
    retryable: false,
    meaning: 'Your statements have no entry with this `entry_id`, or the file that had it was voided.',
    advice:
      'Check the id and the key pair. `GET /company/integration/statements/{file_id}/entries` lists entries.',
  },
  decision_not_applicable: {
    status: 409,
    title: 'The decision does not apply',
    retryable: false,
    meaning:
      'The entry, the day, the account or the month does not allow this. `detail` says why. Nothing was recorded.',
    advice: 'Do what `detail` says. You can record `ignore` on every entry.',
  },
  month_closed: {
    status: 409,
    title: 'The month is closed',
    retryable: false,
    meaning: 'The request would change a closed month. Nothing was recorded.',
    advice:
      'Reopen the month with `POST /company/integration/reconciliation/months/{month}/reopen`, send the request again, then close the month.',
  },
  question_changed: {
    status: 409,
    title: 'The question has changed',
    retryable: false,
    meaning:
      'The day has no question with these versions or this gap any more, for example because another file was uploaded. Nothing was recorded.',
    advice:
      'List the questions with `GET /company/integration/reconciliation/questions`, and answer those that are left.',
  },
  decision_superseded: {
    status: 409,
    title: 'A later decision replaced this one',
    retryable: false,
    meaning:
      'Your request repeats an earlier decision that a later one has replaced, or another decision was recorded while this one was completing contributions. The newest decision stays.',
    advice:
      'If the request was a late retry, do nothing. Otherwise read the decisions and the entry. To make the same decision again, send another `reason`.',
  },
  statement_unreadable: {
    status: 422,
    title: 'The statement cannot be read',
    retryable: false,
    meaning:
      'The file is incomplete, has an unsupported format, or exceeds a limit. `detail` names the problem and the line. Nothing was stored.',
    advice:
      'Download the file from your bank again and send it unchanged. If the file has several accounts, omit `account`. If it has no account number, send `account`.',
  },
} as const satisfies Readonly<Record<string, CatalogEntry>>;

declare module '../../shared/errors' {
  interface FeatureErrors extends Record<keyof typeof statementErrors, unknown> {}
}
