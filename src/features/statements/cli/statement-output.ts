import type { FileRows, ShownFile } from '../operator/bank-statements.service';
import { unexplainedOutcomes } from '../operator/unexplained-outcomes';
import { formatCents } from '../../../shared/money';
import { type CommandIo, printLine } from '../../../operator/cli/command-io';
import { type List, printJson, printList, printRecord, rowAsJson } from '../../../operator/cli/output';

type Statement = FileRows[number];

const dollars = (cents: string | null): string | null => (cents === null ? null : formatCents(BigInt(cents)));

/** A file has no statements until an interrupted upload is repeated. */
const statementsOf = (file: FileRows): Statement[] =>
  file.filter((row) => (row.number as number | null) !== null);

const listedStatements: List<Statement> = {
  name: 'statements',
  fields: [
    ['number', (statement) => statement.number],
    ['account_id', (statement) => statement.account_id],
    ['bank_statement_id', (statement) => statement.bank_statement_id, 'STATEMENT'],
    ['account_ending', (statement) => statement.ending, 'ACCOUNT', 'whole'],
    ['kind', (statement) => statement.kind],
    ['period_from', (statement) => statement.period_from, 'FROM', 'whole'],
    ['period_to', (statement) => statement.period_to, 'TO', 'whole'],
    ['opening_balance', (statement) => dollars(statement.opening_cents), 'OPENING', 'whole'],
    ['closing_balance', (statement) => dollars(statement.closing_cents), 'CLOSING', 'whole'],
    [
      'balance',
      ({ balance }) => balance,
      'BALANCE',
      'whole',
      ({ balance }) => (balance === 'unbalanced' ? 'red' : undefined),
    ],
    [
      'continuity',
      ({ continuity }) => continuity,
      'CONTINUITY',
      'whole',
      ({ continuity }) => (continuity === 'broken' ? 'red' : undefined),
    ],
    ['entries', (statement) => statement.statement_entries, 'ENTRIES', 'whole'],
  ],
  whenEmpty: '',
};

export const fileBody = (file: FileRows) => ({
  file_id: file[0].file_id,
  state: file[0].state,
  format: file[0].format,
  version: file[0].version,
  received_at: file[0].received_at,
  entries: file[0].entry_count,
  matched_entries: file[0].matched_count,
  problems: file[0].problems,
  statements: statementsOf(file).map((statement) => rowAsJson(listedStatements, statement)),
  voided_at: file[0].voided_at,
  void_reason: file[0].void_reason,
});

/** A file, with results if its entries were compared. */
export type PrintedFile = Pick<ShownFile, 'file'> & Partial<ShownFile>;

/** Excludes entries with a decision. */
const unexplainedEntries = ({ outcomes = [] }: PrintedFile): number =>
  outcomes
    .filter(({ outcome, isDecided }) => unexplainedOutcomes.includes(outcome) && !isDecided)
    .reduce((sum, { entries }) => sum + entries, 0);

/** Whether a file needs investigation. A voided file needs none. */
export const hasDifferences = (shown: PrintedFile): boolean =>
  shown.file[0].state !== 'voided' &&
  ((shown.differences ?? 0) > 0 ||
    unexplainedEntries(shown) > 0 ||
    shown.file[0].problems.length > 0 ||
    statementsOf(shown.file).some(
      ({ balance, continuity }) => balance === 'unbalanced' || continuity === 'broken',
    ));

function countsOf({ outcomes = [] }: PrintedFile): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome, entries } of outcomes) counts[outcome] = (counts[outcome] ?? 0) + entries;
  return counts;
}

/** @param more additional members of the JSON */
export function printFile(
  io: CommandIo,
  shown: PrintedFile,
  json: boolean | undefined,
  more: Record<string, unknown>,
): void {
  const [file] = shown.file;
  const counts = countsOf(shown);
  const { outcomes, differences = null } = shown;
  const sums = { unexplained_entries: outcomes ? unexplainedEntries(shown) : null, differences };
  if (json) {
    printJson(io, { ...fileBody(shown.file), ...sums, outcomes: counts, ...more });
    return;
  }
  printRecord(io, {
    file_id: file.file_id,
    state: file.state,
    format: file.version === null ? file.format : `${file.format}, version ${file.version}`,
    received: file.received_at,
    entries: file.entry_count,
    matched_entries: file.matched_count,
    ...counts,
    ...(outcomes ? sums : {}),
    ...(file.voided_at ? { voided: file.voided_at, reason: file.void_reason } : {}),
  });
  printList(io, listedStatements, statementsOf(shown.file), false);
  for (const { line, message } of file.problems) printLine(io.stdout, `Line ${line}: ${message}.`);
}
