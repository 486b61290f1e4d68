import type { CsvMapping } from './csv-mapping';
import { findIds, type IdScheme } from './find-ids';
import { type EntryProblem, idsOutcome, type Outcome, problemOf } from './outcomes';
import { readStatementFile } from './read-statement-file';
import type { EntryPart, FileProblem, StatementEntry, StatementFile } from './statement-file';

type Stated = 'line' | 'direction' | 'currency' | 'bookingDate' | 'bankReference' | 'returnCode';

/** An entry, or a part of a batch entry. */
export interface CheckedEntry extends Pick<StatementEntry, Stated> {
  /** Null if it is not stated or cannot be read. */
  amountCents: bigint | null;
  outcome: Outcome;
  /** What is wrong with the entry. */
  detail: string | null;
  /** Empty for an entry that cannot be trusted: nothing may be assigned to its ids. */
  ids: string[];
}

export interface CheckedFile extends StatementFile {
  entries: CheckedEntry[];
}

interface CheckOptions {
  ids: IdScheme;
  /** The columns of a CSV file. */
  mapping?: CsvMapping | undefined;
  /** Whether to search `furtherReferences` too. */
  searchFurther?: boolean | undefined;
}

function detailOf({ unreadable, parts }: StatementEntry, problem: EntryProblem | null): string | null {
  if (problem !== 'sums_differ') return unreadable;
  const [count, verb] = parts.length === 1 ? ['only part', 'does'] : [`${parts.length} parts`, 'do'];
  return `the ${count} ${verb} not sum to the entry`;
}

function checkEntry(entry: StatementEntry, { ids: scheme, searchFurther }: CheckOptions): CheckedEntry[] {
  const problem = problemOf(entry);
  const detail = detailOf(entry, problem);
  const parts: EntryPart[] = problem === null && entry.parts.length > 0 ? entry.parts : [entry];
  return parts.map((part) => {
    const texts = [...part.references, ...((searchFurther && part.furtherReferences) || [])];
    const { ids, damaged } = findIds(problem === null ? texts : [], scheme);
    return {
      line: part.line,
      outcome: problem ?? idsOutcome(ids.length, damaged.length > 0),
      detail,
      direction: part.direction,
      amountCents: problem === 'unreadable' ? null : part.amountCents,
      currency: part.currency,
      bookingDate: entry.bookingDate,
      bankReference: entry.bankReference,
      ids,
      returnCode: part.returnCode,
    };
  });
}

/** The contradictions in the statements. */
function problemsOf(file: StatementFile): FileProblem[] {
  const unbalanced = file.statements
    .filter(({ balance }) => balance === 'unbalanced')
    .map(({ line }) => ({
      line,
      message: 'The opening balance and the booked entries do not sum to the closing balance',
    }));
  return [...file.problems, ...unbalanced].sort((one, other) => one.line - other.line);
}

/**
 * Reads a file, checks its totals, and finds ids in the texts of its entries.
 *
 * @throws StatementFileRefused if the file as a whole cannot be read
 */
export function checkStatementFile(bytes: Uint8Array, options: CheckOptions): CheckedFile {
  const file = readStatementFile(bytes, options.mapping);
  return {
    ...file,
    problems: problemsOf(file),
    entries: file.statements.flatMap(({ entries }) =>
      [...entries].flatMap((entry) => checkEntry(entry, options)),
    ),
  };
}
