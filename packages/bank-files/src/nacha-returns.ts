import { fileLimits, limitNumber } from './file-limits';
import { linesOf } from './lines';
import {
  dayOfDigits,
  type EntryPart,
  type FileProblem,
  newStatement,
  plainEntry,
  referencesOf,
  type StatementEntry,
  type StatementFile,
} from './statement-file';
import { StatementFileRefused } from './statement-file-refused';

/** The number of characters of every record. */
const recordLength = 94;

interface NachaRecord {
  line: number;
  text: string;
}

/**
 * The characters between two positions. Positions are inclusive and start at 1, as Nacha counts
 * them.
 */
const field = ({ text }: NachaRecord, from: number, to: number): string => text.slice(from - 1, to).trim();

const integerOf = (text: string): bigint | undefined => (/^\d+$/.test(text) ? BigInt(text) : undefined);

/** Whether a file starts as a NACHA file: record 1, priority code 01. */
export const isNacha = (text: string): boolean => /^\s*101[ 0-9]/.test(text);

function* readRecords(text: string): Generator<NachaRecord, void> {
  for (const { line, raw } of linesOf(text)) {
    if (raw.trim() === '') continue;
    if (raw.trimEnd().length > recordLength) {
      throw new StatementFileRefused(`Line ${line} has more than ${recordLength} characters.`);
    }
    const record = { line, text: raw.padEnd(recordLength) };
    if (!/^[156789]/.test(raw)) {
      throw new StatementFileRefused(`Line ${line} starts with an unknown record type.`);
    }
    // Skip lines of nines, which only fill a block.
    if (!/^9{94}$/.test(raw.trimEnd())) yield record;
  }
}

/** Sums of a batch (record 8) or of the file (record 9). */
interface Level {
  entries: bigint;
  debitCents: bigint;
  creditCents: bigint;
}

const newLevel = (): Level => ({ entries: 0n, debitCents: 0n, creditCents: 0n });

function problemsOf(record: NachaRecord, stated: readonly string[], level: Level): FileProblem[] {
  const expected = [level.entries, level.debitCents, level.creditCents];
  const names = ['count of entries', 'total of debits', 'total of credits'];
  return expected.flatMap((value, at) =>
    integerOf(stated[at] ?? '') === value
      ? []
      : [
          {
            line: record.line,
            message: `In record ${record.text.slice(0, 1)}, the ${names[at] ?? ''} should be ${value}`,
          },
        ],
  );
}

/**
 * The direction by the second digit of a return's transaction code: 1 returns a credit, 6 a debit.
 */
const directions: Readonly<Record<string, EntryPart['direction']>> = { '1': 'credit', '6': 'debit' };

/**
 * Whether a return is dishonored or contested. The file alone cannot tell whether money goes back.
 */
const isDisputed = (code: string): boolean => /^R(6[1-9]|7[0-7])$/.test(code);

function unreadableBecause(
  code: string,
  cents: bigint | undefined,
  direction: EntryPart['direction'] | undefined,
): string | null {
  if (!/^R\d\d$/.test(code)) return 'it has no return code';
  if (isDisputed(code)) return `the return is dishonored or contested (${code})`;
  if (cents === undefined) return 'the amount is not a whole number of cents';
  return direction === undefined ? 'its transaction code is not the code of a return' : null;
}

/** Reads an entry (record 6) with the addendum (record 7) that states the reason of the return. */
function readEntry(entry: NachaRecord, addendum: NachaRecord, bookingDate: string | null): StatementEntry {
  const code = field(addendum, 4, 6);
  const cents = integerOf(field(entry, 30, 39));
  const direction = directions[field(entry, 3, 3)];
  // This reads neither the name nor the account number of the payer.
  const identifiers = referencesOf([field(entry, 40, 54), field(addendum, 7, 21), field(addendum, 80, 94)]);
  return {
    // Bank statements lack the trace number, so it cannot identify the money.
    ...plainEntry,
    line: entry.line,
    direction: direction ?? 'debit',
    amountCents: cents ?? 0n,
    currency: 'USD',
    bookingDate,
    identifiers,
    references: identifiers,
    returnCode: code,
    unreadable: unreadableBecause(code, cents, direction),
  };
}

/** The records that may follow each record. A file that ends early is refused. */
const followers: Readonly<Record<string, string>> = {
  '': '1',
  '1': '59',
  '5': '68',
  '6': '678',
  '7': '678',
  '8': '59',
  '9': '',
};

/** The error for an entry without the addendum of a return. */
const payments = ({ line }: NachaRecord): StatementFileRefused =>
  new StatementFileRefused(`Line ${line}: the file has payments, not only returns.`);

/**
 * Reads the returns of a NACHA file ("ACH Record Format Specifications", appendix of the Nacha
 * Operating Rules): entries with an addendum of type 99. A notification of change
 * (type 98) moves no money and is skipped.
 */
export function readNachaReturns(text: string): StatementFile {
  // The file is a list of returns, not a statement of an account.
  const statement = newStatement({ line: 1, kind: 'notification', currency: 'USD' });
  const problems: FileProblem[] = [];
  const add = (found: readonly FileProblem[]): void => {
    // Stop at the limit, because a file can have 250,000 batches with wrong totals.
    if (problems.length < fileLimits.problems) problems.push(...found);
  };
  const file = newLevel();
  let batch = newLevel();
  let date: string | null = null;
  let previous = '';
  let entry: NachaRecord | undefined;
  for (const record of readRecords(text)) {
    const type = record.text.slice(0, 1);
    if (!(followers[previous] ?? '').includes(type)) {
      const after = previous === '' ? 'the start' : `record ${previous}`;
      throw new StatementFileRefused(`Line ${record.line}: record ${type} cannot follow ${after}.`);
    }
    previous = type;
    if (type === '5') {
      date = dayOfDigits(field(record, 70, 75));
      batch = newLevel();
    } else if (type === '6') {
      if (entry) throw payments(entry);
      entry = record;
      batch.entries += 1n;
      const cents = integerOf(field(record, 30, 39)) ?? 0n;
      if (directions[field(record, 3, 3)] === 'credit') batch.creditCents += cents;
      else batch.debitCents += cents;
    } else if (type === '7') {
      batch.entries += 1n;
      const kind = field(record, 2, 3);
      if (kind === '99' && entry) statement.entries.push(readEntry(entry, record, date));
      else if (kind !== '98') throw payments(record);
      entry = undefined;
    } else if (type === '8') {
      if (entry) throw payments(entry);
      add(problemsOf(record, [field(record, 5, 10), field(record, 21, 32), field(record, 33, 44)], batch));
      file.entries += batch.entries;
      file.debitCents += batch.debitCents;
      file.creditCents += batch.creditCents;
    } else if (type === '9') {
      add(problemsOf(record, [field(record, 14, 21), field(record, 32, 43), field(record, 44, 55)], file));
    }
    limitNumber('entries', statement.entries.length);
  }
  if (previous !== '9') throw new StatementFileRefused('The file ends before its control record (9).');
  return { format: 'nacha', version: null, statements: [statement], problems };
}
