import { readStatementFile } from './files/check-statement-file';
import type { CsvMapping } from './files/csv-mapping.field';
import {
  cut,
  fileLimits,
  type FileProblem,
  type Statement,
  type StatementFile,
} from './files/statement-file';
import { type SearchContext, type SourceEntry, sourceEntriesOf } from './matching/source-entries';
import { type StatementTime, timeOf } from './matching/statement-time';

/** A statement without its entries. */
export interface ParsedStatement extends Omit<Statement, 'entries' | 'period' | 'line' | 'accountEnding'> {
  accountEnding: string | null;
  time: StatementTime;
  entryCount: number;
}

/** A file as the import needs it. */
export interface ParsedFile extends Pick<StatementFile, 'format' | 'version'> {
  problems: FileProblem[];
  statements: ParsedStatement[];
  entries: SourceEntry[];
}

/** What the texts of a file are searched for, and how its columns are read if it is CSV. */
export interface ParseContext extends SearchContext {
  mapping?: CsvMapping | undefined;
}

const longestStatementId = 140;

/**
 * Reads a file, checks its totals and finds the transaction ids in it. Wrong totals make all
 * statements of the file unbalanced.
 *
 * @throws StatementFileRefused if the file as a whole cannot be read
 */
export function parseStatementFile(bytes: Uint8Array, { mapping, ...context }: ParseContext): ParsedFile {
  const file = readStatementFile(bytes, mapping);
  const statements = file.statements.map((statement): ParsedStatement => {
    const { id, accountNumber, accountEnding, kind, sequence, currency, openingCents, closingCents } =
      statement;
    return {
      id: id === null ? null : cut(id, longestStatementId),
      accountNumber,
      accountEnding,
      kind,
      sequence,
      currency: currency === null ? null : cut(currency, 3),
      openingCents,
      closingCents,
      balance: file.problems.length > 0 ? 'unbalanced' : statement.balance,
      time: timeOf(statement),
      entryCount: statement.entries.length,
    };
  });
  return {
    format: file.format,
    version: file.version,
    problems: file.problems.slice(0, fileLimits.problems),
    statements,
    entries: sourceEntriesOf(file, context),
  };
}
