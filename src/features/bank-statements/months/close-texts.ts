import { dayReasons, failedText, pendingText, questionTexts } from '../reporting/sentences';
import type { CloseReason } from './can-close';

/** What nobody has explained in a month. It does not keep the month open. */
export const toExplainText = (lines: number): string =>
  `${lines} ${lines === 1 ? 'entry is' : 'entries are'} not explained. This does not keep the month open, but nobody can decide about ${lines === 1 ? 'it' : 'them'} while the month is closed.`;

/** What keeps a month open, and what to do. */
export const closeTexts: Readonly<Record<CloseReason['kind'], string>> = {
  ...questionTexts,
  ...dayReasons,
  days_missing:
    'No statement covers these days. Upload their statements, or accept the gap at the next statement.',
  month_not_over: 'The month is not over.',
  upload_in_progress: 'A file is being read, and may change the month. Wait until all files are read.',
  has_work: pendingText,
  failed: failedText,
  no_statements:
    'There is no statement of the month. Upload the statements, or name the accounts that have none when you close the month.',
  lines_to_decide: 'Entries are proposed. Decide about them: the list of entries to explain has them.',
  reported_lines:
    'Entries of reports or notifications count, and a statement may have the same payments. Ignore those that one has. For the others, upload the statements of their days. If a day has a statement, decide about its entries again with `undo` and `link`.',
  decision_without_line:
    'No statement has the entries of some decisions now. GET /company/integration/reconciliation/questions lists them: take them back with `undo`.',
};
