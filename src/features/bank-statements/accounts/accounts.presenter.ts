import { presentAccountName } from '../reporting/days/days.presenter';
import type { AccountBody } from './accounts.contract';
import type { CoveredAccount } from './accounts.service';

export const presentAccount = ({ account, coverage }: CoveredAccount): AccountBody => ({
  ...presentAccountName(account),
  direction: account.direction,
  complete_coverage: account.completeCoverage,
  grace_days: account.graceDays,
  covered_from: coverage.from,
  covered_to: coverage.to,
  coverage_reason: coverage.reason,
  remembered_answer: account.rememberedAnswer,
  created_at: account.createdAt.toISOString(),
});
