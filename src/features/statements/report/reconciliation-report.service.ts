import type { CompaniesService } from '../../../core/companies/companies.service';
import type { Position } from '../matching/position.field';
import type { ContributionPosition } from '../position-pages';
import type { BankStatementsStore, UnexplainedEntries } from '../operator/bank-statements.store';
import type { PositionLookupService, ShowProgress, UploaderName } from '../operator/position-lookup.service';
import type { TotalsLookupStore } from '../../totals/cli/totals-lookup.store';
import { dayMs } from '../../../shared/clock';

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

export interface ReportData extends UploaderName, ReportRange {
  readAt: Date;
  /** Contributions that were created earlier are all included. Null if the service never ran. */
  completeUntil: Date | null;
  /** Whether the periods are days or months. */
  by: 'day' | 'month';
  periods: PeriodSums[];
  differences: NamedDifference[];
  /** Open contributions by age. */
  ages: { label: string; contributions: number }[];
  open: number;
  /** The oldest open positions. `open` counts all of them. */
  oldestOpen: AgedPosition[];
  unexplained: UnexplainedEntries[];
  /** Files whose entries are not all compared yet, or whose upload was interrupted. */
  unmatchedFiles: number;
}

export interface ReconciliationReportService {
  /** @throws OperatorError if no company has this name */
  read(uploader: UploaderName, range: ReportRange, show: ShowProgress): Promise<ReportData>;
}

const mostDays = 62;
const mostListed = 1_000;
/** The first age in days of each group, oldest last. */
const ages = [
  { from: 0, label: 'under 2 days' },
  { from: 2, label: '2 to 7 days' },
  { from: 8, label: '8 to 30 days' },
  { from: 31, label: '31 to 90 days' },
  { from: 91, label: 'over 90 days' },
];

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
  ages: { from: number; label: string; contributions: number }[];
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
  const group = sums.ages.findLast(({ from }) => ageDays >= from);
  if (group) group.contributions += 1;
  if (sums.oldestOpen.length < mostListed) sums.oldestOpen.push({ ...given, ageDays });
}

export function createReconciliationReportService(
  parts: {
    companies: Pick<CompaniesService, 'find'>;
    positions: Pick<PositionLookupService, 'pages'>;
    statements: Pick<BankStatementsStore, 'countUnmatched' | 'unexplained'>;
    totals: Pick<TotalsLookupStore, 'completeUntil'>;
  },
  now = () => new Date(),
): ReconciliationReportService {
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
        ages: ages.map((age) => ({ ...age, contributions: 0 })),
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
        ages: sums.ages,
        open: sums.open,
        oldestOpen: sums.oldestOpen,
        unexplained: await parts.statements.unexplained(environmentId, from, to),
        unmatchedFiles: await parts.statements.countUnmatched(environmentId),
      };
    },
  };
}
