import type { AccountDay } from './account-days';
import type { AccountDayBody } from './account-days.contract';
import { signedDollars } from './statements.presenter';

const dollarsOrNull = (cents: bigint | null): string | null => (cents === null ? null : signedDollars(cents));

export const presentAccountDay = (given: AccountDay): AccountDayBody => ({
  day: given.day,
  opening_balance: dollarsOrNull(given.openingCents),
  closing_balance: dollarsOrNull(given.closingCents),
  movement: dollarsOrNull(given.movementCents),
  counted_amount: signedDollars(given.countedCents),
  difference: dollarsOrNull(given.differenceCents),
  state: given.state,
  reason: given.reason,
  file_ids: [...given.fileIds],
});
