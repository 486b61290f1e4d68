import { type Command, Option } from 'commander';

import { totalsBases, type TotalsBasis, type TotalsKey, totalsKeys } from '../totals.field';
import type { EnvironmentKind } from '../../../shared/scopes';
import { createTotalsLookupStore, type TotalsLine } from './totals-lookup.store';
import { type CommandIo, printLine } from '../../../operator/cli/command-io';
import {
  dayIn,
  environmentOption,
  lookCommand,
  parseDay,
  withOrderedRange,
} from '../../../operator/cli/options';
import { type Columns, printJson, printTable } from '../../../operator/cli/output';
import { runWith } from '../../../operator/cli/run-with';

const { lookAt } = runWith(createTotalsLookupStore);

interface TotalsOptions {
  json?: boolean;
  environment?: EnvironmentKind;
  from: string;
  to: string;
  by: TotalsKey;
  basis: TotalsBasis;
}

const columnsBy = (by: TotalsKey): Columns<TotalsLine> => [
  [by.toUpperCase(), (line) => line.key, 'whole'],
  ['CONTRIBUTIONS', (line) => line.contributions, 'whole'],
  ['AMOUNT', (line) => line.amount, 'whole'],
  ['COMPLETED', (line) => line.completedContributions, 'whole'],
  ['COMPLETED_AMOUNT', (line) => line.completedAmount, 'whole'],
  ['RETURNED', (line) => line.returnedAmount, 'whole'],
  ['CORRECTED', (line) => line.correctedAmount, 'whole'],
  ['NET', (line) => line.netAmount, 'whole'],
  ['ENVIRONMENT', (line) => line.kind],
];

const asJson = (by: TotalsKey, line: TotalsLine) => ({
  [by]: line.key,
  environment: line.kind,
  contributions: line.contributions,
  amount: line.amount,
  completed_contributions: line.completedContributions,
  completed_amount: line.completedAmount,
  returned_amount: line.returnedAmount,
  corrected_amount: line.correctedAmount,
  net_amount: line.netAmount,
});

export function totalsCommand(io: CommandIo): Command {
  return withOrderedRange(lookCommand('totals', 'add up contributions per day, project, company or status'))
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
      lookAt(
        io,
        company,
        (totals, name) => totals.list({ company: name, kind, ...filter }),
        ({ lines, completeUntil }) => {
          if (json) {
            const totals = lines.map((line) => asJson(filter.by, line));
            printJson(io, { totals, currency: 'USD', complete_until: completeUntil });
            return;
          }
          printTable(io, columnsBy(filter.by), lines, 'No contributions found.');
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
