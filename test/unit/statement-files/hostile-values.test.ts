import { parseStatementFile } from '../../../src/features/statements/parsed-file';
import { entryLimits } from '../../../src/features/statements/statement-limits.field';
import { fileLimits, StatementFileRefused } from '@contribution-service/bank-files';

import { statementFile } from '../../support/statement-files';

/** Values that the database cannot store must not reach it. */
const context = { tags: new Set(['K7Q2']), now: new Date('2026-12-01T00:00:00Z') };
const parse = (text: string) => {
  const { file, sets } = parseStatementFile(Buffer.from(text), context);
  return { ...file, entries: [...sets].flat() };
};

const bai2 = (date: string, entries: readonly string[], accounts = 1): string =>
  [
    `01,BANK,COMPANY,${date},0800,1,,,2/`,
    `02,COMPANY,BANK,1,${date},0800,USD,2/`,
    ...Array.from({ length: accounts }, () => ['03,12345678,USD,010,0/', ...entries, '49,0,2/']).flat(),
    '98,0,1,2/',
    '99,0,1,2/',
  ].join('\n');

describe('a day that the calendar does not have', () => {
  test.each(['260231', '261301', '260000', '269999'])('is ignored in BAI2: %s', (date) => {
    const { statements, entries } = parse(bai2(date, ['16,108,2500,,BANKREF,CUSTOMER/']));
    expect(entries).toMatchObject([{ bookingDate: null, amountCents: 25_00n }]);
    expect(statements).toMatchObject([{ time: { periodFrom: null, periodTo: null, isKnown: false } }]);
    expect(Number.isSafeInteger(statements[0]?.time.startsAtMs)).toBe(true);
  });

  test.each(['2026-02-31', '2026-13-01', '0000-00-00', '0000-01-01', '2026-11-31T10:00:00'])(
    'is ignored in camt: %s',
    (date) => {
      const { statements, entries } = parse(statementFile([{ cents: 1n, date }], { from: date, to: date }));
      expect(entries).toMatchObject([{ bookingDate: null }]);
      expect(statements).toMatchObject([{ time: { periodFrom: null, periodTo: null } }]);
      expect(Number.isSafeInteger(statements[0]?.time.endsAtMs)).toBe(true);
    },
  );
});

test('an amount that 64 bits cannot hold is unreadable', () => {
  const file = statementFile([{ cents: 1n }, { cents: 25_00n }]);
  const large = file.replace(
    '<Amt Ccy="USD">0.01</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>',
    `<Amt Ccy="USD">${'9'.repeat(18)}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>`,
  );
  expect(parse(large).entries.map(({ problem }) => problem)).toEqual(['unreadable', null]);
  const entry = `16,108,${'9'.repeat(18)},,BANKREF,CUSTOMER/`;
  expect(parse(bai2('261120', [entry])).entries).toMatchObject([
    { problem: 'unreadable', amountCents: null },
  ]);
});

test('a reference is not cut within a character', () => {
  const [entry] = parse(statementFile([{ cents: 1n, reference: `${'A'.repeat(139)}\u{1F600}` }])).entries;
  expect(entry?.bankReference).toBe('A'.repeat(139));
});

test('too many statements or equal entries are refused', () => {
  const many = { statements: fileLimits.statements + 1, entries: entryLimits.equalLines + 1 };
  expect(() => parse(bai2('261120', [], many.statements))).toThrow(StatementFileRefused);
  const equal = Array.from({ length: many.entries }, () => '16,108,100/');
  expect(() => parse(bai2('261120', equal))).toThrow(StatementFileRefused);
});

test('the problems of a file are limited, because each response has them', () => {
  const file = parse(bai2('261120', [], fileLimits.statements).replaceAll('49,0,2/', '49,1,2/'));
  expect(file.problems).toHaveLength(fileLimits.problems);
  expect(file.statements[0]?.balance).toBe('unbalanced');
});

test('charges in another currency are not added to an amount in dollars', () => {
  const file = statementFile([{ cents: 25_00n, chargesCents: 50n }]);
  expect(parse(file).entries[0]?.chargesCents).toBe(50n);
  expect(parse(file.replace('<Rcrd><Amt Ccy="USD">', '<Rcrd><Amt Ccy="EUR">')).entries[0]?.chargesCents).toBe(
    0n,
  );
});

test('charges that the payer bears are not deducted, unless the bank states that they are included', () => {
  const file = statementFile([{ cents: 25_00n, chargesCents: 1_00n }]);
  const centsOf = (bearer: string, included: string): bigint | undefined =>
    parse(file.replace('<ChrgInclInd>true</ChrgInclInd>', `${included}<Br>${bearer}</Br>`)).entries[0]
      ?.chargesCents;
  expect(centsOf('DEBT', '')).toBe(0n);
  for (const bearer of ['CRED', 'SHAR', 'SLEV']) expect(centsOf(bearer, '')).toBe(1_00n);
  expect(centsOf('DEBT', '<ChrgInclInd>true</ChrgInclInd>')).toBe(1_00n);
});

test('charges count if the bank states only their total', () => {
  const file = statementFile([{ cents: 24_00n, chargesCents: 1_00n }]);
  const total = file.replace(
    /<Chrgs>.*?<\/Chrgs>/,
    '<Chrgs><TtlChrgsAndTaxAmt Ccy="USD">1.00</TtlChrgsAndTaxAmt></Chrgs>',
  );
  expect(parse(total).entries[0]?.chargesCents).toBe(1_00n);
  const both = file.replace('<Chrgs>', '<Chrgs><TtlChrgsAndTaxAmt Ccy="USD">9.00</TtlChrgsAndTaxAmt>');
  expect(parse(both).entries[0]?.chargesCents).toBe(1_00n);
  expect(parse(total.replace('Ccy="USD">1.00</Ttl', 'Ccy="EUR">1.00</Ttl')).entries[0]?.chargesCents).toBe(
    0n,
  );
});

test('charges that 64 bits cannot hold are ignored', () => {
  const file = statementFile([{ cents: 24_00n, chargesCents: 9_999_999_999_999_99n }]);
  const charges = '<Chrgs><Amt Ccy="USD">9999999999999.99</Amt></Chrgs>'.repeat(9_900);
  const absurd = file.replace(/<Chrgs>.*?<\/Chrgs>/, charges);
  expect(parse(absurd).entries[0]?.chargesCents).toBe(0n);
});

test.each([
  ['2026-11-24T00:00:00', '2026-11-25T00:00:00', '2026-11-24'],
  ['2026-11-24T00:00:00', '2026-11-24T23:59:59', '2026-11-24'],
  ['2026-11-24T00:00:00Z', '2026-12-01T00:00:00.000Z', '2026-11-30'],
  ['2026-11-24T00:00:00', '2026-11-24T00:00:00', '2026-11-24'],
])('a period from %s to %s ends on %s', (from, to, last) => {
  const { statements } = parse(
    statementFile([], { from: '2026-11-24', to: '2026-11-25' })
      .replace('<FrDt>2026-11-24</FrDt>', `<FrDtTm>${from}</FrDtTm>`)
      .replace('<ToDt>2026-11-25</ToDt>', `<ToDtTm>${to}</ToDtTm>`),
  );
  expect(statements[0]?.time.periodTo).toBe(last);
});
