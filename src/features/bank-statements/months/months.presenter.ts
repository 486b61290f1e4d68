import { formatCents } from '../../../shared/money';
import { dollarsOrNull } from '../reporting/days/days.presenter';
import type { CloseReason } from './can-close';
import { closeTexts } from './close-texts';
import type { CanCloseBody, CloseReasonBody, MonthNumbersBody } from './months.contract';
import type { CanClose } from './months.service';
import type { AccountNumbers } from './months.store';

const presentReason = ({ accountId, kind, from, to, lines }: CloseReason): CloseReasonBody => ({
  ...{ account_id: accountId, kind, from, to, entries: lines ?? null, text: closeTexts[kind] },
});

export const presentCanClose = (
  month: string,
  { reasons, linesToExplain }: Pick<CanClose, 'reasons' | 'linesToExplain'>,
): CanCloseBody => ({
  ...{ month, can_close: reasons.length === 0, entries_to_explain: linesToExplain },
  data: reasons.map(presentReason),
});

const balance = (cents: string | null): string | null => dollarsOrNull(cents === null ? null : BigInt(cents));

export const presentNumbers = (numbers: Record<string, AccountNumbers>): MonthNumbersBody =>
  Object.entries(numbers).map(([accountId, { opening, closing, ...terms }]) => ({
    account_id: accountId,
    opening_balance: balance(opening),
    matched: formatCents(BigInt(terms.matched)),
    returned: formatCents(BigInt(terms.returned)),
    charges: formatCents(BigInt(terms.charges)),
    ignored: formatCents(BigInt(terms.ignored)),
    unexplained: formatCents(BigInt(terms.unexplained)),
    closing_balance: balance(closing),
  }));
