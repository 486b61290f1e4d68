import {
  type CsvMapping,
  fileLimits,
  type FileProblem,
  readStatementFile,
  type Statement,
  type StatementFile,
} from '@contribution-service/bank-files';

import { type DailyCents, dailyCentsOf } from './matching/daily-cents';
import { cut, type SearchContext, type SourceEntry, sourceEntriesOf } from './matching/source-entries';
import { type StatementTime, timeOf } from './matching/statement-time';

/** A statement as the import stores it. */
export interface ParsedStatement extends Omit<
  Statement,
  'entries' | 'period' | 'line' | 'balances' | 'page' | 'fileOrder'
> {
  time: StatementTime;
  dailyCents: DailyCents | null;
  entryCount: number;
}

/** A file with what the import needs. */
export interface ParsedFile extends Pick<StatementFile, 'format' | 'version'> {
  problems: FileProblem[];
  statements: ParsedStatement[];
  entryCount: number;
}

/** A file with its lines in sets. Each set is created when it is read. */
export interface FileEntries<Sets> {
  file: ParsedFile;
  sets: Sets;
}

/** The number of lines that one database statement inserts. */
const linesAtOnce = 1_000;

function* inSets<Item>(items: Iterable<Item>): Generator<Item[], void> {
  let set: Item[] = [];
  for (const item of items) {
    set.push(item);
    if (set.length < linesAtOnce) continue;
    yield set;
    set = [];
  }
  if (set.length > 0) yield set;
}

/** The tags to find in the texts of a file, and the column mapping of a CSV file. */
export interface ParseContext extends SearchContext {
  mapping?: CsvMapping | undefined;
}

const longestStatementId = 140;

const datesProblems: Readonly<Record<StatementTime['otherDates'], string | null>> = {
  none: null,
  accepted: 'Entries are dated outside the period of the numbered statement, but they count',
  wrong: 'Entries are dated outside the period of the statement',
};

/**
 * Reads a file, checks its totals and finds the transaction ids in it. Wrong totals make all
 * statements of the file unbalanced.
 *
 * @throws StatementFileRefused if the file as a whole cannot be read
 */
export function parseStatementFile(
  bytes: Uint8Array,
  { mapping, ...context }: ParseContext,
): FileEntries<Generator<SourceEntry[], void>> {
  // Entries that were stored before must keep their identity, so a repeated upload adds none.
  const file = readStatementFile(bytes, mapping, { keepsReferences: true });
  const statements = file.statements.map((statement): ParsedStatement => {
    const { id, accountNumber, accountEnding, kind, sequence, currency, openingCents, closingCents, madeAt } =
      statement;
    const balance = file.problems.length > 0 ? 'unbalanced' : statement.balance;
    const time = timeOf(statement);
    return {
      id: id === null ? null : cut(id, longestStatementId),
      accountNumber,
      accountEnding,
      kind,
      sequence,
      madeAt,
      currency: currency === null ? null : cut(currency, 3),
      openingCents,
      closingCents,
      balance,
      time,
      dailyCents: dailyCentsOf({ ...statement, balance }, time),
      entryCount: statement.entries.length,
    };
  });
  const problems = [
    ...file.problems,
    ...file.statements.flatMap(({ line }, at) => {
      const message = datesProblems[statements[at]?.time.otherDates ?? 'none'];
      return message === null ? [] : [{ line, message }];
    }),
  ];
  const { count, entries } = sourceEntriesOf(
    file,
    statements.map(({ time }) => time),
    context,
  );
  return {
    file: {
      format: file.format,
      version: file.version,
      problems: problems.slice(0, fileLimits.problems),
      statements,
      entryCount: count,
    },
    sets: inSets(entries),
  };
}
