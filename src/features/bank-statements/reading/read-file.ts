import {
  type CsvMapping,
  fileLimits,
  readStatementChunks,
  type Statement,
  type StatementFile,
  StatementFileRefused,
} from '@contribution-service/bank-files';
import { v5 as uuidv5 } from 'uuid';

import { readStatement } from '../rules/reading/read-statement';
import type { StatementDay, StatementHead } from '../rules/reading/statement';
import { createNumbering, type NumberedLine } from '../statements/number-equal-lines';
import type { Pieces } from './pieces';
import { createSearch, type SearchContext } from './search-ids';
import { unpacked } from './unpack';

export interface ReadContext extends SearchContext {
  /** The columns of a CSV file. */
  mapping?: CsvMapping | undefined;
  /**
   * A UUID of the attempt. The ids of the statements follow from it, so the lines of two attempts
   * never mix: another release may read the file in another way.
   */
  attemptId: string;
}

/** What a statement states about its account. Never store or show the number. */
export type StatedAccount = Pick<Statement, 'accountNumber' | 'accountEnding' | 'currency'>;

/** A file without its lines. */
export interface ReadFile extends Omit<StatementFile, 'statements'> {
  /** The accounts of its statements, in their order. */
  accounts: StatedAccount[];
}

/** Lines of a statement, or its end. `statement` is its number in the file, from 1. */
export type FilePart =
  | { statement: number; lines: NumberedLine[] }
  | { statement: number; head: StatementHead; days: StatementDay[] };

/** The number of lines that one database statement inserts. */
export const linesInPart = 1_000;
/** One transaction publishes the days of a file, and each is compared. */
const mostDays = 4_000;
const mostDaysOfStatement = 400;

/** The id of a statement of an attempt. `number` counts from 1. */
const statementIdOf = (attemptId: string, number: number): string => uuidv5(String(number), attemptId);

/** Whether the file has problems in the lines of a statement. */
export function hasProblems({ statements, problems }: StatementFile, at: number): boolean {
  const start = statements[at]?.line ?? Infinity;
  const end = statements[at + 1]?.line ?? Infinity;
  return problems.some(({ line }) => line >= start && line < end);
}

function* partsOf(file: StatementFile, context: ReadContext): Generator<FilePart, void> {
  const { format } = file;
  const uploadedOn = context.now.toISOString().slice(0, 10);
  const search = createSearch(context);
  let dayCount = 0;
  for (const [at, one] of file.statements.entries()) {
    const statement = at + 1;
    const reading = readStatement(one, {
      ...{ statementId: statementIdOf(context.attemptId, statement), format, uploadedOn, search },
      hasProblems: hasProblems(file, at),
    });
    const numbered = createNumbering();
    let lines: NumberedLine[] = [];
    for (const line of reading.lines) {
      lines.push(numbered(line));
      if (lines.length < linesInPart) continue;
      yield { statement, lines };
      lines = [];
    }
    if (lines.length > 0) yield { statement, lines };
    const { head, days } = reading.end();
    if (days.length > mostDaysOfStatement) {
      throw new StatementFileRefused(
        `A statement has more than ${mostDaysOfStatement} days. Upload a file for each year.`,
      );
    }
    dayCount += days.length;
    if (dayCount > mostDays) {
      throw new StatementFileRefused(
        `The statements of the file have more than ${mostDays} days. Split the file.`,
      );
    }
    yield { statement, head, days };
  }
}

/**
 * Unpacks and reads a file, and finds the transaction ids in it. It takes up the CPU, so it belongs
 * into a thread.
 *
 * @returns each part is created when it is read, and may throw StatementFileRefused
 * @throws StatementFileRefused if the file as a whole cannot be read
 */
export async function readFile(
  pieces: Pieces,
  context: ReadContext,
): Promise<{ file: ReadFile; parts: Iterator<FilePart, void> }> {
  const read = await readStatementChunks(unpacked(pieces), context.mapping);
  const { statements, problems, ...file } = read;
  const accounts = statements.map(({ accountNumber, accountEnding, currency }) => ({
    ...{ accountNumber, accountEnding, currency },
  }));
  return {
    file: { ...file, problems: problems.slice(0, fileLimits.problems), accounts },
    parts: partsOf(read, context),
  };
}
