import { type ReadLine, readLines } from '../../../src/features/bank-statements/reading/read-lines';

const context = { tags: new Set(['K7Q2']), now: new Date('2026-11-30T12:00:00Z') };
const linesOf = (text: string): ReadLine[] =>
  readLines(Buffer.from(text), context).batches.next().value ?? [];

test('an id over the cut lines of BAI2 is found, and no text leaves the reader', () => {
  const lines = linesOf(
    [
      '01,BANK,COMPANY,261120,0800,1,,,2/',
      '02,COMPANY,BANK,1,261120,0800,USD,2/',
      '03,12345678,USD,010,0/',
      '16,165,2500,Z,BREF1,K7Q20CR5',
      '88,M3V9XHG,GIFT OF JANE CANARY',
      '49,2500,4/',
      '98,2500,1,6/',
      '99,2500,1,8/',
    ].join('\n'),
  );
  expect(lines).toMatchObject([{ bankReference: 'BREF1', normalized: ['K7Q20CR5M3V9XHG'] }]);
  expect(Object.values(lines[0]!).join()).not.toContain('CANARY');
});

test('an id that a bank breaks with full stops is found in a further field', () => {
  const lines = linesOf(
    '<BkToCstmrStmt><Stmt><Ntry><NtryRef>K7Q2.0CR5.M3V9.XHG</NtryRef><Amt Ccy="USD">25.00</Amt><CdtDbtInd>CRDT</CdtDbtInd></Ntry></Stmt></BkToCstmrStmt>',
  );
  expect(lines).toMatchObject([{ isBooked: true, normalized: ['K7Q20CR5M3V9XHG'], identifiers: [] }]);
});
