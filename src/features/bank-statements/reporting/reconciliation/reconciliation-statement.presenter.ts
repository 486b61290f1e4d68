import { formatCents } from '../../../../shared/money';
import { dollarsOrNull, presentAccountName } from '../days/days.presenter';
import { noteTexts } from '../sentences';
import type { ReconciliationStatement } from './reconciliation-statement.service';

/** @param to the day after the last day */
export const presentReconciliation = (
  { account, openingCents, closingCents, terms, isExact, notes }: ReconciliationStatement,
  { from, to }: { from: string; to: string },
) => ({
  ...presentAccountName(account),
  ...{ from, to },
  opening_balance: dollarsOrNull(openingCents),
  terms: terms.map(({ term, cents, lines }) => ({
    ...{ term, amount: formatCents(cents), entries: lines },
    entries_path: `/company/integration/statement-accounts/${account.accountId}/entries?term=${term}&from=${from}&to=${to}`,
  })),
  closing_balance: dollarsOrNull(closingCents),
  is_exact: isExact,
  notes: notes.map(({ kind, from: first, to: last, lines }) => ({
    ...{ kind, from: first, to: last, text: noteTexts[kind](lines ?? 0) },
  })),
});
