import { formatCents } from '../../shared/money';
import type { Sums, TotalsRow } from './totals';

export const presentSums = (sums: Sums) => ({
  contributions: sums.contributions,
  amount: formatCents(sums.amountCents),
  completed_contributions: sums.completedContributions,
  completed_amount: formatCents(sums.completedCents),
  returned_amount: formatCents(sums.returnedCents),
  corrected_amount: formatCents(sums.correctedCents),
  net_amount: formatCents(sums.completedCents - sums.returnedCents - sums.correctedCents),
});

export const presentTotalsRow = (row: TotalsRow) => ({
  ...(row.day === undefined ? {} : { day: row.day }),
  ...(row.projectId === undefined ? {} : { project_id: row.projectId }),
  ...(row.company === undefined ? {} : { company_id: row.company.companyId, company_name: row.company.name }),
  ...(row.status === undefined ? {} : { status: row.status }),
  ...presentSums(row),
});
