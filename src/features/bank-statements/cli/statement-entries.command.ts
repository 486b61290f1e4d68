import { type Command, Option } from 'commander';

import type { CommandIo } from '../../../operator/cli/command-io';
import {
  limitOption,
  parseDay,
  readCommand,
  skipOption,
  withOrderedRange,
} from '../../../operator/cli/options';
import {
  type Columns,
  oneMore,
  pageOf,
  type Paging,
  printJson,
  printTable,
} from '../../../operator/cli/output';
import { withTextSink } from '../../../operator/cli/text-sink';
import { formatCsv } from '../../../shared/csv';
import type { EnvironmentKind } from '../../../shared/scopes';
import type { LineFilter, LinePlace } from '../reporting/lines/line-lists.store';
import { entriesAsCsv, type EntryBody } from '../reporting/lines/lines.fields';
import { presentLine } from '../reporting/lines/lines.presenter';
import type { LinesService } from '../reporting/lines/lines.service';
import { previousDay } from '../rules/days/banking-days';
import { entryOutcomes } from '../statement.fields';
import { runRead } from './statements.operations';
import { withUploader } from './uploader';

interface EntriesOptions extends Paging {
  json?: boolean;
  csv?: string;
  account?: string;
  from?: string;
  to?: string;
  outcome?: string;
}

export const entryColumns: Columns<EntryBody> = [
  ['ENTRY_ID', (entry) => entry.entry_id, 'whole'],
  ['ACCOUNT', (entry) => entry.account_ending ?? entry.account_name, 'whole'],
  ['DAY', (entry) => entry.day, 'whole'],
  ['AMOUNT', (entry) => entry.signed_amount, 'whole'],
  ['STATE', (entry) => entry.state, 'whole'],
  ['OUTCOME', (entry) => entry.outcome, 'whole'],
  ['TRANSACTION_ID', (entry) => entry.allocations.map((one) => one.transaction_id)],
  ['BANK_REFERENCE', (entry) => entry.bank_reference],
  ['EXPLANATION', (entry) => entry.explanation, 'wrap'],
];

const entriesAtOnce = 500;

async function* entriesToExplain(lines: LinesService, environmentId: number, filter: LineFilter) {
  let place: LinePlace | undefined;
  do {
    const page = await lines.toExplain(environmentId, filter, place, entriesAtOnce);
    yield page.lines.map(presentLine);
    place = page.next;
  } while (place);
}

/** The entries of one page of the command, or none if all are written to a file. */
async function entriesOf(
  io: CommandIo,
  pages: AsyncIterable<EntryBody[]>,
  { csv, ...options }: EntriesOptions,
): Promise<EntryBody[]> {
  const { limit, skip } = oneMore(options);
  const found: EntryBody[] = [];
  if (csv === undefined) {
    for await (const page of pages) {
      found.push(...page);
      if (found.length >= skip + limit) break;
    }
    return found.slice(skip, skip + limit);
  }
  await withTextSink(csv, io, async (sink) => {
    await sink.write(formatCsv([entriesAsCsv.columns]));
    for await (const data of pages) await sink.write(formatCsv(entriesAsCsv.rowsOf({ data })));
  });
  return found;
}

export function entriesCommand(io: CommandIo): Command {
  return withOrderedRange(
    withUploader(
      readCommand('entries', 'list the entries that nobody has explained yet, by account and day'),
    ),
  )
    .option('--account <account>', 'only this account: its account_id, ending or name')
    .option('--from <day>', 'first day', parseDay)
    .option('--to <day>', 'first day after the range', parseDay)
    .addOption(new Option('--outcome <outcome>', 'only entries with this outcome').choices(entryOutcomes))
    .option('--csv <file>', 'write all of them to this file as CSV, instead of a list')
    .addOption(limitOption(50))
    .addOption(skipOption())
    .action((kind: EnvironmentKind, company: string, options: EntriesOptions) =>
      runRead(
        io,
        async ({ environmentOf, accounts, lines }) => {
          const environmentId = await environmentOf({ company, kind });
          const { account: named, from, to, outcome } = options;
          const account = named === undefined ? undefined : await accounts.find(environmentId, named);
          const last = to === undefined ? undefined : previousDay(to);
          const filter = { accountId: account?.accountId, from, to: last, outcome };
          return entriesOf(io, entriesToExplain(lines, environmentId, filter), options);
        },
        (found) => {
          if (options.csv !== undefined) return;
          const { rows, hasMore } = pageOf(io, found, options);
          if (options.json) printJson(io, { entries: rows, has_more: hasMore });
          else printTable(io, entryColumns, rows, 'No entries to explain.');
        },
      ),
    );
}
