import { groupBy } from '../../../../shared/group-by';
import { nextDay, previousDay } from '../../rules/days/banking-days';
import { type ReportDay, reportDaysOf, type ReportQuestion } from './account-calendar';
import type { AccountCalendars } from './account-calendars';
import type { CalendarAccount, CalendarStore } from './calendar.store';
import type { DayFactsStore, DaySums, ReportStatement } from './day-facts.store';

/** A page ends before the lines that would exceed this number, but has one day. */
const linesOfPage = 50_000;

/** The statements that questions name, by id. */
export type Statements = ReadonlyMap<string, ReportStatement>;

export interface DaysPage {
  days: (ReportDay & {
    sums: DaySums | undefined;
    sources: ReportStatement[];
    /** When another version last replaced that of the day. */
    changedAt: Date | undefined;
  })[];
  statements: Statements;
  /** The first day of the next page. */
  next: string | null;
}

export const statementsIn = (questions: readonly ReportQuestion[]): string[] => [
  ...new Set(questions.flatMap(({ choices }) => choices.flatMap(({ statementIds }) => statementIds))),
];

export interface DaysDependencies {
  accounts: Pick<CalendarStore, 'accounts'>;
  calendars: AccountCalendars;
  facts: DayFactsStore;
}

export interface DayRange {
  from: string;
  /** Inclusive. */
  to: string;
}

export function createDaysService({ accounts, calendars, facts }: DaysDependencies) {
  /** The sums of the days that fit on a page, and its last day. */
  async function sumsOfPage(environmentId: number, accountId: string, range: DayRange) {
    const sums = await facts.sums(environmentId, accountId, range, linesOfPage);
    const last = sums.at(-1);
    const lines = sums.reduce((sum, one) => sum + one.lines, 0);
    if (!last || lines < linesOfPage) return { sums, to: range.to };
    if (sums.length > 1) return { sums: sums.slice(0, -1), to: previousDay(last.day) };
    const day = { from: last.day, to: last.day };
    return { sums: await facts.sums(environmentId, accountId, day, null), to: last.day };
  }

  return {
    /** @returns undefined if the environment has no such account */
    async account(environmentId: number, accountId: string): Promise<CalendarAccount | undefined> {
      return (await accounts.accounts(environmentId, [accountId]))[0];
    },
    /** Each day of a range, as far as they fit on a page. */
    async days(environmentId: number, account: CalendarAccount, asked: DayRange): Promise<DaysPage> {
      const { accountId } = account;
      const { sums, to } = await sumsOfPage(environmentId, accountId, asked);
      const [calendar] = await calendars.of(environmentId, [account], { from: asked.from, to });
      const reported = calendar ? reportDaysOf(calendar, asked.from, to) : [];
      const names = reported.map(({ day }) => day);
      const sources = groupBy(await facts.sources(environmentId, accountId, names), ({ day }) => day);
      const changes = await facts.changes(environmentId, accountId, names);
      const changedAt = new Map(changes.map((one) => [one.day, one.changedAt]));
      const byDay = new Map(sums.map((one) => [one.day, one]));
      const ids = statementsIn(reported.flatMap(({ questions }) => questions));
      return {
        days: reported.map((one) => ({
          ...{ ...one, sums: byDay.get(one.day), sources: sources.get(one.day) ?? [] },
          changedAt: changedAt.get(one.day),
        })),
        statements: await facts.statements(environmentId, ids),
        next: to < asked.to ? nextDay(to) : null,
      };
    },
  };
}

export type DaysService = ReturnType<typeof createDaysService>;
