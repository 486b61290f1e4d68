import { type Command, Option } from 'commander';

import {
  contributionStatuses,
  type ContributionStatus,
} from '../../core/contributions/contribution-status.field';
import type { EnvironmentKind } from '../../shared/scopes';
import { environmentOption, parseDay, parseTime } from '../cli/options';

/** Which contributions a command lists or exports. */
export interface TransactionFilter {
  environment?: EnvironmentKind;
  status?: ContributionStatus;
  createdFrom?: Date;
  createdTo?: Date;
  bankReference?: string;
  valueDate?: string;
}

export const withTransactionFilter = (command: Command): Command =>
  command
    .argument('[company]', 'only this company: its name or company_id')
    .addOption(environmentOption())
    .addOption(new Option('--status <status>', 'only this status').choices(contributionStatuses))
    .option('--created-from <time>', 'only contributions created at or after this UTC time', parseTime)
    .option('--created-to <time>', 'only contributions created before this UTC time', parseTime)
    .option('--bank-reference <text>', 'only contributions with this bank_reference')
    .option('--value-date <day>', 'only contributions with this value_date', parseDay);
