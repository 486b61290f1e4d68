import { readStatementFile, type Statement } from '../src';

const read = (text: string): Statement[] => readStatementFile(Buffer.from(text)).statements;

const amount = (cents: string, currency = 'USD'): string => `<Amt Ccy="${currency}">${cents}</Amt>`;
const balance = (code: string, cents: string, day: string): string =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${amount(cents)}<CdtDbtInd>CRDT</CdtDbtInd>${day}</Bal>`;
const day = (date: string): string => `<Dt><Dt>${date}</Dt></Dt>`;

const camt = (statement: string, header = ''): string =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr>${header}</GrpHdr><Stmt>${statement}</Stmt></BkToCstmrStmt></Document>`;
const entry = (own: string, details: string): string =>
  `<Ntry>${amount(own)}<CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><NtryDtls>${details}</NtryDtls></Ntry>`;

describe('the balances of a statement', () => {
  test('of camt have the days that the bank states', () => {
    const [statement] = read(
      camt(
        balance('PRCD', '1.00', day('2026-11-19')) +
          balance('OPBD', '1.00', day('2026-11-20')) +
          balance('CLBD', '3.00', day('2026-11-20')) +
          balance('CLAV', '9.00', day('2026-11-20')) +
          balance('CLBD', '3.00', ''),
      ),
    );
    expect(statement?.balances).toEqual([
      { isOpening: true, day: null, cents: 100n },
      { isOpening: true, day: '2026-11-20', cents: 100n },
      { isOpening: false, day: '2026-11-20', cents: 300n },
      { isOpening: false, day: null, cents: 300n },
    ]);
  });

  test('of BAI2 have the day of the group', () => {
    const [statement] = read(
      [
        '01,BANK,CUST,261121,0600,7,,,2/',
        '02,CUST,BANK,1,261120,,USD,2/',
        '03,1234,USD,010,-100,,,015,200,,/',
        '49,100,2/',
        '98,100,1,4/',
        '99,100,1,6/',
      ].join('\n'),
    );
    expect(statement?.balances).toEqual([
      { isOpening: true, day: '2026-11-20', cents: -100n },
      { isOpening: false, day: '2026-11-20', cents: 200n },
    ]);
    expect(statement?.fileOrder).toBe('2026-11-21T0600 000000007');
  });

  test('are too many in a hostile file', () => {
    expect(() => read(camt(balance('OPBD', '1.00', '').repeat(20_001)))).toThrow('more than 20000 balances');
  });
});

test.each([
  ['in the header', '<MsgPgntn><PgNb>1</PgNb><LastPgInd>false</LastPgInd></MsgPgntn>', ''],
  ['in the statement', '', '<StmtPgntn><PgNb>1</PgNb><LastPgInd>false</LastPgInd></StmtPgntn>'],
])('a page %s is the page of the statement', (_place, header, statement) => {
  expect(read(camt(`<Id>S</Id>${statement}`, header))[0]?.page).toEqual({ number: 1, isLast: false });
});

test('a statement without pages has no page', () => {
  expect(read(camt('<Id>S</Id>'))[0]?.page).toBeNull();
});

describe('the amounts of an entry', () => {
  test('the amount before deductions is the instructed one, also of a single detail', () => {
    const details = `<TxDtls><AmtDtls><InstdAmt>${amount('25.00')}</InstdAmt><TxAmt>${amount('24.00')}</TxAmt></AmtDtls></TxDtls>`;
    const [statement] = read(camt(entry('24.00', details)));
    expect([...(statement?.entries ?? [])]).toMatchObject([{ amountCents: 2400n, statedCents: 2500n }]);
  });

  test('parts in another currency have their value in the currency of the entry', () => {
    const part = (other: string): string =>
      `<TxDtls>${amount('20.00', 'EUR')}<AmtDtls>${other}</AmtDtls></TxDtls>`;
    const details =
      part(`<CntrValAmt>${amount('22.00')}</CntrValAmt>`) + part(`<TxAmt>${amount('23.00')}</TxAmt>`);
    const [statement] = read(camt(entry('45.00', details)));
    expect([...(statement?.entries ?? [])][0]?.parts).toMatchObject([
      { amountCents: 2000n, currency: 'EUR', counter: { cents: 2200n, currency: 'USD' } },
      { amountCents: 2000n, currency: 'EUR', counter: { cents: 2300n, currency: 'USD' } },
    ]);
  });
});
