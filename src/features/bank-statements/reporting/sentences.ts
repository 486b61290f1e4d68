import type { Position } from './positions/position.field';
import type { JudgedLine } from '../rules/counting/judge-line';
import type { CalendarDay, DayQuestion } from '../rules/days/calendar';
import type { ReportLine } from './lines/report-line';
import type { NoteKind } from './reconciliation/reconciliation-statement.fields';

/** The sentences that people read, in the API and in CSV. Each says what is so and what to do. */

/** Why a day without a question is not covered. */
export const dayReasons: Readonly<Record<NonNullable<CalendarDay['reason']>, string>> = {
  period_not_stated:
    'The file states neither its period nor balances, so lines may be missing. Upload a statement of the day that does.',
  not_ended: 'The file was made before the end of the day. Upload a later one.',
  start_unknown:
    'The bank numbers its statements, and an earlier number of the day may be missing. Upload the statement before it.',
  end_unknown: 'Another statement of the day may follow. Upload the next statement.',
};

export const questionTexts: Readonly<Record<DayQuestion['kind'] | 'decision_without_line', string>> = {
  two_versions:
    'Statements of the same days have different lines. The lines that all of them have count; the others are proposed. Choose the right statement, or count all lines once.',
  unbalanced:
    'The lines of the statement do not add up to its balances, so none of them counts. Upload the statement again, or use it anyway.',
  incomplete:
    'Pages of the statement are missing, so none of its lines counts. Upload the missing pages, or use the statement anyway.',
  changed_after_close:
    'The month is closed, and a new statement changes its lines. The lines of the closing still count. Reopen the month to use the new statement, or void its file.',
  does_not_follow:
    'The opening balance differs from the closing balance before it, or a number is missing. Upload the missing statement, void a wrong one, or accept the difference.',
  days_missing:
    'No statement covers the banking days before this one. Upload their statements, or accept that there are none.',
  decision_without_line:
    'No statement has the entry of a decision now. Take the decision back with `undo`, and decide about the entry that replaced it.',
};

/** The days without a statement, by their place among those with one. */
export const missingDayTexts = {
  none: 'No final statement of the account was uploaded yet. Upload one.',
  before: 'The day is before the first statement of the account. Upload its statement if you need the day.',
  between: 'No statement covers the day. Upload its statement, or accept the gap at the next statement.',
  after: 'No statement covers the day yet. Upload its statement as soon as your bank has made it.',
  beside_open: 'The day is no banking day. It is covered as soon as the days before and after it are.',
} as const;

export const pendingText = 'The lines of the day are being compared. Read it again later.';
export const failedText =
  'The lines of the day could not be compared. The service tries again. If this lasts, void files that others replace, or ask the operator.';

type Reason = NonNullable<JudgedLine['reason']>;

const lineReasons: Readonly<Record<Reason, string>> = {
  no_reference:
    'Its texts contain no transaction id. Link it if it pays a contribution. Otherwise ignore it.',
  wrong_check_character:
    'It contains a transaction id with a wrong check character. Find the right id, then link it.',
  not_found: 'You have no contribution with its transaction id. Check the id, then link or ignore it.',
  company_reset: 'Its contribution was in a test environment that was reset. Ignore it.',
  several_references:
    'It contains several transaction ids whose amounts do not add up to it. Split it among them.',
  possible_repeat:
    'Another line may be the same payment, and no balance shows that both are true. Upload the statement that has them, or decide.',
  settlement_differs:
    'The contributions of its reference do not add up to it. Correct the settlement list, or split it.',
  bank_charge: 'It is a charge of the bank.',
  unlinked: 'A decision says that it pays none of your contributions.',
  two_versions: 'Only one of several statements of the day has it. Answer the question of the day.',
  in_other_version:
    'Only a statement that does not count has it. Answer the question of the day, or reopen its month.',
  statement_incomplete: 'Its statement does not add up. Answer the question of the day.',
  in_closed_month:
    'A closed month counts the same payment. Ignore it, link it if it is another payment, or reopen that month.',
  in_better_statement: 'A statement of a better format has the same payment on a near day.',
  no_bank_reference:
    'It has no bank reference, so it cannot be told apart from later statements. Upload the final statement, or decide.',
};

const outcomeTexts: Readonly<Record<NonNullable<ReportLine['outcome']>, string>> = {
  matched: 'It pays the contributions.',
  returned: 'It returns money of the contributions.',
  proposed: 'It may belong to the contributions. Link it if it does.',
  unknown: 'It belongs to no contribution.',
  ignored: 'It needs no further work.',
  unreadable: 'Its amount or direction cannot be read. Compare it with the file, then ignore it.',
  other_currency: 'It is not in US dollars. Ignore it, or link it with the amount in dollars.',
  not_booked: 'The bank has not booked it. It counts when a statement shows it as booked.',
  sums_differ: 'Its parts do not add up to it. Split it among the contributions.',
};

/** What a line is, and what to do about it. */
export function explanationOf({ state, outcome, reason }: Pick<ReportLine, 'state' | 'outcome' | 'reason'>) {
  if (state === 'replaced') return 'Another statement has the line, and counts instead.';
  if (outcome === null) return pendingText;
  return reason === null ? outcomeTexts[outcome] : lineReasons[reason];
}

/** What the money of a contribution shows, and what to do. */
export const positionTexts: Readonly<Record<Position, { fact: string; advice?: string }>> = {
  completed_by_another: { fact: 'Another party completed it, so your accounts do not show its money.' },
  returned_without_credit: {
    fact: 'Money was returned, but no payment arrived.',
    advice: 'Upload the statement with the payment.',
  },
  waiting: { fact: 'It is pending, and no money arrived.' },
  completed_without_money: {
    fact: 'No money was matched to it.',
    advice:
      'First check the entries to explain up to its due day: one of them may be its payment, even without a transaction id. If none is, find the transfer. If it went back, record its return. Correct the completion only if there was no transfer.',
  },
  unconfirmed: {
    fact: 'No statement covers the days on which its money was due.',
    advice: 'Upload the missing statements.',
  },
  returned: { fact: 'Its money arrived and was returned.' },
  partially_returned: { fact: 'A part of its money was returned.' },
  short: {
    fact: 'Too little money arrived.',
    advice: 'Ask the bank about charges, or accept the difference.',
  },
  duplicate: { fact: 'It was paid in full more than once.', advice: 'Return the surplus.' },
  over: { fact: 'Too much money arrived.', advice: 'Return the surplus, or accept the difference.' },
  money_without_completion: { fact: 'Its money arrived, but it is pending.', advice: 'Complete it.' },
  matched: { fact: 'Its full amount arrived.' },
};

/** What differs if its completion was corrected. */
export const correctedTexts: Partial<typeof positionTexts> = {
  waiting: { fact: 'Its completion was corrected, and no money arrived.' },
  money_without_completion: {
    fact: 'Its money arrived, but its completion was corrected.',
    advice: 'Complete it again.',
  },
};

export const acceptedText = 'The difference was accepted.';

export const notDueText = (dueDay: string): string =>
  `Its money is not due yet: it is expected by ${dueDay}. Upload the statements of these days as soon as your bank has made them.`;

/** Why the numbers of a reconciliation are not final. */
export const noteTexts: Readonly<Record<NoteKind, (lines: number) => string>> = {
  no_balances: () => 'No statement states the balances of these days, so the terms stand alone.',
  open: () => 'These days have open questions. Answer them: the numbers may change.',
  missing: () => 'No statement covers these days. Upload their statements: money may be missing.',
  pending: () => 'The lines of these days are being compared. Read the reconciliation again later.',
  reported: (lines) =>
    `${lines} ${lines === 1 ? 'entry comes' : 'entries come'} from reports or notifications, on days without a final statement, so no balance contains them.`,
  not_exact: () => 'The terms do not add up to the balances. The notes about days say where to look.',
};
