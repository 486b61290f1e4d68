import {
  type CsvMapping,
  type EntryPart,
  type FileProblem,
  readStatementFile,
  signedCents,
  type StatementEntry,
  type StatementFile,
} from '@contribution-service/bank-files';

import { idsOutcome, type Outcome } from './checked-outcome.field';
import { findTransactionIds, type SearchOptions } from './matching/find-transaction-ids';

/** Outcomes that indicate a damaged entry, as opposed to a payment for another purpose. */
export const outcomesToInspect: ReadonlySet<Outcome> = new Set([
  'several_references',
  'wrong_check_character',
  'sums_differ',
  'unreadable',
]);

/** An entry, or a part of a batch entry. */
export interface CheckedEntry {
  line: number;
  outcome: Outcome;
  detail: string | null;
  direction: EntryPart['direction'];
  amountCents: bigint | null;
  currency: string;
  bookingDate: string | null;
  bankReference: string | null;
  transactionIds: string[];
  returnCode: string | null;
}

export interface CheckedFile extends StatementFile {
  entries: CheckedEntry[];
}

/** Whether the parts may replace their entry: each has an amount, and they add up to the entry. */
function sumToEntry({ parts, direction, amountCents, currency }: StatementEntry): boolean {
  if (parts.some((part) => part.amountCents === null || part.currency !== currency)) return false;
  const sum = parts.reduce((total, part) => total + signedCents(part.direction, part.amountCents ?? 0n), 0n);
  return sum === signedCents(direction, amountCents);
}

function checkEntry(entry: StatementEntry, search: SearchOptions): CheckedEntry[] {
  const checked = (part: EntryPart, given?: Outcome, detail: string | null = null): CheckedEntry => {
    const { transactionIds, hasWrongCheckCharacter } = findTransactionIds(part.references, search);
    return {
      line: part.line,
      outcome: given ?? idsOutcome(transactionIds.length, hasWrongCheckCharacter),
      detail,
      direction: part.direction,
      amountCents: part.amountCents,
      currency: part.currency,
      bookingDate: entry.bookingDate,
      bankReference: entry.bankReference,
      // An entry that cannot be trusted must not be assigned to contributions.
      transactionIds: given === undefined ? transactionIds : [],
      returnCode: part.returnCode,
    };
  };
  if (entry.unreadable !== null) {
    return [{ ...checked(entry, 'unreadable', entry.unreadable), amountCents: null }];
  }
  if (entry.currency !== 'USD') return [checked(entry, 'other_currency')];
  if (!entry.isBooked) return [checked(entry, 'not_booked')];
  if (entry.parts.length === 0) return [checked(entry)];
  if (!sumToEntry(entry)) {
    const [count, verb] =
      entry.parts.length === 1 ? ['only part', 'does'] : [`${entry.parts.length} parts`, 'do'];
    return [checked(entry, 'sums_differ', `the ${count} ${verb} not sum to the entry`)];
  }
  return entry.parts.map((part) => checked(part));
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
 * Reads a bank's file and the transaction ids in it.
 *
 * @param mapping the columns of a CSV file
 * @throws StatementFileRefused if the file as a whole cannot be read
 */
export function checkStatementFile(
  bytes: Uint8Array,
  search: SearchOptions,
  mapping?: CsvMapping,
): CheckedFile {
  const file = readStatementFile(bytes, mapping);
  return {
    ...file,
    problems: problemsOf(file),
    entries: file.statements.flatMap(({ entries }) =>
      [...entries].flatMap((entry) => checkEntry(entry, search)),
    ),
  };
}
