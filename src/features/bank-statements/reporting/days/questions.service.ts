import { nextDay } from '../../rules/days/banking-days';
import { type AccountCalendar, questionOfDay, questionsIn, type ReportQuestion } from './account-calendar';
import type { AccountCalendars } from './account-calendars';
import type { CalendarAccount, CalendarStore } from './calendar.store';
import type { DayFactsStore } from './day-facts.store';
import type { LostDecisionsStore } from './lost-decisions.store';
import { type Statements, statementsIn } from './days.service';

/** The maximum number of days that are read for a page. An account counts as several days. */
const daysOfPage = 2_000;
const daysOfAccount = 40;

/** Where to go on reading: an account, from this day on. */
export interface QuestionPlace {
  accountId: string;
  from: string;
}

export interface QuestionsPage {
  questions: (ReportQuestion & { account: CalendarAccount })[];
  statements: Statements;
  next: QuestionPlace | null;
}

export interface QuestionsDependencies {
  accounts: Pick<CalendarStore, 'accounts' | 'list'>;
  calendars: AccountCalendars;
  facts: Pick<DayFactsStore, 'statements'>;
  lost: LostDecisionsStore;
}

const firstDay = '0001-01-01';

/** The days that were read since a day, without neighbors, in order. */
const daysSince = ({ days }: AccountCalendar, from: string): string[] =>
  [...days.keys()].filter((day) => day >= from);

export function createQuestionsService({ accounts, calendars, facts, lost }: QuestionsDependencies) {
  const startOf = async (environmentId: number, place: QuestionPlace | undefined) =>
    (place
      ? await accounts.accounts(environmentId, [place.accountId])
      : await accounts.list(environmentId, undefined, 1))[0];

  return {
    /**
     * The open questions of an environment, by account and day, then its decisions without a line.
     * It reads a limited number of days, so a page can have few questions or none.
     */
    async list(environmentId: number, after: QuestionPlace | undefined): Promise<QuestionsPage> {
      const questions: QuestionsPage['questions'] = [];
      let next: QuestionPlace | null = null;
      let account = await startOf(environmentId, after);
      let from = after?.from ?? firstDay;
      for (let left = daysOfPage; account;) {
        const { accountId } = account;
        const range = { from, to: 'infinity', most: left };
        const [calendar] = await calendars.of(environmentId, [account], range);
        const read = calendar ? daysSince(calendar, from) : [];
        const last = read.at(-1);
        if (calendar && last !== undefined) {
          // A question that starts earlier was on the page before.
          const asked = questionsIn(calendar, from, last).filter((one) => one.from >= range.from);
          const decisions = await lost.list(environmentId, accountId, from, last);
          const ofDecisions = decisions.map(({ day, entryId }) =>
            questionOfDay(accountId, day, { kind: 'decision_without_line', versions: [], entryId }),
          );
          for (const one of [...asked, ...ofDecisions]) questions.push({ ...one, account });
        }
        if (read.length === left && last !== undefined) {
          next = { accountId, from: nextDay(last) };
          break;
        }
        left -= Math.max(read.length, daysOfAccount);
        [account] = await accounts.list(environmentId, accountId, 1);
        from = firstDay;
        if (account && left <= 0) {
          next = { accountId: account.accountId, from };
          break;
        }
      }
      return { questions, statements: await facts.statements(environmentId, statementsIn(questions)), next };
    },
  };
}

export type QuestionsService = ReturnType<typeof createQuestionsService>;
