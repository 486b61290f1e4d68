import { formatCents } from '../../../../shared/money';
import type { ContributionPosition } from '../../../statements/position-pages';
import { presentPosition, presentSummary } from '../../../statements/positions.presenter';
import type { AllPositions } from '../../../statements/positions.service';
import type { ReportLine } from '../lines/report-line';
import { positionTexts } from '../sentences';
import type { PositionBody } from './positions.contract';

/** The number of entries that a sentence names. */
const mostNamed = 5;

function nameOf({ day, statement_number: statement, number, allocations }: ReportLine, id: string): string {
  const own = allocations.find((one) => one.transaction_id === id);
  const verb = own?.kind === 'return' ? 'returned' : 'paid';
  const amount = formatCents(BigInt(own?.amount_cents ?? 0));
  const where = statement === null ? `line ${number}` : `statement ${statement}, line ${number}`;
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

/** What arrived, what is missing, and what to do. */
export function explanationOfPosition(
  { contribution, position, grossCents, returnedCents, dueDay, entriesToCheck }: ContributionPosition,
  entries: readonly ReportLine[] = [],
): string {
  const { transactionId, amountCents } = contribution;
  const missing = amountCents - grossCents + returnedCents;
  return [
    ...(grossCents > 0n ? [`${formatCents(grossCents)} of ${formatCents(amountCents)} arrived.`] : []),
    ...(returnedCents > 0n ? [`${formatCents(returnedCents)} was returned.`] : []),
    ...(position === 'short' && missing > 0n ? [`${formatCents(missing)} is missing.`] : []),
    ...(position === 'unconfirmed' && dueDay !== null ? [`Its money is due by ${dueDay}.`] : []),
    ...namesOf(transactionId, entries),
    positionTexts[position],
    ...(entriesToCheck > 0
      ? [`Check ${entriesToCheck} ${entriesToCheck === 1 ? 'entry' : 'entries'} that may concern it.`]
      : []),
  ].join(' ');
}

export const presentExplained = (
  position: ContributionPosition,
  entries?: readonly ReportLine[],
): PositionBody => ({
  ...presentPosition(position),
  explanation: explanationOfPosition(position, entries),
});

export function presentCounts(all: AllPositions) {
  const { files_to_compare: days, ...counts } = presentSummary(all);
  return { ...counts, days_to_compare: days };
}
