export const csvDelimiters = [',', ';', '\t', '|'] as const;

/** How to read the columns of a CSV file. */
export interface CsvMapping {
  /** The name of the date column in the header. */
  date: string;
  date_format: 'YYYY-MM-DD' | 'MM/DD/YYYY' | 'DD/MM/YYYY' | 'DD.MM.YYYY';
  /** A signed amount: a negative one is a debit. */
  amount?: string | undefined;
  /** Two columns without signs, instead of `amount`. Each line fills one of them. */
  credit?: string | undefined;
  debit?: string | undefined;
  decimal: '.' | ',';
  delimiter: (typeof csvDelimiters)[number];
  /** The columns that can contain an id. */
  texts: string[];
  bank_reference?: string | undefined;
  currency?: string | undefined;
  /** The days that the file covers. */
  from?: string | undefined;
  to?: string | undefined;
}
