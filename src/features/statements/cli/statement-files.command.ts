import { type Command, Option } from 'commander';

import { entryOutcomes } from '../statement.fields';
import type { EntryBodyRow } from '../statement-rows';
import { formatCents } from '../../../shared/money';
import type { EnvironmentKind } from '../../../shared/scopes';
import type { ChangeOptions } from '../../../operator/cli/change';
import type { FileRows } from '../operator/bank-statements.service';
import type { CommandIo } from '../../../operator/cli/command-io';
import { exitCodes } from '../../../operator/cli/exit-codes';
import {
  changeCommand,
  environmentArgument,
  limitOption,
  readCommand,
  parseReason,
  parseUuid,
  printResult,
  skipOption,
} from '../../../operator/cli/options';
import {
  type Columns,
  type List,
  oneMore,
  pageOf,
  type Paging,
  printJson,
  printList,
  printTable,
  rowAsJson,
} from '../../../operator/cli/output';
import { fileBody, hasDifferences, printFile } from './statement-output';
import { runChange, runRead } from './statements.operations';

interface PageOptions extends Paging {
  json?: boolean;
}

/** The environment that uploaded, or uploads, statements. */
export const withUploader = (command: Command): Command =>
  command
    .addArgument(environmentArgument())
    .argument('<company>', 'name or company_id of the company to which the statements belong');

const withFile = (command: Command): Command =>
  withUploader(command).argument(
    '<file-id>',
    'file_id, as "statements list" shows it',
    parseUuid('A file_id is a UUID. "statements list" shows it.'),
  );

const endingsOf = (file: FileRows): string[] => [...new Set(file.flatMap(({ ending }) => ending ?? []))];

const columns: Columns<FileRows> = [
  ['FILE_ID', ([file]) => file.file_id, 'whole'],
  ['STATE', ([file]) => file.state, 'whole'],
  ['RECEIVED', ([file]) => file.received_at, 'whole'],
  ['FORMAT', ([file]) => file.format, 'whole'],
  ['ENTRIES', ([file]) => file.entry_count, 'whole'],
  ['MATCHED', ([file]) => file.matched_count, 'whole'],
  [
    'PROBLEMS',
    ([file]) => file.problems.length,
    'whole',
    ([file]) => (file.problems.length > 0 ? 'red' : undefined),
  ],
  ['ACCOUNTS', endingsOf],
];

export function listCommand(io: CommandIo): Command {
  return withUploader(readCommand('list', 'list uploaded bank statements, newest first'))
    .addOption(limitOption(50))
    .addOption(skipOption())
    .action((kind: EnvironmentKind, company: string, options: PageOptions) =>
      runRead(
        io,
        ({ bankStatements }) => bankStatements.list({ company, kind }, oneMore(options)),
        (found) => {
          const { rows, hasMore } = pageOf(io, found, options);
          if (options.json) printJson(io, { files: rows.map(fileBody), has_more: hasMore });
          else printTable(io, columns, rows, 'No bank statements found.');
        },
      ),
    );
}

type Entry = readonly EntryBodyRow[];

const first =
  <Value>(of: (row: EntryBodyRow) => Value) =>
  ([row]: Entry): Value | undefined =>
    row && of(row);
const amountOf = (cents: string | null): string | null =>
  cents === null ? null : formatCents(BigInt(cents));
const idsOf = (entry: Entry): string[] => entry.flatMap((row) => row.transaction_id ?? []);

const listedEntries: List<Entry> = {
  name: 'listed_entries',
  fields: [
    ['entry_id', first((entry) => entry.entry_id), 'ENTRY_ID', 'whole'],
    ['outcome', first((entry) => entry.outcome), 'OUTCOME', 'whole'],
    ['reason', first((entry) => entry.reason), 'REASON', 'whole'],
    ['is_decided', first((entry) => entry.is_decided)],
    ['direction', first((entry) => entry.direction), 'DIRECTION', 'whole'],
    ['amount', first((entry) => amountOf(entry.amount_cents)), 'AMOUNT', 'whole'],
    ['currency', first((entry) => entry.currency), 'CURRENCY', 'whole'],
    ['booking_date', first((entry) => entry.booking_date), 'DATE', 'whole'],
    ['transaction_ids', idsOf, 'TRANSACTION_ID'],
    ['bank_reference', first((entry) => entry.bank_reference), 'BANK_REFERENCE'],
    ['return_code', first((entry) => entry.return_code)],
  ],
  whenEmpty: 'No entries found.',
};

export function showCommand(io: CommandIo): Command {
  return withFile(
    readCommand(
      'show',
      'show a bank statement and its entries. Exit code 3: entries are unexplained, amounts differ, the file has problems or wrong totals, or an earlier statement is missing',
    ),
  )
    .addOption(
      new Option('--outcome <outcome>', 'list only entries with this outcome').choices(entryOutcomes),
    )
    .addOption(limitOption(50))
    .addOption(skipOption())
    .action(
      (
        kind: EnvironmentKind,
        company: string,
        fileId: string,
        { outcome, ...options }: PageOptions & { outcome?: string },
      ) =>
        runRead(
          io,
          async ({ bankStatements }) => ({
            shown: await bankStatements.show({ company, kind }, fileId),
            entries: await bankStatements.entries({ company, kind }, fileId, {
              outcome,
              ...oneMore(options),
            }),
          }),
          ({ shown, entries }) => {
            const { rows, hasMore } = pageOf(io, entries, options);
            const more = {
              listed_entries: rows.map((row) => rowAsJson(listedEntries, row)),
              has_more: hasMore,
            };
            printFile(io, shown, options.json, more);
            if (!options.json) printList(io, listedEntries, rows, false);
            if (hasDifferences(shown)) io.exitCode = exitCodes.found;
          },
        ),
    );
}

export function voidCommand(io: CommandIo): Command {
  return withFile(
    changeCommand(
      'void',
      'void a bank statement, for example one of another account. Its entries no longer count, unless another file has them too. The file can be imported again',
    ),
  )
    .requiredOption('--reason <text>', 'reason for voiding the file', parseReason)
    .action(
      (
        kind: EnvironmentKind,
        company: string,
        fileId: string,
        { reason, ...options }: ChangeOptions & { reason: string },
      ) =>
        runChange(
          io,
          {
            command: 'statements void',
            arguments: { reason },
            work: ({ bankStatements }) => bankStatements.void({ company, kind }, fileId, reason),
            record: (changed) => ({ target: `${company} ${kind} statement ${fileId}`, result: { changed } }),
            leaves: (changed) =>
              changed
                ? `The bank statement ${fileId} is void now. To undo it, import the file again with "statements import".`
                : undefined,
          },
          options,
          (changed) => {
            printResult(io, options, { file_id: fileId, state: 'voided', changed });
          },
        ),
    );
}
