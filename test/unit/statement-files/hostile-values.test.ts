import { fileLimits, StatementFileRefused } from '@contribution-service/bank-files';

import { readFile } from '../../../src/features/bank-statements/reading/read-file';
import { contextOfUpload, partsOf } from '../../support/files-to-read';
import { statementFile } from '../../support/statement-files';

/** Values that the database cannot store must not reach it. */
/** The day of statements and lines without a date. */
const noDay = '1970-01-01';

async function parse(text: string) {
  const { file, parts } = await readFile([Buffer.from(text)], contextOfUpload(['K7Q2']));
  const all = partsOf(parts);
  return {
    ...file,
    statements: all.flatMap((part) => ('head' in part ? part.head : [])),
    lines: all.flatMap((part) => ('lines' in part ? part.lines : [])),
  };
}
const chargesOf = async (text: string): Promise<bigint | undefined> =>
  (await parse(text)).lines[0]?.chargesCents;

const bai2 = (date: string, entries: readonly string[], accounts = 1): string =>
  [
    `01,BANK,COMPANY,${date},0800,1,,,2/`,
    `02,COMPANY,BANK,1,${date},0800,USD,2/`,
    ...Array.from({ length: accounts }, () => ['03,12345678,USD,010,0/', ...entries, '49,0,2/']).flat(),
    '98,0,1,2/',
    '99,0,1,2/',
  ].join('\n');

describe('a day that the calendar does not have', () => {
  test.each(['260231', '261301', '260000', '269999'])('is ignored in BAI2: %s', async (date) => {
    const { statements, lines } = await parse(bai2(date, ['16,108,2500,,BANKREF,CUSTOMER/']));
    expect(lines).toMatchObject([{ day: noDay, ownDay: null, cents: 25_00n }]);
    expect(statements).toMatchObject([{ from: noDay, to: noDay, isPeriodStated: false }]);
  });

  test.each(['2026-02-31', '2026-13-01', '0000-00-00', '0000-01-01', '2026-11-31T10:00:00'])(
    'is ignored in camt: %s',
    async (date) => {
      const file = statementFile([{ cents: 1n, date }], { from: date, to: date });
      const { statements, lines } = await parse(file);
      expect(lines).toMatchObject([{ day: noDay, ownDay: null }]);
      expect(statements).toMatchObject([{ from: noDay, to: noDay, isPeriodStated: false }]);
    },
  );
});

test('an amount that 64 bits cannot hold is unreadable', async () => {
  const file = statementFile([{ cents: 1n }, { cents: 25_00n }]);
  const large = file.replace(
    '<Amt Ccy="USD">0.01</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>',
    `<Amt Ccy="USD">${'9'.repeat(18)}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>`,
  );
  expect((await parse(large)).lines.map(({ problem }) => problem)).toEqual(['unreadable', null]);
  const entry = `16,108,${'9'.repeat(18)},,BANKREF,CUSTOMER/`;
  expect((await parse(bai2('261120', [entry]))).lines).toMatchObject([{ problem: 'unreadable', cents: 0n }]);
});

test('a reference is not cut within a character', async () => {
  const reference = `${'AB'.repeat(69)}C`;
  const file = statementFile([{ cents: 1n, reference: `${reference}\u{1F600}` }]);
  expect((await parse(file)).lines[0]?.reference).toBe(reference);
});

test('too many statements are refused', async () => {
  const many = parse(bai2('261120', [], fileLimits.statements + 1));
  await expect(many).rejects.toThrow(StatementFileRefused);
});

test('charges in another currency are not added to an amount in dollars', async () => {
  const file = statementFile([{ cents: 25_00n, chargesCents: 50n }]);
  expect(await chargesOf(file)).toBe(50n);
  expect(await chargesOf(file.replace('<Rcrd><Amt Ccy="USD">', '<Rcrd><Amt Ccy="EUR">'))).toBe(0n);
});

test('charges that the payer bears are not deducted, unless the bank states that they are included', async () => {
  const file = statementFile([{ cents: 25_00n, chargesCents: 1_00n }]);
  const centsOf = (bearer: string, included: string) =>
    chargesOf(file.replace('<ChrgInclInd>true</ChrgInclInd>', `${included}<Br>${bearer}</Br>`));
  expect(await centsOf('DEBT', '')).toBe(0n);
  for (const bearer of ['CRED', 'SHAR', 'SLEV']) expect(await centsOf(bearer, '')).toBe(1_00n);
  expect(await centsOf('DEBT', '<ChrgInclInd>true</ChrgInclInd>')).toBe(1_00n);
});

test('charges count if the bank states only their total', async () => {
  const file = statementFile([{ cents: 24_00n, chargesCents: 1_00n }]);
  const total = file.replace(
    /<Chrgs>.*?<\/Chrgs>/,
    '<Chrgs><TtlChrgsAndTaxAmt Ccy="USD">1.00</TtlChrgsAndTaxAmt></Chrgs>',
  );
  expect(await chargesOf(total)).toBe(1_00n);
  const both = file.replace('<Chrgs>', '<Chrgs><TtlChrgsAndTaxAmt Ccy="USD">9.00</TtlChrgsAndTaxAmt>');
  expect(await chargesOf(both)).toBe(1_00n);
  expect(await chargesOf(total.replace('Ccy="USD">1.00</Ttl', 'Ccy="EUR">1.00</Ttl'))).toBe(0n);
});

test('charges that 64 bits cannot hold are ignored', async () => {
  const file = statementFile([{ cents: 24_00n, chargesCents: 9_999_999_999_999_99n }]);
  const charges = '<Chrgs><Amt Ccy="USD">9999999999999.99</Amt></Chrgs>'.repeat(9_900);
  expect(await chargesOf(file.replace(/<Chrgs>.*?<\/Chrgs>/, charges))).toBe(0n);
});
