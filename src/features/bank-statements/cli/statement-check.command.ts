import { readFileSync, statSync } from 'node:fs';

import {
  type CheckedEntry,
  type CheckedFile,
  checkStatementFile,
  type CsvMapping,
  fileLimits,
  type Outcome,
  outcomes,
  StatementFileRefused,
} from '@contribution-service/bank-files';
import { type Command, InvalidArgumentError, Option } from 'commander';

import { formatCents } from '../../../shared/money';
import { OperatorError } from '../../../shared/operator-error';
import { type CommandIo, printLine } from '../../../operator/cli/command-io';
import { exitCodes } from '../../../operator/cli/exit-codes';
import { runWithoutSettings } from '../../../operator/cli/operator';
import { limitOption, readCommand, skipOption } from '../../../operator/cli/options';
import {
  type List,
  oneMore,
  pageOf,
  type Paging,
  printList,
  printRecord,
  rowAsJson,
} from '../../../operator/cli/output';
import { transactionIds } from '../reading/search-ids';
import { questionTexts } from '../statements/csv-questions';
import { mappingOption } from './statement-mapping';

/** Outcomes that indicate a damaged entry, as opposed to a payment for another purpose. */
const outcomesToInspect: ReadonlySet<Outcome> = new Set([
  'several_references',
  'wrong_check_character',
  'sums_differ',
  'unreadable',
]);

interface CheckOptions extends Paging {
  json?: boolean;
  mapping?: CsvMapping;
  outcome?: Outcome;
  tag?: string[];
}

const amountOf = (cents: bigint | null): string | null => (cents === null ? null : formatCents(cents));

const listedEntries: List<CheckedEntry> = {
  name: 'entries',
  fields: [
    ['line', (entry) => entry.line, 'LINE', 'whole'],
    [
      'outcome',
      (entry) => entry.outcome,
      'OUTCOME',
      'whole',
      (entry) => (outcomesToInspect.has(entry.outcome) ? 'red' : undefined),
    ],
    ['direction', (entry) => entry.direction, 'DIRECTION', 'whole'],
    ['amount', (entry) => amountOf(entry.amountCents), 'AMOUNT', 'whole'],
    ['transaction_ids', (entry) => entry.ids, 'TRANSACTION_ID', 'whole'],
    ['currency', (entry) => entry.currency, 'CURRENCY', 'whole'],
    ['booking_date', (entry) => entry.bookingDate, 'DATE', 'whole'],
    ['bank_reference', (entry) => entry.bankReference, 'BANK_REFERENCE'],
    ['return_code', (entry) => entry.returnCode, 'RETURN'],
    ['detail', (entry) => entry.detail, 'DETAIL', 'wrap'],
  ],
  whenEmpty: 'No entries found.',
};

const listedStatements: List<CheckedFile['statements'][number]> = {
  name: 'statements',
  fields: [
    ['line', (statement) => statement.line],
    ['id', (statement) => statement.id, 'STATEMENT'],
    ['account_ending', (statement) => statement.accountEnding, 'ACCOUNT', 'whole'],
    ['currency', (statement) => statement.currency],
    ['opening_balance', (statement) => amountOf(statement.openingCents), 'OPENING', 'whole'],
    ['closing_balance', (statement) => amountOf(statement.closingCents), 'CLOSING', 'whole'],
    ['balance', (statement) => statement.balance, 'BALANCE', 'whole'],
    ['entries', (statement) => statement.entries.length, 'ENTRIES', 'whole'],
  ],
  whenEmpty: '',
};

function countsOf(entries: readonly CheckedEntry[]): [Outcome, number][] {
  return outcomes
    .map((outcome): [Outcome, number] => [
      outcome,
      entries.filter((entry) => entry.outcome === outcome).length,
    ])
    .filter(([, count]) => count > 0);
}

function show(io: CommandIo, file: CheckedFile, options: CheckOptions): void {
  const entries = file.entries.filter(({ outcome }) => (options.outcome ?? outcome) === outcome);
  const questions = questionTexts(file.csv?.questions ?? []);
  if (options.json) {
    printList(io, listedEntries, entries, true, {
      format: file.format,
      version: file.version,
      statements: file.statements.map((statement) => rowAsJson(listedStatements, statement)),
      counts: Object.fromEntries(countsOf(file.entries)),
      problems: file.problems,
      questions,
    });
    return;
  }
  printRecord(io, {
    format: file.version === null ? file.format : `${file.format}, version ${file.version}`,
    ...Object.fromEntries(countsOf(file.entries)),
  });
  printList(io, listedStatements, file.statements, false);
  for (const { line, message } of file.problems) printLine(io.stdout, `Line ${line}: ${message}.`);
  for (const question of questions) printLine(io.stdout, question);
  const { limit, skip } = oneMore(options);
  const page = pageOf(io, entries.slice(skip, skip + limit), options);
  printList(io, listedEntries, page.rows, false);
}

export function readBytes({ readStdin }: Pick<CommandIo, 'readStdin'>, file: string): Uint8Array {
  try {
    // Do not read a file that is too large.
    if (file !== '-' && statSync(file).size > fileLimits.bytes) return new Uint8Array(fileLimits.bytes + 1);
    return file === '-' ? readStdin() : readFileSync(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'no reason given';
    throw new OperatorError(`The file cannot be read: ${reason}`);
  }
}

function check(io: CommandIo, file: string, options: CheckOptions): void {
  try {
    const tags = options.tag === undefined ? undefined : new Set(options.tag);
    const checked = checkStatementFile(readBytes(io, file), {
      ids: transactionIds(new Date(), tags),
      mapping: options.mapping,
    });
    show(io, checked, options);
    if (
      checked.problems.length > 0 ||
      (checked.csv?.questions ?? []).length > 0 ||
      checked.entries.some(({ outcome }) => outcomesToInspect.has(outcome))
    ) {
      io.exitCode = exitCodes.found;
    }
  } catch (error) {
    if (error instanceof StatementFileRefused) throw new OperatorError(error.message);
    throw error;
  }
}

function parseTag(text: string, before: string[] | undefined): string[] {
  const tag = text.toUpperCase();
  if (!/^[A-HJKMNP-TV-Z][0-9A-HJKMNP-TV-Z]{3}$/.test(tag)) {
    throw new InvalidArgumentError('A tag is the first four characters of a transaction_id.');
  }
  return [...(before ?? []), tag];
}

export function checkCommand(io: CommandIo): Command {
  return readCommand(
    'check',
    'read a bank statement (camt.052, camt.053, camt.054, BAI2, NACHA returns or CSV), check its totals and find its transaction ids. The command needs no settings and no database, and stores nothing. Exit code 3: found damaged or ambiguous references, wrong totals, unreadable entries, or columns of a CSV file that the mapping must explain',
  )
    .argument('<file>', 'the file, or - for standard input')
    .addOption(mappingOption())
    .addOption(new Option('--outcome <outcome>', 'list only entries with this outcome').choices(outcomes))
    .addOption(
      new Option(
        '--tag <tag...>',
        'find only ids that begin with one of these tags, and find them inside longer words too; "companies show" shows the tag of each environment',
      ).argParser(parseTag),
    )
    .addOption(limitOption(50))
    .addOption(skipOption())
    .action((file: string, options: CheckOptions) =>
      runWithoutSettings(io, () => {
        check(io, file, options);
      }),
    );
}
