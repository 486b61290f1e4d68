import type { CompaniesService } from '../../../core/companies/companies.service';
import { dayMs } from '../../../shared/clock';
import type { TotalsLookupStore } from '../../totals/cli/totals-lookup.store';
import type { AccountLookupService } from '../operator/account-lookup.service';
import type { BankStatementsStore, UnexplainedEntries, WorkLeft } from '../operator/bank-statements.store';
import type { PositionLookupService, ShowProgress, UploaderName } from '../operator/position-lookup.service';
import { type ReportDay, reportDaysOf } from '../reporting/days/account-calendar';
import type { AccountCalendars } from '../reporting/days/account-calendars';
import type { CalendarAccount } from '../reporting/days/calendar.store';
import type { Position } from '../reporting/positions/position.field';
import type { ContributionPosition } from '../reporting/positions/position-pages';
import type {
  ReconciliationStatement,
  ReconciliationStatements,
} from '../reporting/reconciliation/reconciliation-statement.service';
import { nextDay, previousDay } from '../rules/days/banking-days';

/** Whole UTC days. `to` is exclusive. */
export interface ReportRange {
  from: string;
  to: string;
}

/** Contributions that were created in one day or month. */
export interface PeriodSums {
  /** The day or month, such as 2026-11-25 or 2026-11. */
  period: string;
  contributions: number;
  expectedCents: bigint;
  completedCents: bigint;
  netCents: bigint;
  open: number;
}

/** Contributions in one position. */
export interface NamedDifference {
  position: Position;
  contributions: number;
  expectedCents: bigint;
  open: number;
  /** Contributions with entries that may be their money. */
  toCheck: number;
  /** The money that arrived and stayed, minus the amounts, over all open contributions. */
  differenceCents: bigint;
}

export interface AgedPosition extends ContributionPosition {
  /** Whole days since the contribution was created. */
  ageDays: number;
}

/** Days of an account that follow each other and are open or missing for the same reason. */
export interface UncoveredDays extends Pick<ReportDay, 'state' | 'reason'> {
  account: CalendarAccount;
  from: string;
  /** Inclusive. */
  to: string;
  count: number;
}

export interface ReportData extends UploaderName, ReportRange {
  readAt: Date;
  days: UncoveredDays[];
  /** The reconciliation of each account. */
  reconciliations: ReconciliationStatement[];
  /** Contributions that were created earlier are all included. Null if the service never ran. */
  completeUntil: Date | null;
  /** Whether the periods are days or months. */
  by: 'day' | 'month';
  periods: PeriodSums[];
  differences: NamedDifference[];
  open: number;
  /** The oldest open positions. `open` counts all of them. */
  oldestOpen: AgedPosition[];
  unexplained: UnexplainedEntries[];
  work: WorkLeft;
}

export interface ReconciliationReportService {
  /** @throws OperatorError if no company has this name */
  read(uploader: UploaderName, range: ReportRange, show: ShowProgress): Promise<ReportData>;
}

const mostDays = 62;
const mostListed = 1_000;
const midnight = (day: string): Date => new Date(`${day}T00:00:00Z`);

/** Every day or month of the range, also those without contributions. */
function emptyPeriods({ from, to }: ReportRange, length: number): Map<string, PeriodSums> {
  const periods = new Map<string, PeriodSums>();
  for (let time = midnight(from).getTime(); time < midnight(to).getTime(); time += dayMs) {
    const period = new Date(time).toISOString().slice(0, length);
    const none = { contributions: 0, expectedCents: 0n, completedCents: 0n, netCents: 0n, open: 0 };
    periods.set(period, { period, ...none });
  }
  return periods;
}

interface Sums {
  periods: Map<string, PeriodSums>;
  differences: Map<Position, NamedDifference>;
  open: number;
  oldestOpen: AgedPosition[];
}

function add(sums: Sums, given: ContributionPosition, period: PeriodSums | undefined, now: Date): void {
  const { contribution, position, isOpen, entriesToCheck, grossCents, returnedCents } = given;
  const netCents = grossCents - returnedCents;
  if (period) {
    period.contributions += 1;
    period.expectedCents += contribution.amountCents;
    const isCompleted = contribution.completedAt !== null && contribution.correctedAt === null;
    period.completedCents += isCompleted ? contribution.amountCents : 0n;
    period.netCents += netCents;
    period.open += isOpen ? 1 : 0;
  }
  const none = { position, contributions: 0, expectedCents: 0n, open: 0, toCheck: 0, differenceCents: 0n };
  const difference = sums.differences.get(position) ?? none;
  sums.differences.set(position, difference);
  difference.contributions += 1;
  difference.expectedCents += contribution.amountCents;
  difference.toCheck += entriesToCheck > 0 ? 1 : 0;
  if (!isOpen) return;
  difference.open += 1;
  difference.differenceCents += netCents - contribution.amountCents;
  sums.open += 1;
  const ageDays = Math.max(0, Math.floor((now.getTime() - contribution.createdAt.getTime()) / dayMs));
  if (sums.oldestOpen.length < mostListed) sums.oldestOpen.push({ ...given, ageDays });
}

function uncoveredDays(account: CalendarAccount, days: readonly ReportDay[]): UncoveredDays[] {
  const found: UncoveredDays[] = [];
  for (const { day, state, reason } of days) {
    const last = found.at(-1);
    if (state === 'covered') continue;
    if (last && nextDay(last.to) === day && last.state === state && last.reason === reason) {
      last.to = day;
      last.count += 1;
    } else found.push({ account, state, reason, from: day, to: day, count: 1 });
  }
  return found;
}

export function createReconciliationReportService(
  parts: {
    companies: Pick<CompaniesService, 'find'>;
    positions: Pick<PositionLookupService, 'pages'>;
    statements: Pick<BankStatementsStore, 'workLeft' | 'unexplained'>;
    accounts: Pick<AccountLookupService, 'list'>;
    calendars: AccountCalendars;
    reconciliations: ReconciliationStatements;
    totals: Pick<TotalsLookupStore, 'completeUntil'>;
  },
  now = () => new Date(),
): ReconciliationReportService {
  async function ofAccounts(environmentId: number, range: ReportRange) {
    const found: Pick<ReportData, 'days' | 'reconciliations'> = { days: [], reconciliations: [] };
    for (const account of await parts.accounts.list(environmentId)) {
      const [calendar] = await parts.calendars.of(environmentId, [account], range);
      if (calendar) found.days.push(...uncoveredDays(account, reportDaysOf(calendar, range.from, range.to)));
      found.reconciliations.push(await parts.reconciliations.of(environmentId, account, range));
    }
    return found;
  }

  return {
    async read(uploader, { from, to }, show) {
      const readAt = now();
      const { environments, name: company } = await parts.companies.find(uploader.company);
      const environmentId = environments[uploader.kind];
      const completeUntil = await parts.totals.completeUntil();
      const isByDay = midnight(to).getTime() - midnight(from).getTime() <= mostDays * dayMs;
      const periodLength = isByDay ? 10 : 7;
      const sums: Sums = {
        periods: emptyPeriods({ from, to }, periodLength),
        differences: new Map(),
        open: 0,
        oldestOpen: [],
      };
      const range = { from: midnight(from), to: midnight(to) };
      for await (const page of parts.positions.pages(uploader, range, show)) {
        for (const one of page) {
          const period = one.contribution.createdAt.toISOString().slice(0, periodLength);
          add(sums, one, sums.periods.get(period), readAt);
        }
      }
      return {
        ...uploader,
        company,
        from,
        to,
        readAt,
        completeUntil,
        by: isByDay ? 'day' : 'month',
        periods: [...sums.periods.values()],
        differences: [...sums.differences.values()],
        open: sums.open,
        oldestOpen: sums.oldestOpen,
        unexplained: await parts.statements.unexplained(environmentId, from, to),
        work: await parts.statements.workLeft(environmentId),
        ...(await ofAccounts(environmentId, { from, to: previousDay(to) })),
      };
    },
  };
}
