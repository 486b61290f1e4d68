import { amountOf, type Money } from './csv-amounts';
import type { Columns } from './csv-columns';
import type { CsvMapping, CsvQuestion } from './csv-mapping';

/** Words that banks write for a direction, in lower case. */
const credits: ReadonlySet<string> = new Set([
  ...['credit', 'cr', 'crdt', 'c', '+', 'in', 'incoming', 'money in', 'received', 'deposit'],
  ...['bij', 'haben', 'h', 'gutschrift', 'entrata', 'abono', 'haber'],
]);
const debits: ReadonlySet<string> = new Set([
  ...['debit', 'dr', 'dbit', 'd', '-', 'out', 'outgoing', 'money out', 'withdrawal'],
  ...['af', 'soll', 's', 'lastschrift', 'belastung', 'uscita', 'cargo', 'debe'],
]);

/** Words of a status, in lower case. */
const bookedWords: ReadonlySet<string> = new Set([
  ...[
    'completed',
    'complete',
    'cleared',
    'posted',
    'booked',
    'settled',
    'success',
    'succeeded',
    'successful',
  ],
  ...[
    'sent',
    'received',
    'paid',
    'executed',
    'done',
    'final',
    'gebucht',
    'umsatz gebucht',
    'verwerkt',
    'uitgevoerd',
  ],
]);
const otherWords: ReadonlySet<string> = new Set([
  ...[
    'pending',
    'failed',
    'declined',
    'cancelled',
    'canceled',
    'reverted',
    'rejected',
    'refunded',
    'reversed',
  ],
  ...['returned', 'expired', 'blocked', 'denied', 'void', 'voided', 'unpaid', 'in progress', 'processing'],
  ...[
    'scheduled',
    'on hold',
    'hold',
    'authorized',
    'authorised',
    'vorgemerkt',
    'umsatz vorgemerkt',
    'gereserveerd',
  ],
]);

const statusName = /^(transaction |booking |payment )?(status|state)$/i;
const feeName = /\b(fees?|charges?|commissions?|geb\u00fchr(en)?|entgelt|kosten)\b/i;
const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

const mostValues = 5;
const longestValue = 40;

/** What the cells of a column have in common. */
interface Suspect {
  column: string;
  place: number;
  values: Set<string>;
  isDirection: boolean;
  contradicts: boolean;
  isStatus: boolean;
  hasOtherStatus: boolean;
  hasFee: boolean;
  isCurrency: boolean;
  hasOtherCurrency: boolean;
}

/** Looks for columns that are not mapped, but may change what the lines mean. */
export class QuestionSearch {
  readonly #mapping: CsvMapping;
  readonly #suspects: Suspect[];
  readonly #amountCurrency: CsvQuestion[];

  constructor(columns: Columns, mapping: CsvMapping) {
    this.#mapping = mapping;
    const { date, amount, credit, debit, direction, status, fee, currency, ignore = [] } = mapping;
    const known = [
      date,
      amount,
      credit,
      debit,
      direction?.column,
      status?.column,
      fee?.column,
      currency,
      ...ignore,
    ];
    const mapped = new Set(known.flatMap((column) => (column === undefined ? [] : columns.placesOf(column))));
    this.#suspects = columns.names.flatMap((name, place) =>
      mapped.has(place) ? [] : [newSuspect(name === '' ? String(place + 1) : name, place)],
    );
    this.#amountCurrency = [amount, credit, debit].flatMap((column) =>
      column === undefined ? [] : this.#currencyOf(columns.names[columns.placeOf(column)] ?? ''),
    );
  }

  /** A header such as "Amount CZK" names the currency of the amounts. */
  #currencyOf(name: string): CsvQuestion[] {
    const { currency, currency_code: code = 'USD' } = this.#mapping;
    const named = (name.match(/\b[A-Z]{3}\b/g) ?? []).filter((word) => currencies.has(word) && word !== code);
    return currency === undefined && named.length > 0
      ? [{ column: name.slice(0, longestValue), looksLike: 'currency', values: named }]
      : [];
  }

  /** @param money what the mapped columns of the row say */
  add(cells: readonly string[], money: Money | undefined, currency: string): void {
    for (const suspect of this.#suspects) {
      const text = cells[suspect.place]?.trim() ?? '';
      if (text !== '') addValue(suspect, text, { money, currency, decimal: this.#mapping.decimal });
    }
  }

  questions(): CsvQuestion[] {
    const { direction, status, fee, currency } = this.#mapping;
    const found = this.#suspects.flatMap((suspect) => {
      const looksLike =
        suspect.isDirection && suspect.contradicts && !direction
          ? 'direction'
          : suspect.hasOtherStatus && !status && (suspect.isStatus || statusName.test(suspect.column))
            ? 'status'
            : suspect.hasFee && !fee && feeName.test(suspect.column)
              ? 'fee'
              : suspect.isCurrency && suspect.hasOtherCurrency && currency === undefined
                ? 'currency'
                : undefined;
      if (looksLike === undefined) return [];
      const values = looksLike === 'fee' ? [] : [...suspect.values];
      return [{ column: suspect.column.slice(0, longestValue), looksLike, values } as const];
    });
    return [...this.#amountCurrency, ...found];
  }
}

const newSuspect = (column: string, place: number): Suspect => ({
  ...{ column, place, values: new Set<string>(), isDirection: true, contradicts: false },
  ...{ isStatus: true, hasOtherStatus: false, hasFee: false, isCurrency: true, hasOtherCurrency: false },
});

function addValue(
  suspect: Suspect,
  text: string,
  row: { money: Money | undefined; currency: string; decimal: CsvMapping['decimal'] },
): void {
  const word = text.toLowerCase();
  if (suspect.values.size < mostValues) suspect.values.add(text.slice(0, longestValue));
  suspect.isDirection &&= credits.has(word) || debits.has(word);
  suspect.contradicts ||=
    row.money !== undefined && !(row.money.direction === 'credit' ? credits : debits).has(word);
  suspect.isStatus &&= bookedWords.has(word) || otherWords.has(word);
  suspect.hasOtherStatus ||= !bookedWords.has(word);
  suspect.isCurrency &&= currencies.has(text.toUpperCase());
  suspect.hasOtherCurrency ||= text.toUpperCase() !== row.currency;
  if (!suspect.hasFee && feeName.test(suspect.column)) {
    suspect.hasFee = (amountOf(text, row.decimal)?.cents ?? 0n) !== 0n;
  }
}
