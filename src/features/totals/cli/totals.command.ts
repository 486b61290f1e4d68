import { type Command, Option } from 'commander';

import { totalsBases, type TotalsBasis, type TotalsKey, totalsKeys } from '../totals.field';
import type { EnvironmentKind } from '../../../shared/scopes';
import { createTotalsLookupStore, type TotalsLine } from './totals-lookup.store';
import { type CommandIo, printLine } from '../../../operator/cli/command-io';
import {
  dayIn,
  environmentOption,
  readCommand,
  parseDay,
  withOrderedRange,
} from '../../../operator/cli/options';
import { type List, printList } from '../../../operator/cli/output';
import { runWith } from '../../../operator/cli/run-with';

const { runReadOf } = runWith(createTotalsLookupStore);

interface TotalsOptions {
  json?: boolean;
  environment?: EnvironmentKind;
  from: string;
  to: string;
  by: TotalsKey;
  basis: TotalsBasis;
}

const listedBy = (by: TotalsKey): List<TotalsLine> => ({
  name: 'totals',
  fields: [
    [by, (line) => line.key, by.toUpperCase(), 'whole'],
    ['contributions', (line) => line.contributions, 'CONTRIBUTIONS', 'whole'],
    ['amount', (line) => line.amount, 'AMOUNT', 'whole'],
    ['completed_contributions', (line) => line.completedContributions, 'COMPLETED', 'whole'],
    ['completed_amount', (line) => line.completedAmount, 'COMPLETED_AMOUNT', 'whole'],
    ['returned_amount', (line) => line.returnedAmount, 'RETURNED', 'whole'],
    ['corrected_amount', (line) => line.correctedAmount, 'CORRECTED', 'whole'],
    ['net_amount', (line) => line.netAmount, 'NET', 'whole'],
    ['environment', (line) => line.kind, 'ENVIRONMENT'],
  ],
  whenEmpty: 'No contributions found.',
});

export function totalsCommand(io: CommandIo): Command {
  return withOrderedRange(readCommand('totals', 'add up contributions per day, project, company or status'))
    .argument('[company]', 'only this company: its name or company_id')
    .addOption(environmentOption())
    .addOption(
      new Option('--from <day>', 'first UTC day').argParser(parseDay).default(dayIn(-30), '30 days ago'),
    )
    .addOption(
      new Option('--to <day>', 'first UTC day after the range')
        .argParser(parseDay)
        .default(dayIn(1), 'tomorrow'),
    )
    .addOption(
      new Option('--by <group>', 'what to group the totals by')
        .choices(totalsKeys)
        .default('day' satisfies TotalsKey),
    )
    .addOption(
      new Option('--basis <date>', 'the date that --from and --to apply to')
        .choices(totalsBases)
        .default('created' satisfies TotalsBasis),
    )
    .action((company: string | undefined, { json, environment: kind, ...filter }: TotalsOptions) =>
      runReadOf(
        io,
        company,
        (totals, name) => totals.list({ company: name, kind, ...filter }),
        ({ lines, completeUntil }) => {
          printList(io, listedBy(filter.by), lines, json, { currency: 'USD', complete_until: completeUntil });
          if (json) return;
          printLine(
            io.stderr,
            completeUntil
              ? `Complete until ${completeUntil.toISOString()}.`
              : 'Nothing has been counted yet. A running service counts every 15 seconds.',
          );
        },
      ),
    );
}
