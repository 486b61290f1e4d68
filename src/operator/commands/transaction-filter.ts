import { type Command, Option } from 'commander';

import {
  contributionStatuses,
  type ContributionStatus,
} from '../../core/contributions/contribution-status.field';
import type { EnvironmentKind } from '../../shared/scopes';
import { environmentOption, parseDay, parseTime, withOrderedRange } from '../cli/options';

/** Which contributions a command lists or exports. */
export interface TransactionFilter {
  environment?: EnvironmentKind;
  status?: ContributionStatus;
  /** Of the creation, inclusive. */
  from?: Date;
  /** Exclusive. */
  to?: Date;
  bankReference?: string;
  valueDate?: string;
}

export const withTransactionFilter = (command: Command): Command =>
  withOrderedRange(command)
    .argument('[company]', 'only this company: its name or company_id')
    .addOption(environmentOption())
    .addOption(new Option('--status <status>', 'only this status').choices(contributionStatuses))
    .option('--from <time>', 'only contributions created at or after this UTC time', parseTime)
    .option('--to <time>', 'only contributions created before this UTC time', parseTime)
    .option('--bank-reference <text>', 'only contributions with this bank_reference')
    .option('--value-date <day>', 'only contributions with this value_date', parseDay);

/** The filter in the names of the stores. */
export const filterOf = ({
  environment: kind,
  from,
  to,
  status,
  bankReference,
  valueDate,
}: TransactionFilter) => ({
  ...{ kind, createdFrom: from, createdTo: to, status, bankReference, valueDate },
});
