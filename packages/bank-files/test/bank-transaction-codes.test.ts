import { readStatementFile } from '../src';
import { readBai2 } from '../src/bai2';
import { natureOfBai2 } from '../src/bank-transaction-codes';

/** Whether the bank marks an entry as a charge or a return. */
const iso = (subFamily: string): string =>
  `<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>${subFamily}</SubFmlyCd></Fmly></Domn></BkTxCd>`;
const own = (code: string, issuer = 'BANK'): string =>
  `<BkTxCd><Prtry><Cd>${code}</Cd><Issr>${issuer}</Issr></Prtry></BkTxCd>`;

const amount = '<Amt Ccy="USD">1.00</Amt><CdtDbtInd>DBIT</CdtDbtInd>';
function entryOf(ofEntry: string, ...ofDetails: string[]) {
  const details = ofDetails.map((more) => `<TxDtls>${amount}${more}</TxDtls>`).join('');
  const entry = `<Ntry>${amount}<Sts><Cd>BOOK</Cd></Sts>${ofEntry}<NtryDtls>${details}</NtryDtls></Ntry>`;
  const { statements } = readStatementFile(
    Buffer.from(
      `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Acct><Id><Othr><Id>1</Id></Othr></Id></Acct>${entry}</Stmt></BkToCstmrStmt></Document>`,
    ),
  );
  return [...statements[0]!.entries][0]!;
}
const natureOf = (ofEntry: string, ofDetails = '') => entryOf(ofEntry, ofDetails).nature;

test.each([
  ['charges', iso('CHRG'), 'charge'],
  ['fees', iso('FEES'), 'charge'],
  ['a returned transfer', iso('RRTN'), 'return'],
  ['an ACH return', iso('ARET'), 'return'],
  ['a reversal', '<RvslInd>true</RvslInd>', 'return'],
  ['no reversal', '<RvslInd>false</RvslInd>', undefined],
  ['a usual transfer', iso('DMCT'), undefined],
  ['no code', '', undefined],
  ['charges in the code of SWIFT', own('NCHG+808'), 'charge'],
  ['a returned item in the code of SWIFT', own('NRTI'), 'return'],
  ['a code that starts like one of SWIFT', own('NCHGS'), undefined],
  ['a fee in the code of BAI2', own('698', 'BAI'), 'charge'],
  ["the same number as a bank's own code", own('698'), undefined],
])('camt: %s', (_, code, nature) => {
  expect(natureOf(code)).toBe(nature);
  expect(natureOf('', code)).toBe(nature);
});

test('camt: the reason of a return marks it, unless the code marks a charge', () => {
  const reason = '<RtrInf><Rsn><Prtry>unknown</Prtry></Rsn></RtrInf>';
  expect(natureOf('', reason)).toBe('return');
  expect(natureOf('', `${iso('CHRG')}${reason}`)).toBe('charge');
});

test('camt: the parts of a batch entry have the nature of their entry, or their own', () => {
  const { nature, parts } = entryOf(iso('RRTN'), iso('CHRG'), '');
  expect([nature, ...parts.map((part) => part.nature)]).toEqual(['return', 'charge', 'return']);
});

test('BAI2: the type code marks a fee or a return', () => {
  expect(['698', '567', '398', '557', '255', '495', '195'].map(natureOfBai2)).toEqual([
    ...['charge', 'charge', 'charge', 'return', 'return', undefined, undefined],
  ]);
  const lines = ['01,B,C,261120,0100,1,80,1,2/', '02,C,B,1,261120,2359,USD,2/', '03,1,USD,,,,/'];
  const file = readBai2(
    [...lines, '16,698,100,Z,R-1,,fee/', '49,100,3/', '98,100,1,5/', '99,100,1,7/'].join('\n'),
  );
  expect([...file.statements[0]!.entries][0]).toMatchObject({ nature: 'charge', code: '698' });
});

test.each([
  ['the sub-family of ISO 20022', iso('CHRG'), 'CHRG'],
  ["the bank's own code", own('NCHG+808'), 'NCHG+808'],
  ['no code', '', undefined],
  [
    "the bank's own code if the sub-family says nothing",
    `<BkTxCd><Domn><Fmly><SubFmlyCd>OTHR</SubFmlyCd></Fmly></Domn><Prtry><Cd>FEE7</Cd></Prtry></BkTxCd>`,
    'FEE7',
  ],
  ['the sub-family, if there is no other', iso('OTHR'), 'OTHR'],
])('camt: the code of an entry is %s', (_, codes, code) => {
  expect(entryOf(codes).code).toBe(code);
  expect(entryOf('', codes).code).toBe(code);
});

test('camt: the parts of a batch entry have its code, or their own', () => {
  const { code, parts } = entryOf(iso('RRTN'), iso('CHRG'), '');
  expect([code, ...parts.map((part) => part.code)]).toEqual(['RRTN', 'CHRG', 'RRTN']);
});

test('CSV: a column can have the code of each entry', () => {
  const mapping = {
    ...{ date: 'Date', date_format: 'YYYY-MM-DD', amount: 'Amount', code: 'Type', texts: ['Text'] },
    ...({ decimal: '.', delimiter: ',' } as const),
  };
  const csv = 'Date,Amount,Type,Text\n2026-11-02,-1.00, FEE_TRANSACTION ,fee\n2026-11-02,-1.00,,rent\n';
  const [statement] = readStatementFile(Buffer.from(csv), mapping).statements;
  expect([...statement!.entries].map(({ code }) => code)).toEqual(['FEE_TRANSACTION', undefined]);
});
