import { natureOfBai2 } from './bank-transaction-codes';
import {
  type BaiRecord,
  fieldsOf,
  fundsFields,
  integerOf,
  readRecords,
  textAfter,
  uncutText,
} from './bai2-records';
import { fileLimits } from './file-limits';
import type { ReadOptions } from './read-options';
import {
  addStatement,
  balanceOf,
  dayOfDigits,
  type EntryPart,
  type FileProblem,
  largestStatedCents,
  newStatement,
  plainEntry,
  referencesOf,
  type Statement,
  type StatementEntry,
  type StatementFile,
} from './statement-file';
import { StatementFileRefused } from './statement-file-refused';

const directionOf = (type: string): EntryPart['direction'] | undefined => {
  // Banks define the codes from 900 themselves: 920 to 959 are credits, 960 to 999 are debits.
  if (/^([123]\d\d|9[2-5]\d)$/.test(type)) return 'credit';
  return /^([456]\d\d|9[6-9]\d)$/.test(type) ? 'debit' : undefined;
};

/** The date, time and number of the file: see `Statement`. */
function fileOrderOf([, , date, time = '', number = '']: readonly string[]): string | null {
  const day = dayOfDigits(date);
  return day === null ? null : `${day}T${time.trim().padStart(4, '0')} ${number.trim().padStart(9, '0')}`;
}

interface Group {
  currency: string;
  date: string | null;
  isInterim: boolean;
  fileOrder: string | null;
}

function readEntry(
  record: BaiRecord,
  { currency, date, keepsReferences }: Pick<Group, 'currency' | 'date'> & ReadOptions,
): StatementEntry {
  const fields = fieldsOf(record);
  const [type = '', amount, funds, next] = fields;
  const isUnknown = keepsReferences && /[a-z]/.test(funds ?? '');
  const at = 3 + (isUnknown ? 0 : fundsFields(funds, next));
  const firstLine = record.lines[0]?.length ?? 0;
  // Some banks omit the references, and write the text in the continuation lines.
  const isText = (place: number): boolean => place >= firstLine && /\s/.test(fields[place]?.trim() ?? '');
  const references = isText(at) ? 0 : isText(at + 1) ? 1 : 2;
  const [bankReference = '', customerReference] = fields.slice(at, at + references);
  const amountCents = integerOf(amount?.trim() || '0');
  const direction = directionOf(type);
  const text = textAfter(record, at + references);
  const uncut = uncutText(record, at);
  const identifiers = referencesOf([customerReference, bankReference]);
  return {
    ...plainEntry,
    line: record.line,
    direction: direction ?? 'credit',
    amountCents: amountCents ?? 0n,
    currency,
    bookingDate: date,
    bankReference: bankReference === '' ? null : bankReference,
    identifiers,
    references:
      text === ''
        ? identifiers
        : referencesOf([customerReference, bankReference, text.slice(0, fileLimits.textLength)]),
    furtherReferences: uncut === undefined ? undefined : referencesOf([uncut]),
    nature: natureOfBai2(type),
    code: type,
    unreadable:
      amountCents === undefined || amountCents < 0n || amountCents > largestStatedCents
        ? 'the amount is not a whole number of cents, or too large'
        : direction === undefined
          ? `the type code ${type.slice(0, 10)} is neither a credit nor a debit`
          : null,
  };
}

/** Balances and totals of an account. Each has a type code, amount, item count and funds type. */
function readSummaries(record: BaiRecord): { type: string; amount: bigint }[] {
  const fields = fieldsOf(record).slice(2);
  const found: { type: string; amount: bigint }[] = [];
  for (let at = 0; at < fields.length;) {
    const [type = '', amount, , funds, next] = fields.slice(at, at + 5);
    const value = integerOf(amount);
    if (value !== undefined) found.push({ type, amount: value });
    at += 4 + fundsFields(funds, next);
  }
  return found;
}

function readAccount(record: BaiRecord, group: Group): { statement: Statement; total: bigint } {
  const summaries = readSummaries(record);
  const amountOf = (type: string): bigint | null =>
    summaries.find((summary) => summary.type === type)?.amount ?? null;
  const [number = '', currency = ''] = fieldsOf(record);
  const characters = number.replace(/\s/g, '');
  const openingCents = amountOf('010');
  const closingCents = amountOf('015');
  const statement = newStatement({
    line: record.line,
    accountNumber: characters === '' ? null : number,
    kind: group.isInterim ? 'interim' : 'final',
    period: group.date === null ? null : { from: group.date, to: group.date },
    accountEnding: characters === '' ? null : characters.slice(-4),
    currency: currency === '' ? group.currency : currency,
    openingCents,
    closingCents,
    balances: [
      ...(openingCents === null ? [] : [{ isOpening: true, day: group.date, cents: openingCents }]),
      ...(closingCents === null ? [] : [{ isOpening: false, day: group.date, cents: closingCents }]),
    ],
    fileOrder: group.fileOrder,
  });
  return { statement, total: summaries.reduce((sum, { amount }) => sum + amount, 0n) };
}

/** The sums of one level: an account (49), a group (98) or the file (99). */
interface Level {
  total: bigint;
  lines: number;
  /** The number of elements of the level below. */
  parts: number;
}

function trailerProblems(record: BaiRecord, { total, lines, parts }: Level): FileProblem[] {
  const [stated, ...counts] = fieldsOf(record);
  const expected = record.code === '49' ? [lines] : [parts, lines];
  return [
    ...(integerOf(stated) === total ? [] : [`the control total should be ${total}`]),
    ...(expected.every((count, index) => Number(counts[index]) === count)
      ? []
      : [`the counts should be ${expected.join(' and ')}`]),
  ].map((message) => ({ line: record.line, message: `In record ${record.code}, ${message}` }));
}

const newLevel = (): Level => ({ total: 0n, lines: 0, parts: 0 });

/**
 * Accepts only group statuses 1 (update) and 3 (correction), because only their money has moved.
 *
 * @throws StatementFileRefused for another group
 */
function refuseUnreal(line: number, status: string | undefined): void {
  if (status === '4') throw new StatementFileRefused(`Line ${line}: the group is only a test (status 4).`);
  if (status === '2') {
    throw new StatementFileRefused(
      `Line ${line}: the group deletes an earlier one (status 2). Void the file with the earlier group instead.`,
    );
  }
}

/** The records that may follow each record. A file that ends early is refused. */
const followers: Readonly<{ [code: string]: readonly string[] }> = {
  '': ['01'],
  '01': ['02', '99'],
  '02': ['03', '98'],
  '03': ['16', '49'],
  '16': ['16', '49'],
  '49': ['03', '98'],
  '98': ['02', '99'],
  '99': [],
};

/**
 * Reads BAI2: "Cash Management Balance Reporting Specifications, Version 2" of the Bank
 * Administration Institute. Amounts are whole cents. Control totals are checked.
 */
export function readBai2(text: string, options: ReadOptions = {}): StatementFile {
  const file: StatementFile = { format: 'bai2', version: null, statements: [], problems: [] };
  const levels = { '49': newLevel(), '98': newLevel(), '99': newLevel() };
  let group: Group = { currency: 'USD', date: null, isInterim: false, fileOrder: null };
  let previous = '';
  for (const record of readRecords(text)) {
    if (!followers[previous]?.includes(record.code)) {
      throw new StatementFileRefused(
        `Line ${record.line}: record ${record.code} cannot follow ${previous === '' ? 'the start' : `record ${previous}`}.`,
      );
    }
    previous = record.code;
    const fields = fieldsOf(record);
    for (const level of Object.values(levels)) level.lines += record.lines.length;
    if (record.code === '01') group.fileOrder = fileOrderOf(fields);
    if (record.code === '02') {
      refuseUnreal(record.line, fields[2]);
      group = {
        currency: fields[5] || 'USD',
        date: dayOfDigits(fields[3]),
        // As-of date modifier: 1 and 3 are interim, 2 and 4 are final.
        isInterim: fields[6] === '1' || fields[6] === '3',
        fileOrder: group.fileOrder,
      };
      levels['98'] = { total: 0n, lines: record.lines.length, parts: 0 };
    } else if (record.code === '03') {
      const { statement, total } = readAccount(record, group);
      levels['49'] = { total, lines: record.lines.length, parts: 0 };
      addStatement(file, statement);
    } else if (record.code === '16') {
      const statement = file.statements.at(-1);
      const entry = readEntry(record, {
        ...options,
        date: group.date,
        currency: statement?.currency ?? group.currency,
      });
      // Record 890 is a message without an amount.
      if (fields[0] !== '890') statement?.entries.push(entry);
      levels['49'].total += integerOf(fields[1]) ?? 0n;
    } else if (record.code === '49' || record.code === '98' || record.code === '99') {
      const level = levels[record.code];
      file.problems.push(...trailerProblems(record, level));
      const above = record.code === '49' ? levels['98'] : levels['99'];
      if (record.code !== '99') {
        above.total += level.total;
        above.parts += 1;
      }
    }
  }
  if (previous !== '99') throw new StatementFileRefused('The file ends before its trailer (record 99).');
  for (const statement of file.statements) statement.balance = balanceOf(statement);
  return file;
}
