import { groupBy } from '../../../../shared/group-by';
import { formatCents } from '../../../../shared/money';
import type { ContributionPosition } from './position-pages';
import type { AllPositions } from './positions.service';
import type { ReportLine } from '../lines/report-line';
import { acceptedText, correctedTexts, notDueText, positionTexts } from '../sentences';
import type { PositionBody } from './positions.contract';

interface Shown {
  /** The day in New York. */
  today: string;
  /** The entries that the explanation names. */
  entries?: readonly ReportLine[];
}

/** The number of entries that a sentence names. */
const mostNamed = 5;

function nameOf({ day, statement_number: statement, number, allocations }: ReportLine, id: string): string {
  const own = allocations.find((one) => one.transaction_id === id);
  const verb = own?.kind === 'return' ? 'returned' : 'paid';
  const amount = formatCents(BigInt(own?.amount_cents ?? 0));
  const where = statement === null ? `entry ${number}` : `statement ${statement}, entry ${number}`;
  return `${amount} ${verb} on ${day} (${where})`;
}

/** The entries whose money counts, as sentences. */
function namesOf(id: string, entries: readonly ReportLine[]): string[] {
  const counted = entries.filter(({ allocations }) =>
    allocations.some((one) => one.transaction_id === id && one.state === 'confirmed'),
  );
  const named = counted.slice(0, mostNamed).map((entry) => nameOf(entry, id));
  const others = counted.length - named.length;
  return named.length === 0
    ? []
    : [`${named.join('; ')}${others > 0 ? `; and ${others} more entries` : ''}.`];
}

/** What the position means, and what to do. */
function meaningOf(
  { contribution, position, isDecided, dueDay }: ContributionPosition,
  today: string,
): string[] {
  if (position === 'unconfirmed' && dueDay !== null && dueDay >= today) return [notDueText(dueDay)];
  const corrected = contribution.correctedAt === null ? undefined : correctedTexts[position];
  const { fact, advice } = corrected ?? positionTexts[position];
  return [fact, ...(advice === undefined ? [] : [isDecided ? acceptedText : advice])];
}

/** What arrived, what is missing, and what to do. */
function explanationOf(given: ContributionPosition, { today, entries = [] }: Shown): string {
  const { contribution, position, grossCents, returnedCents, entriesToCheck } = given;
  const { transactionId, amountCents } = contribution;
  const missing = amountCents - grossCents + returnedCents;
  return [
    ...(grossCents > 0n ? [`${formatCents(grossCents)} of ${formatCents(amountCents)} arrived.`] : []),
    ...(returnedCents > 0n ? [`${formatCents(returnedCents)} was returned.`] : []),
    ...(position === 'short' && missing > 0n ? [`${formatCents(missing)} is missing.`] : []),
    ...namesOf(transactionId, entries),
    ...meaningOf(given, today),
    ...(entriesToCheck > 0
      ? [`Check ${entriesToCheck} ${entriesToCheck === 1 ? 'entry' : 'entries'} that may concern it.`]
      : []),
  ].join(' ');
}

export function presentPosition(given: ContributionPosition, shown: Shown): PositionBody {
  const { contribution, grossCents, returnedCents } = given;
  return {
    transaction_id: contribution.transactionId,
    company_id: contribution.companyId,
    status: contribution.status,
    position: given.position,
    is_open: given.isOpen,
    is_decided: given.isDecided,
    expected_amount: formatCents(contribution.amountCents),
    gross_amount: formatCents(grossCents),
    returned_amount: formatCents(returnedCents),
    net_amount: formatCents(grossCents - returnedCents),
    due_day: given.dueDay,
    company_name: contribution.companyName,
    created_at: contribution.createdAt.toISOString(),
    completed_at: contribution.completedAt?.toISOString() ?? null,
    bank_reference: contribution.bankReference,
    value_date: contribution.valueDate,
    entries_to_check: given.entriesToCheck,
    completed_by_you: contribution.completedByCaller,
    explanation: explanationOf(given, shown),
  };
}

/** Counts and sums by position. */
export function presentSummary({ positions, isComplete, daysToCompare }: AllPositions) {
  const countOpen = (given: readonly ContributionPosition[]): number =>
    given.filter(({ isOpen }) => isOpen).length;
  const sum = (given: readonly ContributionPosition[], of: (one: ContributionPosition) => bigint): string =>
    formatCents(given.reduce((total, one) => total + of(one), 0n));
  return {
    is_complete: isComplete,
    days_to_compare: daysToCompare,
    open: countOpen(positions),
    positions: [...groupBy(positions, ({ position }) => position).values()].map((group) => ({
      position: (group[0] as ContributionPosition).position,
      contributions: group.length,
      open: countOpen(group),
      expected_amount: sum(group, ({ contribution }) => contribution.amountCents),
      net_amount: sum(group, ({ grossCents, returnedCents }) => grossCents - returnedCents),
    })),
  };
}
