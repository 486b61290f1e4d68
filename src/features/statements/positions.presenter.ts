import { groupBy } from '../../shared/group-by';
import { formatCents } from '../../shared/money';
import type { ContributionPosition } from './position-pages';
import type { AllPositions } from './positions.service';
import type { PositionBody } from './reconciliation.contract';
import { signedDollars } from './statements.presenter';

export function presentPosition(given: ContributionPosition): PositionBody {
  const { contribution, grossCents, returnedCents } = given;
  return {
    transaction_id: contribution.transactionId,
    company_id: contribution.companyId,
    status: contribution.status,
    position: given.position,
    is_open: given.isOpen,
    is_decided: given.isDecided,
    expected_amount: formatCents(contribution.amountCents),
    gross_amount: signedDollars(grossCents),
    returned_amount: signedDollars(returnedCents),
    net_amount: signedDollars(grossCents - returnedCents),
    due_day: given.dueDay,
    company_name: contribution.companyName,
    created_at: contribution.createdAt.toISOString(),
    completed_at: contribution.completedAt?.toISOString() ?? null,
    bank_reference: contribution.bankReference,
    value_date: contribution.valueDate,
    entries_to_check: given.entriesToCheck,
    completed_by_you: contribution.completedByCaller,
  };
}

/** Counts and sums by position. */
export function presentSummary({ positions, isComplete, filesToCompare }: AllPositions) {
  const countOpen = (given: readonly ContributionPosition[]): number =>
    given.filter(({ isOpen }) => isOpen).length;
  const sum = (given: readonly ContributionPosition[], of: (one: ContributionPosition) => bigint): string =>
    signedDollars(given.reduce((total, one) => total + of(one), 0n));
  return {
    is_complete: isComplete,
    files_to_compare: filesToCompare,
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
