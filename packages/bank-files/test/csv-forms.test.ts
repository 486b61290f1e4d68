import {
  type CsvMapping,
  type CsvReading,
  readStatementFile,
  type Statement,
  type StatementEntry,
} from '../src';
import { amountOf } from '../src/csv-amounts';
import { dateReader } from '../src/csv-dates';

const id = 'K7Q20CR5M3V9XHG';
const mapping: CsvMapping = {
  date: 'Date',
  date_format: 'YYYY-MM-DD',
  amount: 'Amount',
  decimal: '.',
  delimiter: ',',
  texts: ['Text'],
};

function read(text: string, more: Partial<CsvMapping> = {}): { statement: Statement; csv: CsvReading } {
  const { statements, csv } = readStatementFile(Buffer.from(text), { ...mapping, ...more });
  return { statement: statements[0]!, csv: csv! };
}
const entriesOf = (text: string, more: Partial<CsvMapping> = {}): StatementEntry[] => [
  ...read(text, more).statement.entries,
];
const rowOf = (cells: string, more: Partial<CsvMapping> = {}, header = 'Date,Amount,Text'): StatementEntry =>
  entriesOf(`${header}\n${cells}\n`, more)[0]!;

describe('an amount', () => {
  test.each<[string, string]>([
    ['25', '25.00'],
    ['.50', '0.50'],
    ['25.', '25.00'],
    ['1,234.50', '1234.50'],
    ["1'234.50", '1234.50'],
    ['1\u2019234.50', '1234.50'],
    ['1 234 567.50', '1234567.50'],
    ['1\u00a0234.50', '1234.50'],
    ['1\u202f234.50', '1234.50'],
    ['+25.00', '25.00'],
    ['-25.00', '-25.00'],
    ['\u221225.00', '-25.00'],
    ['- 25.00', '-25.00'],
    ['25.00-', '-25.00'],
    ['(25.00)', '-25.00'],
    ['($25.00)', '-25.00'],
    ['$(25.00)', '-25.00'],
    ['-$25.00', '-25.00'],
    ['$-25.00', '-25.00'],
    ['$25.00', '25.00'],
    ['25.00 CR', '25.00 credit'],
    ['25.00DR', '25.00 debit'],
    ['€25.00', '25.00 EUR'],
    ['25.00 €', '25.00 EUR'],
    ['£ 25.00', '25.00 GBP'],
    ['USD 25.00', '25.00 USD'],
    ['-25.00 CHF', '-25.00 CHF'],
    ['US$25.00', '25.00 USD'],
  ])('%j is %s', (text, expected) => {
    const { cents, isNegative, direction, currency } = amountOf(text, '.')!;
    const number = `${isNegative ? '-' : ''}${(Number(cents) / 100).toFixed(2)}`;
    expect([number, direction, currency].filter((part) => part !== undefined).join(' ')).toBe(expected);
  });

  test.each([
    ['1.234,50', 123450n],
    ['1 234,50', 123450n],
    ['25,00', 2500n],
    ['1.234', 123400n],
  ])('%s with a decimal comma is %d cents', (text, cents) => {
    expect(amountOf(text, ',')?.cents).toBe(cents);
  });

  test.each([
    ...[
      '',
      '-',
      'n/a',
      '--1',
      '-1-',
      '(-1)',
      '-1 CR',
      '+-1',
      '1 CR DR',
      '1,23',
      '1,234,56',
      '1 23',
      "1'23.00",
    ],
    ...[
      '1,234 567.00',
      '1.001',
      '12 x',
      '1 USD EUR',
      '25.–',
      '25.-',
      '1e3',
      '=1+1',
      '(1',
      '1)',
      '1.2.3',
      '1/2',
    ],
  ])('%j is unreadable', (text) => {
    expect(amountOf(text, '.')).toBeUndefined();
  });
});

describe('a date', () => {
  test.each([
    ['YYYY-MM-DD', '2026-11-20 09:00:00'],
    ['YYYY-MM-DD', '2026-11-20T09:00:00.123Z'],
    ['YYYY-MM-DD', '2026-11-20 09:00:00 +0000'],
    ['YYYY/MM/DD', '2026/11/20'],
    ['YYYYMMDD', '20261120'],
    ['MM/DD/YYYY', '11/20/2026 9:05 PM'],
    ['MM/DD/YY', '11/20/26'],
    ['DD.MM.YY', '20.11.26'],
    ['DD-MM-YYYY', '20-11-2026'],
    ['MM-DD-YYYY', '11-20-2026'],
    ['DD MMM YYYY', '20 Nov 2026'],
    ['DD-MMM-YY', '20-NOV-26'],
    ['MMM DD, YYYY', 'November 20, 2026'],
    ['DD. MMM YYYY', '20. nov. 2026'],
  ])('%s reads %s', (format, text) => {
    expect(dateReader(format)(text)).toBe('2026-11-20');
  });

  test.each([
    ['5 März 2026', '2026-03-05'],
    ['5 mrt 2026', '2026-03-05'],
    ['5 févr. 2026', '2026-02-05'],
    ['5 Okt 2026', '2026-10-05'],
    ['5 dic 2026', '2026-12-05'],
    ['5 Sept 2026', '2026-09-05'],
    ['5 juillet 2026', '2026-07-05'],
  ])('the name of the month in %s is known', (text, expected) => {
    expect(dateReader('DD MMM YYYY')(text)).toBe(expected);
  });

  test.each([
    ['YYYY-MM-DD', '20/11/2026'],
    ['YYYY-MM-DD', '2026-11-20 and more'],
    ['YYYYMMDD', '2026112'],
    ['MM/DD/YYYY', '20/11/2026'],
    ['DD.MM.YY', '20.11.2026'],
    ['DD MMM YYYY', '20 Foo 2026'],
  ])('%s does not read %s', (format, text) => {
    expect(dateReader(format)(text)).toBeUndefined();
  });

  test.each(['', 'YYYY', 'DD/DD/YYYY', 'MM/YYYY'])('has no format %j', (format) => {
    expect(() => read('Date,Amount,Text\n', { date_format: format })).toThrow('The date format');
  });
});

describe('a file', () => {
  test('may have lines above its header and below its entries', () => {
    const { statement, csv } = read(
      `Account,1234\nOpening,"1,000.00"\n\nDate,Amount,Text\n2026-11-20,25.00,${id}\nTotal,25.00,\n,,\nEnd of report\n`,
    );
    expect([...statement.entries]).toMatchObject([{ line: 5, amountCents: 2500n, references: [id] }]);
    expect(csv).toEqual({ headerLine: 4, skippedLines: [6, 7, 8], questions: [] });
  });

  test('may start with the separator, and name its columns in another case', () => {
    expect(entriesOf(`sep=,\nDATE, amount ,text\n2026-11-20,25.00,${id}\n`)).toMatchObject([
      { amountCents: 2500n, references: [id] },
    ]);
  });

  test('has the header on the stated line', () => {
    const text = `Date,Amount,Text\n2026-11-19,1.00,a b c\nDate,Amount,Text\n2026-11-20,25.00,${id}\n`;
    expect(entriesOf(text, { header_line: 3 })).toHaveLength(1);
    expect(() => entriesOf(text, { header_line: 2 })).toThrow('The header lacks the column "Date".');
    expect(() => entriesOf(text, { header_line: 9 })).toThrow('The file has no line 9.');
  });

  test('without a header has numbers as columns', () => {
    const text = `"2026-11-20","25.00","${id}"\n"2026-11-20","-3.10","fee"\n`;
    expect(entriesOf(text, { date: 1, amount: 2, texts: [3] })).toMatchObject([
      { direction: 'credit', amountCents: 2500n, references: [id] },
      { direction: 'debit', amountCents: 310n },
    ]);
  });

  test('may have trailing commas and short rows, but no other columns than its header', () => {
    const text = `Date,Amount,Text\n2026-11-20,25.00,${id},,\n2026-11-21,1.00\n2026-11-22,2.00,A DONOR, AND MORE\n`;
    expect(entriesOf(text)).toMatchObject([
      { amountCents: 2500n, unreadable: null },
      { amountCents: 100n, unreadable: null, references: [] },
      { unreadable: 'the row has more columns than the header' },
    ]);
  });

  test('that is cut within its last row has no wrong amount', () => {
    expect(entriesOf('Date,Amount,Text\n2026-11-20,25.00,a gift\n2026-11-20,2')).toMatchObject([
      { unreadable: null },
      { unreadable: 'the row is cut' },
    ]);
  });

  test('may repeat the name of a text, but not that of an amount', () => {
    const text = `Date,Text,Amount,Text\n2026-11-20,GIFT,25.00,${id}\n`;
    expect(entriesOf(text)[0]?.references).toEqual(['GIFT', id]);
    expect(() => entriesOf(text, { bank_reference: 'Text' })).toThrow(
      'The header names the column "Text" twice. Use its number.',
    );
    expect(entriesOf(text, { bank_reference: 4 })[0]?.bankReference).toBe(id);
  });

  test.each(['Balance,1.00,at the end', '31.02.2026,1.00,Total', ',1.00,a gift'])(
    'never loses a row that may be money: %s',
    (row) => {
      expect(rowOf(row)).toMatchObject({ unreadable: 'the date cannot be read' });
    },
  );

  test('with stated balances adds up, or does not', () => {
    const text = 'Date,Amount,Text\n2026-11-20,25.00,a gift\n2026-11-21,-3.10,fee\n';
    const days = { from: '2026-11-20', to: '2026-11-21' };
    const { statement } = read(text, { ...days, opening_cents: 100n, closing_cents: 2290n });
    expect(statement).toMatchObject({
      balance: 'balanced',
      openingCents: 100n,
      balances: [
        { isOpening: true, day: '2026-11-20', cents: 100n },
        { isOpening: false, day: '2026-11-21', cents: 2290n },
      ],
    });
    expect(read(text, { opening_cents: 100n, closing_cents: 1n }).statement.balance).toBe('unbalanced');
    expect(read(text).statement).toMatchObject({ balance: 'not_checked', balances: [] });
  });
});

describe('a column', () => {
  const direction = { column: 'Type', credit: ['Credit'], debit: ['Debit'] };
  const header = 'Date,Amount,Text,Type';

  test.each([
    ['25.00', 'credit', 'credit'],
    ['25.00', 'DEBIT', 'debit'],
    ['-25.00', 'Debit', undefined],
    ['-25.00', 'Credit', undefined],
    ['25.00 CR', 'Debit', undefined],
    ['25.00', 'Reversal', undefined],
    ['25.00', '', undefined],
  ])('of directions decides: %s, %s', (amount, word, expected) => {
    const entry = rowOf(`2026-11-20,${amount},gift,${word}`, { direction }, header);
    expect(entry.unreadable === null ? entry.direction : undefined).toBe(expected);
  });

  test('of directions agrees with the signs, if the amounts have some', () => {
    const signed = { direction: { ...direction, signed: true } };
    expect(rowOf('2026-11-20,-25.00,gift,Debit', signed, header)).toMatchObject({ direction: 'debit' });
    expect(rowOf('2026-11-20,25.00,gift,Debit', signed, header).unreadable).toMatch(/amount/);
    expect(rowOf('2026-11-20,-25.00,gift,Credit', signed, header).unreadable).toMatch(/amount/);
  });

  test('of a card statement may have inverted signs', () => {
    expect(rowOf('2026-11-20,25.00,gift', { inverted: true }).direction).toBe('debit');
    expect(rowOf('2026-11-20,-25.00,gift', { inverted: true }).direction).toBe('credit');
  });

  test('of credits has a minus only if the mapping says so', () => {
    const split = { amount: undefined, credit: 'Credit', debit: 'Debit' };
    const columns = 'Date,Text,Debit,Credit';
    const negative: CsvMapping['negative'] = ['credit'];
    expect(rowOf('2026-11-20,gift,,-25.00', split, columns).unreadable).toMatch(/amount/);
    expect(rowOf('2026-11-20,gift,,-25.00', { ...split, negative }, columns)).toMatchObject({
      direction: 'credit',
      amountCents: 2500n,
    });
    expect(rowOf('2026-11-20,gift,,25.00', { ...split, negative }, columns).unreadable).toMatch(/amount/);
  });

  test('of states decides what is booked, and what is not may lack a date', () => {
    const status = { column: 'State', booked: ['Completed'] };
    const columns = 'Date,Amount,Text,State';
    expect(rowOf('2026-11-20,1.00,gift,COMPLETED', { status }, columns).isBooked).toBe(true);
    expect(rowOf(',1.00,gift,Pending', { status }, columns)).toMatchObject({
      isBooked: false,
      unreadable: null,
    });
    expect(rowOf(',1.00,gift,Completed', { status }, columns).unreadable).toMatch(/date/);
  });

  test.each<[string, string, Partial<CsvMapping['fee']>, object]>([
    ['23.97', '1.03', { is_deducted: true }, { amountCents: 2397n, chargesCents: 103n, statedCents: 2500n }],
    ['23.97', '-1.03', { is_deducted: true, is_negative: true }, { amountCents: 2397n, chargesCents: 103n }],
    ['25.00', '1.03', { is_deducted: false }, { amountCents: 2397n, chargesCents: 103n, statedCents: 2500n }],
    [
      '-10.00',
      '0.20',
      { is_deducted: false },
      { direction: 'debit', amountCents: 1020n, statedCents: 1000n },
    ],
    ['0.10', '0.30', { is_deducted: false }, { direction: 'debit', amountCents: 20n, chargesCents: 0n }],
    ['25.00', '', { is_deducted: false }, { amountCents: 2500n, chargesCents: 0n, statedCents: undefined }],
    ['25.00', 'x', { is_deducted: false }, { unreadable: 'the amount cannot be read' }],
  ])('of fees: %s with the fee %s', (amount, fee, form, expected) => {
    const more = { fee: { column: 'Fee', is_deducted: false, ...form } };
    expect(rowOf(`2026-11-20,${amount},gift,${fee}`, more, 'Date,Amount,Text,Fee')).toMatchObject(expected);
  });

  test('of one currency never contradicts the amount', () => {
    expect(rowOf('2026-11-20,€25.00,gift').currency).toBe('EUR');
    const more = { currency: 'Currency' };
    const columns = 'Date,Amount,Text,Currency';
    expect(rowOf('2026-11-20,€25.00,gift,USD', more, columns).unreadable).toMatch(/amount/);
    expect(rowOf('2026-11-20,25.00,gift', { currency_code: 'CHF' }).currency).toBe('CHF');
  });

  test('over which an id is split has its text in the further references', () => {
    const entry = rowOf(
      '2026-11-20,Gift K7Q20CR5,M3V9XHG,25.00',
      { texts: ['Memo1', 'Memo2'], split_texts: ['Memo1', 'Memo2'] },
      'Date,Memo1,Memo2,Amount',
    );
    expect(entry.furtherReferences).toEqual(['Gift K7Q20CR5 M3V9XHG']);
  });
});

describe('a question is asked about', () => {
  const questionsOf = (column: string, values: string[], more: Partial<CsvMapping> = {}) =>
    read(
      `Date,Amount,Text,${column}\n${values.map((value) => `2026-11-20,25.00,gift,${value}\n`).join('')}`,
      more,
    ).csv.questions;

  test.each<[string, string[], string]>([
    ['Type', ['Credit', 'Debit'], 'direction'],
    ['D/C', ['D', 'C'], 'direction'],
    ['Soll/Haben', ['S', 'H'], 'direction'],
    ['State', ['COMPLETED', 'PENDING'], 'status'],
    ['Info', ['Umsatz gebucht', 'Umsatz vorgemerkt'], 'status'],
    ['Status', ['X7', 'X8'], 'status'],
    ['Ccy', ['EUR', 'USD'], 'currency'],
  ])('the column %s with %j: %s', (column, values, looksLike) => {
    expect(questionsOf(column, values)).toEqual([{ column, looksLike, values }]);
    expect(questionsOf(column, values, { ignore: [column] })).toEqual([]);
  });

  test('a fee that is not zero, without its amounts', () => {
    expect(questionsOf('Fee', ['0.00', '1.03'])).toEqual([{ column: 'Fee', looksLike: 'fee', values: [] }]);
    expect(questionsOf('Fee', ['0.00', ''])).toEqual([]);
  });

  test('the currency in the name of the amounts', () => {
    const { csv } = read('Date,Amount CZK,Text\n', { amount: 'Amount CZK' });
    expect(csv.questions).toEqual([{ column: 'Amount CZK', looksLike: 'currency', values: ['CZK'] }]);
    expect(
      read('Date,Amount CZK,Text\n', { amount: 'Amount CZK', currency_code: 'CZK' }).csv.questions,
    ).toEqual([]);
  });

  test.each<[string, string[]]>([
    ['Type', ['Credit', 'Credit']],
    ['Type', ['Credit', 'Wire']],
    ['State', ['Completed', 'Completed']],
    ['Ccy', ['USD', 'USD']],
    ['Category', ['Gifts', 'Fees']],
  ])('nothing in the column %s with %j', (column, values) => {
    expect(questionsOf(column, values)).toEqual([]);
  });
});
