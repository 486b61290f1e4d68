export const csvDelimiters = [',', ';', '\t', '|'] as const;

/** A column: its name in the header, in any case, or its number from 1. */
export type CsvColumn = string | number;

/** How to read the columns of a CSV file. */
export interface CsvMapping {
  date: CsvColumn;
  /**
   * The order and the separators of a date: YYYY or YY, MM or MMM for the name of a month, and DD.
   * A time may follow.
   */
  date_format: string;
  /** A signed amount: a negative one is a debit. */
  amount?: CsvColumn | undefined;
  /** Whether a positive amount is a debit, as some card statements write it. */
  inverted?: boolean | undefined;
  /** Two columns, instead of `amount`. Each line fills one of them. */
  credit?: CsvColumn | undefined;
  debit?: CsvColumn | undefined;
  /** The columns of `credit` and `debit` whose amounts all have a minus. It means nothing else. */
  negative?: ('credit' | 'debit')[] | undefined;
  direction?: CsvDirection | undefined;
  status?: CsvStatus | undefined;
  fee?: CsvFee | undefined;
  decimal: '.' | ',';
  delimiter: (typeof csvDelimiters)[number];
  /** The columns that can contain an id. All columns with such a name count. */
  texts: CsvColumn[];
  /** Columns over which the bank splits one text, in their order. */
  split_texts?: CsvColumn[] | undefined;
  bank_reference?: CsvColumn | undefined;
  /** The kind of entry, such as a column Type. */
  code?: CsvColumn | undefined;
  currency?: CsvColumn | undefined;
  /** The currency of lines that state none, USD by default. */
  currency_code?: string | undefined;
  /** Columns that mean nothing, although they look like a direction, a status or a fee. */
  ignore?: CsvColumn[] | undefined;
  /**
   * The line of the header. 0 if the file has none, and all columns are numbers. By default, the
   * first line that has all columns.
   */
  header_line?: number | undefined;
  /** The days that the file covers. */
  from?: string | undefined;
  to?: string | undefined;
  /** The balances before the first line and after the last one. */
  opening_cents?: bigint | undefined;
  closing_cents?: bigint | undefined;
}

/** A column of words, such as Credit and Debit, that tells the direction of `amount`. */
export interface CsvDirection {
  column: CsvColumn;
  credit: string[];
  debit: string[];
  /** Whether amounts have a sign too. It must agree. */
  signed?: boolean | undefined;
}

/** A column of words, such as Completed and Pending. */
export interface CsvStatus {
  column: CsvColumn;
  /** The lines with these words count. Others are not booked. */
  booked: string[];
}

/** A column of fees. A fee reduces what arrives. */
export interface CsvFee {
  column: CsvColumn;
  /** Whether `amount` is what remains after the fee. */
  is_deducted: boolean;
  /** Whether a fee has a minus. */
  is_negative?: boolean | undefined;
}

/** How a bank or a payment service writes its CSV files. */
export interface CsvLayout {
  name: string;
  /** The bank and the kind of account, for a person who chooses. */
  title: string;
  mapping: CsvMapping;
  /** The names in its header that make it recognizable. */
  header?: readonly string[] | undefined;
  /** For a file without a header: what the cells of its first line look like. */
  cells?: readonly RegExp[] | undefined;
}

/** What the reading of a CSV file found, and what a person must say before its lines count. */
export interface CsvReading {
  /** Null if the file has no header. */
  headerLine: number | null;
  /** The first lines below the header that are no entries, such as totals. */
  skippedLines: number[];
  questions: CsvQuestion[];
}

/** A column that may change the meaning of amounts, but is not mapped. */
export interface CsvQuestion {
  column: string;
  looksLike: 'direction' | 'status' | 'fee' | 'currency';
  /** Some of its words. */
  values: string[];
}
