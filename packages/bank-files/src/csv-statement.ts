import { CsvError, parse } from 'csv-parse/sync';

import { amountOf, type Money, moneyOf } from './csv-amounts';
import { type Columns, HeaderSearch, type Row } from './csv-columns';
import { dateReader } from './csv-dates';
import type { CsvColumn, CsvMapping, CsvReading } from './csv-mapping';
import { QuestionSearch } from './csv-questions';
import { fileLimits, limitNumber } from './file-limits';
import { linesOf } from './lines';
import { PackedList } from './packed-list';
import {
  balanceOf,
  newStatement,
  plainEntry,
  referencesOf,
  signedCents,
  type StatedBalance,
  type StatementEntry,
  type StatementFile,
} from './statement-file';
import { StatementFileRefused } from './statement-file-refused';

const countOf = (text: string, character: string): number => text.split(character).length - 1;

/**
 * Measures the records first. csv-parse builds a list of all cells of a record, however long. A
 * list that exceeds the memory of the thread would end the whole process.
 *
 * @returns the last line if it does not end, because the file may be cut within it
 * @throws StatementFileRefused if a record is too long
 */
function checkRecords(text: string, { delimiter }: CsvMapping): number | undefined {
  let openLine: number | undefined;
  let start = 1;
  let length = 0;
  let columns = 1;
  let isQuoted = false;
  for (const { line, raw } of linesOf(text)) {
    openLine = raw === '' ? undefined : line;
    length += raw.length + 1;
    if (length > fileLimits.lineLength) {
      throw new StatementFileRefused(`The row on line ${start} has too many characters.`);
    }
    columns += countOf(raw, delimiter);
    if (columns > fileLimits.columns) {
      throw new StatementFileRefused(`The row on line ${start} has more than ${fileLimits.columns} columns.`);
    }
    // A doubled quotation mark within a quoted text counts twice, so it changes nothing.
    if (countOf(raw, '"') % 2 === 1) isQuoted = !isQuoted;
    if (isQuoted) continue;
    start = line + 1;
    length = 0;
    columns = 1;
  }
  return openLine;
}

/** @param onRow is called for each row, because a list of all rows would take much memory */
function readRows(text: string, { delimiter }: CsvMapping, onRow: (row: Row) => void): void {
  try {
    parse(text, {
      delimiter,
      // The same line ends as in `linesOf`.
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
      relax_column_count: true,
      max_record_size: fileLimits.lineLength,
      on_record: (cells: string[], { lines }) => {
        onRow({ cells, line: lines });
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = (error as { lines?: number }).lines;
    throw new StatementFileRefused(
      `The CSV file is damaged${line === undefined ? '' : ` near line ${line}`}.`,
    );
  }
}

/** The money of a line, with its fee. */
interface Priced extends Money {
  chargesCents: bigint;
  statedCents: bigint | undefined;
}

/** @returns undefined if the fee cannot be read */
function withFee(money: Money, written: string, { fee, decimal }: CsvMapping): Priced | undefined {
  const { direction, cents, currency } = money;
  if (!fee || written.trim() === '') return { ...money, chargesCents: 0n, statedCents: undefined };
  const amount = amountOf(written, decimal);
  if (!amount) return undefined;
  const feeCents = amount.isNegative === (fee.is_negative ?? false) ? amount.cents : -amount.cents;
  const stated = signedCents(direction, cents);
  const [before, after] = fee.is_deducted ? [stated + feeCents, stated] : [stated, stated - feeCents];
  const isSameSide = before !== 0n && before * after >= 0n;
  return {
    currency,
    direction: after > 0n || (after === 0n && direction === 'credit') ? 'credit' : 'debit',
    cents: after < 0n ? -after : after,
    chargesCents: feeCents > 0n && isSameSide ? feeCents : 0n,
    statedCents: feeCents !== 0n && isSameSide ? (before < 0n ? -before : before) : undefined,
  };
}

const totalWords =
  /^((grand |sub)?-?total|(opening|closing|beginning|ending|starting) balance|summe|saldo|totaal|somme)\b/i;

/** Reads the rows below the header. */
class RowReader {
  readonly #columns: Columns;
  readonly #mapping: CsvMapping;
  readonly #openLine: number | undefined;
  readonly #dateOf: (text: string) => string | undefined;
  readonly #questions: QuestionSearch;

  constructor(columns: Columns, mapping: CsvMapping, openLine: number | undefined) {
    this.#columns = columns;
    this.#mapping = mapping;
    this.#openLine = openLine;
    this.#dateOf = dateReader(mapping.date_format);
    this.#questions = new QuestionSearch(columns, mapping);
  }

  questions(): CsvReading['questions'] {
    return this.#questions.questions();
  }

  #texts(cells: readonly string[], columns: readonly CsvColumn[] = []): string[] {
    const places = columns.flatMap((column) => this.#columns.placesOf(column));
    return places.map((place) => (cells[place] ?? '').trim().slice(0, fileLimits.textLength));
  }

  /** @returns undefined for a row that is no entry, such as a total or the end of a report */
  read({ cells, line }: Row): StatementEntry | undefined {
    const mapping = this.#mapping;
    const cell = (column: CsvColumn | undefined): string => cells[this.#columns.placeOf(column)] ?? '';
    const bookingDate = this.#dateOf(cell(mapping.date));
    const hasAmount = [mapping.amount, mapping.credit, mapping.debit].some(
      (column) => cell(column).trim() !== '',
    );
    const first = cells.find((text) => text.trim() !== '')?.trim() ?? '';
    const isTotal = !/\d/.test(cell(mapping.date)) && totalWords.test(first);
    if (bookingDate === undefined && (!hasAmount || isTotal)) return undefined;
    const money = moneyOf(cell, mapping);
    const priced = money && withFee(money, cell(mapping.fee?.column), mapping);
    const currency = cell(mapping.currency).trim().toUpperCase();
    const known = currency || priced?.currency || mapping.currency_code || 'USD';
    const { status } = mapping;
    const word = cell(status?.column).trim().toLowerCase();
    const isBooked = !status || status.booked.some((one) => one.toLowerCase() === word);
    this.#questions.add(cells, money, known);
    return {
      ...plainEntry,
      line,
      direction: priced?.direction ?? 'credit',
      amountCents: priced?.cents ?? 0n,
      currency: known,
      statedCents: priced?.statedCents,
      chargesCents: priced?.chargesCents ?? 0n,
      isBooked,
      bookingDate: bookingDate ?? null,
      code: cell(mapping.code).trim() || undefined,
      ...this.#references(cells),
      unreadable: this.#unreadable(
        { cells, line },
        {
          hasMoney: priced !== undefined && (priced.currency ?? known) === known,
          // A payment that is pending may have no date.
          hasDate: bookingDate !== undefined || !isBooked,
        },
      ),
    };
  }

  #references(
    cells: readonly string[],
  ): Pick<StatementEntry, 'bankReference' | 'identifiers' | 'references' | 'furtherReferences'> {
    const { bank_reference: reference, texts, split_texts: split } = this.#mapping;
    const bankReference = (cells[this.#columns.placeOf(reference)] ?? '').trim() || null;
    const references = referencesOf([bankReference ?? undefined, ...this.#texts(cells, texts)]);
    const joined = this.#texts(cells, split).join(' ').slice(0, fileLimits.textLength);
    return {
      bankReference,
      identifiers: references.filter((text) => !text.includes(' ')),
      references,
      furtherReferences: split === undefined ? undefined : referencesOf([joined]),
    };
  }

  #unreadable(
    { cells, line }: Row,
    { hasMoney, hasDate }: { hasMoney: boolean; hasDate: boolean },
  ): string | null {
    if (line === this.#openLine && cells.length < this.#columns.names.length) return 'the row is cut';
    if (cells.slice(this.#columns.names.length).some((text) => text.trim() !== '')) {
      return 'the row has more columns than the header';
    }
    if (!hasMoney) return 'the amount cannot be read';
    return hasDate ? null : 'the date cannot be read';
  }
}

const mostSkipped = 20;

function balancesOf({
  from,
  to,
  opening_cents: opening,
  closing_cents: closing,
}: CsvMapping): StatedBalance[] {
  return [
    ...(opening === undefined ? [] : [{ isOpening: true, day: from ?? null, cents: opening }]),
    ...(closing === undefined ? [] : [{ isOpening: false, day: to ?? null, cents: closing }]),
  ];
}

/**
 * Reads a CSV file. Lines may stand above its header and below its last entry, and rows may lack
 * their last columns.
 */
export function readCsvStatement(text: string, mapping: CsvMapping): StatementFile {
  const entries = new PackedList<StatementEntry>();
  const csv: CsvReading = { headerLine: null, skippedLines: [], questions: [] };
  const header = new HeaderSearch(mapping);
  let reader: RowReader | undefined;
  const openLine = checkRecords(text, mapping);
  readRows(text, mapping, (row) => {
    if (!reader) {
      const found = header.find(row);
      if (!found) return;
      reader = new RowReader(found.columns, mapping, openLine);
      if (found.isHeader) {
        csv.headerLine = row.line;
        return;
      }
    }
    const entry = reader.read(row);
    if (entry) entries.push(entry);
    else if (csv.skippedLines.length < mostSkipped) csv.skippedLines.push(row.line);
    limitNumber('entries', entries.length);
  });
  if (!reader) return header.refuse();
  csv.questions = reader.questions();
  const { from, to, opening_cents: openingCents = null, closing_cents: closingCents = null } = mapping;
  const period = from === undefined || to === undefined ? null : { from, to };
  const balances = balancesOf(mapping);
  const statement = newStatement({
    line: 1,
    kind: 'final',
    period,
    openingCents,
    closingCents,
    balances,
    entries,
  });
  statement.balance = balanceOf(statement);
  return { format: 'csv', version: null, statements: [statement], problems: [], csv };
}
