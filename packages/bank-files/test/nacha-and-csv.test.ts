import fc from 'fast-check';

import { longTest, randomCases } from '../../../test/support/full-run';
import { type CsvMapping, readStatementFile, type StatementFile } from '../src';
import { ids } from './ids';

const [id = ''] = ids;

/** A returned payment of a NACHA file. */
interface Returned {
  cents: number;
  code?: string;
  /** 26 returns a debit from a checking account, 21 a credit. */
  transactionCode?: string;
  id?: string;
  addendum?: string;
}

const digits = (value: number, length: number): string => String(value).padStart(length, '0');
const record = (text: string): string => text.padEnd(94);

/** A file of returns as a bank sends it, with one batch. */
function nacha(returned: readonly Returned[], form: { date?: string; debitCents?: number } = {}): string {
  const lines = returned.flatMap(
    ({ cents, code = 'R01', transactionCode = '26', id: of = id, addendum = '99' }, at) => [
      `6${transactionCode}091400606${'123456789'.padEnd(17)}${digits(cents, 10)}${of.padEnd(15)}${'Jane Canary'.padEnd(22)}  1${digits(at, 15)}`,
      `7${addendum}${code}${digits(900 + at, 15)}      09100001${''.padEnd(44)}${digits(at, 15)}`,
    ],
  );
  const debits = returned.filter(({ transactionCode = '26' }) => transactionCode.endsWith('6'));
  const sum = (of: readonly Returned[]): number => of.reduce((total, { cents }) => total + cents, 0);
  const debitCents = form.debitCents ?? sum(debits);
  const creditCents = sum(returned) - sum(debits);
  const totals = `${digits(debitCents, 12)}${digits(creditCents, 12)}`;
  return [
    record('101 091400606 6910001342611230306A094101BANK                   COMPANY'),
    `5200${'COMPANY'.padEnd(36)}1234567890WEBPAYMENT         ${form.date ?? '261123'}   1091000010000001`,
    ...lines,
    record(`8200${digits(lines.length, 6)}${digits(0, 10)}${totals}`),
    record(`9000001000001${digits(lines.length, 8)}${digits(0, 10)}${totals}`),
    ...Array.from({ length: 3 }, () => '9'.repeat(94)),
    '',
  ].join('\n');
}

const read = (content: string | Buffer, mapping?: CsvMapping): StatementFile =>
  readStatementFile(Buffer.from(content), mapping);

describe('a NACHA file', () => {
  test('has one entry for each return, found by its content', () => {
    const file = read(nacha([{ cents: 25_00 }, { cents: 30_01, code: 'R29', transactionCode: '21' }]));
    expect(file).toMatchObject({ format: 'nacha', problems: [], statements: [{ kind: 'notification' }] });
    const [first, second] = file.statements[0]!.entries;
    expect(first).toMatchObject({
      direction: 'debit',
      amountCents: 25_00n,
      bookingDate: '2026-11-23',
      returnCode: 'R01',
      bankReference: null,
      unreadable: null,
    });
    expect(first?.references).toContain(id);
    expect(second).toMatchObject({ direction: 'credit', amountCents: 30_01n, returnCode: 'R29' });
  });

  test('reads neither the name nor the account number of the payer', () => {
    expect(
      JSON.stringify(read(nacha([{ cents: 1 }])).statements, (_key, value: unknown) =>
        String(value) && typeof value === 'bigint' ? String(value) : value,
      ),
    ).not.toMatch(/Canary|123456789/);
  });

  test('leaves out notifications of change, which move no money', () => {
    const file = read(nacha([{ cents: 0, code: 'C01', addendum: '98' }, { cents: 1 }]));
    expect(file.statements[0]?.entries).toHaveLength(1);
    expect(file.problems).toEqual([]);
  });

  test.each<[string, Returned]>([
    ['a dishonored return', { cents: 1, code: 'R61' }],
    ['a contested return', { cents: 1, code: 'R71' }],
    ['an unknown reason', { cents: 1, code: 'X01' }],
    ['a transaction code that is not of a return', { cents: 1, transactionCode: '27' }],
  ])('has an unreadable entry for %s', (_case, returned) => {
    const entries = [...read(nacha([returned])).statements[0]!.entries];
    expect(entries).toHaveLength(1);
    expect(entries[0]?.unreadable).toMatch(/./);
  });

  test('names wrong control totals by line', () => {
    expect(read(nacha([{ cents: 25_00 }], { debitCents: 26_00 })).problems).toEqual([
      { line: 5, message: 'In record 8, the total of debits should be 2500' },
      { line: 6, message: 'In record 9, the total of debits should be 2500' },
    ]);
  });

  test.each<[string, string, RegExp]>([
    ['payments instead of returns', nacha([{ cents: 1 }]).replace(/^7.*\n/m, ''), /payments/],
    ['a payment before a return', nacha([{ cents: 1 }, { cents: 2 }]).replace(/^7.*\n/m, ''), /payments/],
    ['payments with addenda', nacha([{ cents: 1, addendum: '05' }]), /payments/],
    ['a line that is too long', nacha([{ cents: 1 }]).replace(/^5/m, `5${'x'.repeat(95)}`), /more than 94/],
    ['an unknown record', nacha([{ cents: 1 }]).replace(/^7/m, '2'), /unknown record type/],
    ['a record in the wrong place', nacha([{ cents: 1 }]).replace(/^5.*\n/m, ''), /cannot follow record 1/],
    ['too many lines', `101 ${'\n'.repeat(500_001)}`, /more than 500000 lines/],
  ])('with %s is refused', (_reason, content, message) => {
    expect(() => read(content)).toThrow(message);
  });

  test('that ends anywhere before its control record is refused', () => {
    const content = nacha([{ cents: 1 }, { cents: 2 }]);
    const end = content.search(/^9000/m);
    for (let length = 0; length <= end; length += 1) expect(() => read(content.slice(0, length))).toThrow();
  });
});

const mapping: CsvMapping = {
  date: 'Date',
  date_format: 'YYYY-MM-DD',
  decimal: '.',
  delimiter: ',',
  amount: 'Amount',
  texts: ['Description', 'Memo'],
  bank_reference: 'Reference',
};
const header = 'Date,Amount,Description,Memo,Reference\n';
const entriesOf = (rows: string, given = mapping, head = header) => [
  ...read(head + rows, given).statements[0]!.entries,
];

describe('a CSV file with a mapping', () => {
  test('has one entry for each row', () => {
    const entries = entriesOf(
      `2026-11-20,25.00,"a ""gift"", thanks",${id},FT-1\n2026-11-21,-3.10,fee,,FT-2\n`,
    );
    expect(entries).toMatchObject([
      {
        line: 2,
        direction: 'credit',
        amountCents: 25_00n,
        bookingDate: '2026-11-20',
        bankReference: 'FT-1',
        unreadable: null,
      },
      { line: 3, direction: 'debit', amountCents: 3_10n, bankReference: 'FT-2' },
    ]);
    expect(entries[0]?.references).toContain(id);
  });

  test.each<[string, Partial<CsvMapping>, string, string, bigint, string]>([
    [
      'two columns',
      { amount: undefined, credit: 'In', debit: 'Out' },
      'Date,In,Out,Description,Memo,Reference\n',
      '2026-11-20,,5.00,,,\n',
      5_00n,
      'debit',
    ],
    [
      'two columns, zero in the other one',
      { amount: undefined, credit: 'In', debit: 'Out' },
      'Date,In,Out,Description,Memo,Reference\n',
      '2026-11-20,25.00,0.00,,,\n',
      25_00n,
      'credit',
    ],
    [
      'two columns, a dash in the other one',
      { amount: undefined, credit: 'In', debit: 'Out' },
      'Date,In,Out,Description,Memo,Reference\n',
      '2026-11-20,-,5.00,,,\n',
      5_00n,
      'debit',
    ],
    [
      'a decimal comma',
      { decimal: ',', delimiter: ';' },
      header.replaceAll(',', ';'),
      '2026-11-20;1.234,50;;;\n',
      1_234_50n,
      'credit',
    ],
    ['groups of thousands', {}, header, '2026-11-20,"1,234.50",,,\n', 1_234_50n, 'credit'],
    ['parentheses', {}, header, '2026-11-20,(7.00),,,\n', 7_00n, 'debit'],
    ['an American date', { date_format: 'MM/DD/YYYY' }, header, '11/20/2026,1.00,,,\n', 1_00n, 'credit'],
    ['a German date', { date_format: 'DD.MM.YYYY' }, header, '20.11.2026,1.00,,,\n', 1_00n, 'credit'],
    [
      'a byte order mark and CRLF',
      {},
      `\uFEFF${header.trimEnd()}\r\n`,
      '2026-11-20,1.00,,,\r\n',
      1_00n,
      'credit',
    ],
  ])('is read with %s', (_form, more, head, rows, cents, direction) => {
    expect(entriesOf(rows, { ...mapping, ...more }, head)).toMatchObject([
      { amountCents: cents, direction, bookingDate: '2026-11-20', unreadable: null },
    ]);
  });

  test.each([
    ['no amount', '2026-11-20,,,,\n'],
    ['an ambiguous amount', '2026-11-20,"1,23",,,\n'],
    ['two signs', '2026-11-20,--1,,,\n'],
    ['a formula', '2026-11-20,=1+1,,,\n'],
    ['three decimals', '2026-11-20,1.001,,,\n'],
    ['19 digits', '2026-11-20,1234567890123456789,,,\n'],
    ['a day that does not exist', '2026-02-30,1.00,,,\n'],
    ['the year 0', '0000-11-20,1.00,,,\n'],
    ['a date in another order', '20/11/2026,1.00,,,\n'],
  ])('has an unreadable entry for %s', (_case, rows) => {
    expect(entriesOf(`${rows}2026-11-20,1.00,,,\n`)).toMatchObject([
      { unreadable: expect.any(String) as string },
      { unreadable: null },
    ]);
  });

  test.each<[string, string, RegExp]>([
    ['a quotation mark that never ends', `${header}2026-11-20,"1.00,,,\n`, /damaged/],
    ['another delimiter', header.replaceAll(',', ';'), /"delimiter": ";" to the mapping/],
    ['a missing column', 'Date,Amount\n2026-11-20,1.00\n', /lacks the column/],
    ['a column twice', 'Date,Amount,Amount,Description,Memo,Reference\n', /names the column .* twice/],
    ['nothing', ' \n', /empty/],
    ['an endless cell', `${header}2026-11-20,1.00,${'a'.repeat(70_000)},,\n`, /too many characters/],
    ['NUL bytes', `${header}\u0000`, /NUL/],
  ])('is refused with %s', (_reason, content, message) => {
    expect(() => read(content, mapping)).toThrow(message);
  });

  longTest('is refused with too many rows', () => {
    const content = header + '2026-11-20,1.00,,,\n'.repeat(100_001);
    expect(() => read(content, mapping)).toThrow(/more than 100000 entries/);
  });

  test('is refused without a mapping', () => {
    expect(() => read(header)).toThrow(/needs a mapping/);
  });
});

test('random damage never fails in another way than a refusal', () => {
  const contents = [nacha([{ cents: 1 }, { cents: 2 }]), `${header}2026-11-20,25.00,"a",${id},FT-1\n`];
  const damage = fc.tuple(
    fc.constantFrom(...contents),
    fc.nat(700),
    fc.nat(50),
    fc.string({ maxLength: 20 }),
  );
  fc.assert(
    fc.property(damage, ([content, start, length, text]) => {
      try {
        read(content.slice(0, start) + text + content.slice(start + length), mapping);
      } catch (error) {
        expect(error).toMatchObject({ name: 'StatementFileRefused' });
      }
    }),
    { numRuns: randomCases(2_000) },
  );
});
