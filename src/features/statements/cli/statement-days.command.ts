import type { Command } from 'commander';

import { formatCents } from '../../../shared/money';
import type { EnvironmentKind } from '../../../shared/scopes';
import type { CommandIo } from '../../../operator/cli/command-io';
import { exitCodes } from '../../../operator/cli/exit-codes';
import { parseDay, readCommand, withOrderedRange } from '../../../operator/cli/options';
import { type List, printList } from '../../../operator/cli/output';
import { latestDays } from '../account-day.field';
import type { DayOfAccount } from '../operator/account-days-lookup.service';
import { withUploader } from './statement-files.command';
import { runRead } from './statements.operations';

interface DaysOptions {
  json?: boolean;
  from?: string;
  to?: string;
  all?: boolean;
}

const dollars = (cents: bigint | null): string | null => (cents === null ? null : formatCents(cents));

const listedDays: List<DayOfAccount> = {
  name: 'days',
  fields: [
    ['account_id', ({ accountId }) => accountId],
    ['account_ending', ({ ending }) => ending],
    ['account_name', ({ name }) => name],
    [undefined, ({ ending, name }) => ending ?? name, 'ACCOUNT', 'whole'],
    ['day', ({ day }) => day, 'DAY', 'whole'],
    [
      'state',
      ({ state }) => state,
      'STATE',
      'whole',
      ({ state }) => (state === 'different' ? 'red' : undefined),
    ],
    ['opening_balance', ({ openingCents }) => dollars(openingCents), 'OPENING', 'whole'],
    ['closing_balance', ({ closingCents }) => dollars(closingCents), 'CLOSING', 'whole'],
    ['movement', ({ movementCents }) => dollars(movementCents), 'MOVEMENT', 'whole'],
    ['counted_amount', ({ countedCents }) => dollars(countedCents), 'COUNTED', 'whole'],
    ['difference', ({ differenceCents }) => dollars(differenceCents), 'DIFFERENCE', 'whole'],
    ['reason', ({ reason }) => reason, 'REASON', 'wrap'],
    ['file_ids', ({ fileIds }) => fileIds, 'FILE_ID', 'whole'],
  ],
  whenEmpty: 'No days differ.',
};

export function daysCommand(io: CommandIo): Command {
  return withOrderedRange(
    withUploader(
      readCommand(
        'days',
        'list the days of each account on which the entries that count differ from the balances. Exit code 3: such a day exists',
      ),
    ),
  )
    .option('--from <day>', `first day (default: ${latestDays} days up to the account's last one)`, parseDay)
    .option('--to <day>', 'first day after the range', parseDay)
    .option('--all', 'list the other days too')
    .action((kind: EnvironmentKind, company: string, { json, from, to, all = false }: DaysOptions) =>
      runRead(
        io,
        ({ accountDays }) => accountDays.list({ company, kind }, { from, to }, all),
        (days) => {
          if (days.some(({ state }) => state === 'different')) io.exitCode = exitCodes.found;
          printList(io, all ? { ...listedDays, whenEmpty: 'No days found.' } : listedDays, days, json);
        },
      ),
    );
}
