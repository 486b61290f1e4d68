import { formatCents } from '../../../../shared/money';
import type { VersionChoice } from '../../rules/versions/day-version';
import { questionTexts } from '../sentences';
import type { ReportQuestion } from './account-calendar';
import type { CalendarAccount } from './calendar.store';
import type { ReportStatement } from './day-facts.store';
import type { DayBody, QuestionBody } from './days.fields';
import type { DaysPage, Statements } from './days.service';

export const dollarsOrNull = (cents: bigint | null): string | null =>
  cents === null ? null : formatCents(cents);

export const presentAccountName = ({ accountId, ending, name }: CalendarAccount) => ({
  ...{ account_id: accountId, account_ending: ending, account_name: name },
});

const presentStatement = ({ is_final: isFinal, ...rest }: ReportStatement) => ({
  file_id: rest.file_id,
  statement_id: rest.statement_id,
  format: rest.format,
  kind: isFinal ? ('final' as const) : ('report' as const),
  bank_statement_id: rest.bank_statement_id,
  number: rest.number,
  made_at: rest.made_at,
});

const presentChoice = (choice: VersionChoice, chosen: string | null, statements: Statements) => ({
  version: choice.version,
  is_chosen: choice.version === chosen,
  statements: choice.statementIds.flatMap((id) => {
    const found = statements.get(id);
    return found ? [presentStatement(found)] : [];
  }),
  entries: choice.lines,
  opening_balance: dollarsOrNull(choice.openingCents),
  closing_balance: dollarsOrNull(choice.closingCents),
  change: formatCents(choice.changeCents),
});

const isGap = ({ kind }: ReportQuestion): boolean => kind === 'does_not_follow' || kind === 'days_missing';

export const presentQuestion = (
  question: ReportQuestion,
  account: CalendarAccount,
  statements: Statements,
): QuestionBody => ({
  ...presentAccountName(account),
  from: question.from,
  to: question.to,
  kind: question.kind,
  text: questionTexts[question.kind],
  choices: question.choices.map((choice) => presentChoice(choice, question.chosen, statements)),
  versions: [...question.versions],
  entry_id: question.entryId,
  gap: question.between === '' ? null : question.between,
  closing_before: isGap(question) ? dollarsOrNull(question.closingBeforeCents) : null,
  opening_after: isGap(question) ? dollarsOrNull(question.openingCents) : null,
});

export const presentDays = (account: CalendarAccount, { days, statements }: DaysPage): DayBody[] =>
  days.map(({ sums, sources, changedAt, ...one }) => {
    const used = new Set(one.statementIds);
    return {
      ...presentAccountName(account),
      day: one.day,
      state: one.state,
      reason: one.reason,
      opening_balance: dollarsOrNull(one.openingCents),
      closing_balance: dollarsOrNull(one.closingCents),
      change: dollarsOrNull(one.changeCents),
      counted_amount: formatCents(BigInt(sums?.counted_cents ?? 0)),
      counted_entries: sums?.counted_entries ?? 0,
      proposed_amount: formatCents(BigInt(sums?.proposed_cents ?? 0)),
      proposed_entries: sums?.proposed_entries ?? 0,
      is_pending: one.isPending,
      changed_at: changedAt?.toISOString() ?? null,
      statements: sources.map((source) => ({
        ...{ ...presentStatement(source), is_used: used.has(source.statement_id) },
      })),
      questions: one.questions.map((question) => presentQuestion(question, account, statements)),
    };
  });
