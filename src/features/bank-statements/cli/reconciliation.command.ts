import { Command, Option } from 'commander';

import { type Position, positions } from '../reporting/positions/position.field';
import type { ContributionPosition } from '../reporting/positions/position-pages';
import { formatCents } from '../../../shared/money';
import type { EnvironmentKind } from '../../../shared/scopes';
import type { WorkLeft } from '../operator/bank-statements.store';
import type { PositionSums } from '../operator/position-lookup.service';
import { renderReport, toCheckOf, unconfirmedOf } from '../report/report-page';
import { type CommandIo, printLine } from '../../../operator/cli/command-io';
import { exitCodes } from '../../../operator/cli/exit-codes';
import {
  environmentArgument,
  dayIn,
  limitOption,
  readCommand,
  parseDay,
  parseTime,
  skipOption,
  withOrderedRange,
} from '../../../operator/cli/options';
import {
  type List,
  oneMore,
  pageOf,
  type Paging,
  printJson,
  printList,
  printRecord,
} from '../../../operator/cli/output';
import { createProgress } from '../../../operator/cli/progress';
import { withTextSink } from '../../../operator/cli/text-sink';
import { canCloseCommand, closeCommand, reopenCommand, statementCommand } from './months.command';
import { runRead } from './statements.operations';

interface RangeOptions {
  json?: boolean;
  from?: Date;
  to?: Date;
}

interface ListOptions extends RangeOptions, Paging {
  position?: Position;
  open?: boolean;
}

const ofEnvironment = (name: string, description: string): Command =>
  withOrderedRange(readCommand(name, description))
    .addArgument(environmentArgument())
    .argument('<company>', 'name or company_id of the company that uploaded the statements')
    .option('--from <time>', 'only contributions created at or after this UTC time', parseTime)
    .option('--to <time>', 'only contributions created before this UTC time', parseTime);

const listedPositions: List<ContributionPosition> = {
  name: 'positions',
  fields: [
    ['transaction_id', ({ contribution }) => contribution.transactionId, 'TRANSACTION_ID', 'whole'],
    [
      'position',
      ({ position }) => position,
      'POSITION',
      'whole',
      ({ isOpen }) => (isOpen ? 'red' : undefined),
    ],
    ['is_open', ({ isOpen }) => isOpen],
    [undefined, ({ isOpen }) => (isOpen ? 'yes' : 'no'), 'OPEN', 'whole'],
    ['is_decided', ({ isDecided }) => isDecided],
    ['entries_to_check', ({ entriesToCheck }) => entriesToCheck, 'TO_CHECK', 'whole'],
    ['expected_amount', ({ contribution }) => formatCents(contribution.amountCents), 'EXPECTED', 'whole'],
    ['gross_amount', ({ grossCents }) => formatCents(grossCents)],
    ['returned_amount', ({ returnedCents }) => formatCents(returnedCents)],
    [
      'net_amount',
      ({ grossCents, returnedCents }) => formatCents(grossCents - returnedCents),
      'NET',
      'whole',
    ],
    ['status', ({ contribution }) => contribution.status, 'STATUS', 'whole'],
    ['due_day', ({ dueDay }) => dueDay, 'DUE', 'whole'],
    ['created_at', ({ contribution }) => contribution.createdAt, 'CREATED', 'whole'],
    ['completed_at', ({ contribution }) => contribution.completedAt],
    ['bank_reference', ({ contribution }) => contribution.bankReference, 'BANK_REFERENCE'],
    ['value_date', ({ contribution }) => contribution.valueDate],
    ['company', ({ contribution }) => contribution.companyName, 'COMPANY'],
  ],
  whenEmpty: 'No contributions found.',
};

/** Writes to standard error, so that the table can be processed. The JSON has the numbers. */
function warnOfWork(io: CommandIo, { files, days }: WorkLeft, json: boolean | undefined): void {
  if (json || files + days === 0) return;
  printLine(
    io.stderr,
    `Positions will change: ${files} files are not read, and ${days} days of accounts not compared.`,
  );
}

const presentWork = ({ files, days }: WorkLeft) => ({ files_to_read: files, days_to_compare: days });

function listCommand(io: CommandIo): Command {
  return ofEnvironment(
    'list',
    'list contributions with their positions, oldest first. Exit code 3: some of the listed positions are open',
  )
    .addOption(
      new Option('--position <position>', 'only contributions with this position').choices(positions),
    )
    .option('--open', 'only positions that need investigation')
    .addOption(limitOption(50))
    .addOption(skipOption())
    .action((kind: EnvironmentKind, company: string, { json, position, open, ...options }: ListOptions) => {
      const progress = createProgress(io.stderr);
      return runRead(
        io,
        async ({ positionLookup, statements, environmentOf }) => {
          const filter = { position, isOpen: open ?? false, ...oneMore(options) };
          const found = await positionLookup
            .list({ company, kind }, filter, progress.show)
            .finally(progress.end);
          return { found, work: await statements.workLeft(await environmentOf({ company, kind })) };
        },
        ({ found, work }) => {
          const { rows, hasMore } = pageOf(io, found, options);
          if (rows.some(({ isOpen }) => isOpen)) io.exitCode = exitCodes.found;
          printList(io, listedPositions, rows, json, { ...presentWork(work), has_more: hasMore });
          warnOfWork(io, work, json);
        },
      );
    });
}

const listedSums: List<PositionSums> = {
  name: 'positions',
  fields: [
    [
      'position',
      ({ position }) => position,
      'POSITION',
      'whole',
      ({ open }) => (open > 0 ? 'red' : undefined),
    ],
    ['contributions', ({ contributions }) => contributions, 'CONTRIBUTIONS', 'whole'],
    ['open', ({ open }) => open, 'OPEN', 'whole'],
    ['with_entries_to_check', ({ toCheck }) => toCheck, 'TO_CHECK', 'whole'],
    ['expected_amount', ({ expectedCents }) => formatCents(expectedCents), 'EXPECTED', 'whole'],
    ['net_amount', ({ netCents }) => formatCents(netCents), 'NET', 'whole'],
    [
      undefined,
      ({ netCents, expectedCents }) => formatCents(netCents - expectedCents),
      'DIFFERENCE',
      'whole',
    ],
  ],
  whenEmpty: 'No contributions found.',
};

function summaryCommand(io: CommandIo): Command {
  return ofEnvironment(
    'summary',
    'show the number and the sums of contributions by position. Exit code 3: some positions are open',
  ).action((kind: EnvironmentKind, company: string, { json, ...range }: RangeOptions) => {
    const progress = createProgress(io.stderr);
    return runRead(
      io,
      async ({ positionLookup, statements, environmentOf }) => ({
        work: await statements.workLeft(await environmentOf({ company, kind })),
        sums: await positionLookup.summary({ company, kind }, range, progress.show).finally(progress.end),
      }),
      ({ sums, work }) => {
        const open = sums.reduce((total, one) => total + one.open, 0);
        if (open > 0) io.exitCode = exitCodes.found;
        printList(io, listedSums, sums, json, { ...presentWork(work), open });
        warnOfWork(io, work, json);
      },
    );
  });
}

interface ReportOptions {
  json?: boolean;
  html: string;
  from: string;
  to: string;
}

function reportCommand(io: CommandIo): Command {
  return withOrderedRange(
    readCommand(
      'report',
      'write a report as one HTML page: the days that are open or missing, the reconciliation of each account, and positions. Exit code 3: some days or positions are open',
    ),
  )
    .addArgument(environmentArgument())
    .argument('<company>', 'name or company_id of the company that uploaded the statements')
    .requiredOption('--html <file>', 'the file to write')
    .addOption(
      new Option('--from <day>', 'first day; the report selects contributions by their creation in UTC')
        .argParser(parseDay)
        .default(dayIn(-30), '30 days ago'),
    )
    .addOption(
      new Option('--to <day>', 'first day after the range').argParser(parseDay).default(dayIn(1), 'tomorrow'),
    )
    .action((kind: EnvironmentKind, company: string, { json, html, from, to }: ReportOptions) => {
      const progress = createProgress(io.stderr);
      return runRead(
        io,
        async ({ reconciliationReport }) => {
          const data = await reconciliationReport
            .read({ company, kind }, { from, to }, progress.show)
            .finally(progress.end);
          await withTextSink(html, io, (sink) => sink.write(renderReport(data)));
          return data;
        },
        (data) => {
          const { open, completeUntil, days, work } = data;
          if (open > 0 || days.length > 0) io.exitCode = exitCodes.found;
          const result = {
            file: html,
            open_or_missing_days: days.reduce((sum, one) => sum + one.count, 0),
            open,
            unconfirmed: unconfirmedOf(data)?.contributions ?? 0,
            with_entries_to_check: toCheckOf(data),
            complete_until: completeUntil,
            ...presentWork(work),
          };
          (json ? printJson : printRecord)(io, result);
        },
      );
    });
}

export function reconciliationCommand(io: CommandIo): Command {
  return new Command('reconciliation')
    .description(
      "compare a company's contributions with the bank statements that it uploaded, and close its months",
    )
    .addCommand(statementCommand(io))
    .addCommand(canCloseCommand(io))
    .addCommand(closeCommand(io))
    .addCommand(reopenCommand(io))
    .addCommand(listCommand(io))
    .addCommand(summaryCommand(io))
    .addCommand(reportCommand(io));
}
