import { invalidRequest, ServiceError } from '../../shared/errors';
import type { AnswerOutcome } from './answers/day-answer';
import type { CompletionOutcome } from './decisions/line-decision';

type Refused<Outcome> = Exclude<Outcome, 'decided' | 'same' | 'answered'>;

/** Why a decision was not recorded, and what to do. */
export const decisionTexts: Readonly<Record<Refused<CompletionOutcome>, string>> = {
  no_line: 'Your statements have no entry with this entry_id.',
  month_closed: 'The month of the entry is closed. Reopen it first.',
  superseded:
    'A later decision replaced this one, or you have not seen the newest one. Read the entry again.',
  nothing_to_undo: 'There is no decision to undo.',
  not_booked: 'The entry is not booked or not readable. Only ignore and unlink apply to it.',
  amount_too_low:
    'The amounts of a payment are at least the amount of the entry. The difference is a charge.',
  amount_too_high:
    'The amounts of a return are at most the amount of the entry. Those of a payment are at most its amount with the stated charges, or the amounts of the contributions.',
  pays_nothing: 'This entry pays no contribution for sure. Link it first, or ignore it.',
  contribution_not_found: 'You have no contribution with this transaction_id.',
  pending: 'The lines of the day are being compared. Send the decision again.',
  too_many_completions: 'The entry pays too many contributions. Complete them with a completion file.',
  superseded_meanwhile:
    'Another decision or statement came while the contributions were completed. They stay completed: read the entry again.',
};

/** Why an answer was not recorded, and what to do. */
export const answerTexts: Readonly<Record<Refused<AnswerOutcome>, string>> = {
  no_day: 'The account has no statement of this day.',
  month_closed: 'The month of the day is closed. Reopen it first.',
  question_changed: 'The day has no such question any more. Read the day again.',
  nothing_to_undo: 'There is no answer to undo.',
};

/** Closed months and changed questions have codes of their own. */
export const refused = (outcome: string, detail: string): ServiceError =>
  new ServiceError(
    outcome === 'month_closed' || outcome === 'question_changed' ? outcome : 'decision_not_applicable',
    { detail },
  );

export const notApplicable = (detail: string): ServiceError =>
  new ServiceError('decision_not_applicable', { detail });

export const wrongMember = (pointer: string, detail: string): ServiceError =>
  invalidRequest([{ code: 'required', detail, pointer }]);
