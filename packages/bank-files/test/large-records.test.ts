import { type CsvMapping, fileLimits, readStatementFile, type StatementFile } from '../src';

/** Records that would take much memory are refused while they are read. */
const mapping: CsvMapping = {
  date: 'Date',
  date_format: 'YYYY-MM-DD',
  amount: 'Amount',
  decimal: '.',
  delimiter: ',',
  texts: ['Text'],
};
const readCsv = (...lines: readonly string[]): StatementFile =>
  readStatementFile(Buffer.from(['Date,Amount,Text', ...lines].join('\n')), mapping);

describe('a CSV file', () => {
  const row = '2026-11-20,1.00,rent';
  const tooWide = 'The row on line 2 has more than 1000 columns.';

  test('has at most 1,000 columns', () => {
    const more = ','.repeat(fileLimits.columns - 3);
    const read = (added: string): StatementFile =>
      readStatementFile(Buffer.from(`Date,Amount,Text${more}${added}\n${row}${more}${added}\n`), mapping);
    expect(read('').statements[0]?.entries).toHaveLength(1);
    expect(() => read(',')).toThrow('The row on line 1 has more than 1000 columns.');
  });

  test('cannot hide columns in quoted line breaks', () => {
    const wide = `${','.repeat(600)}"\n"${','.repeat(600)}`;
    expect(() => readCsv(wide)).toThrow(tooWide);
    expect(() => readCsv(`"a ""quoted"" name\n""${','.repeat(600)}\n${','.repeat(600)}"`)).toThrow(tooWide);
    expect(() => readCsv(`${','.repeat(600)}"\r"${','.repeat(600)}`)).toThrow(tooWide);
  });

  test('counts the columns of each row', () => {
    const rows = Array.from({ length: 600 }, () => '2026-11-20,1.00,"a ""quoted"", wrapped\ntext"');
    expect(readCsv(...rows).statements[0]?.entries).toHaveLength(rows.length);
  });

  test('has rows of limited length', () => {
    expect(() => readCsv(`2026-11-20,1.00,"${'text\n'.repeat(20_000)}"`)).toThrow('too many characters');
  });
});

test('a record of BAI2 has a limited number of continuations and fields', () => {
  const read = (continuation: string, count: number): StatementFile =>
    readStatementFile(
      Buffer.from(
        [
          '01,BANK,COMPANY,261120,0800,1,,,2/',
          '02,COMPANY,BANK,1,261120,0800,USD,2/',
          '03,12345678,USD,010,0/',
          '16,165,2500,Z,BANKREF,CUSTOMER,rent/',
          ...Array.from({ length: count }, () => continuation),
          `49,2500,${count + 3}/`,
          `98,2500,1,${count + 5}/`,
          `99,2500,1,${count + 7}/`,
        ].join('\n'),
      ),
    );
  expect(read('88,more', 1_000)).toMatchObject({ problems: [], statements: [{ entries: { length: 1 } }] });
  const tooMany = 'The record on line 4 has too many continuations.';
  expect(() => read('88,more', fileLimits.recordLines)).toThrow(tooMany);
  expect(() => read(`88${','.repeat(10_000)}`, 2)).toThrow(tooMany);
});

test('an element of XML has at most 100 attributes', () => {
  const read = (count: number): StatementFile => {
    const attributes = Array.from({ length: count }, (_, at) => `a${at}="b"`).join(' ');
    return readStatementFile(
      Buffer.from(
        `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt ${attributes}><Id ${attributes}>S</Id></Stmt></BkToCstmrStmt></Document>`,
      ),
    );
  };
  expect(read(fileLimits.attributes).statements).toMatchObject([{ id: 'S' }]);
  expect(() => read(fileLimits.attributes + 1)).toThrow('The element has too many attributes.');
});

test('a NACHA file keeps the first problems only', () => {
  const batches = Array.from({ length: 1_000 }, () => ['5', '8']).flat();
  const lines = ['101 091400606', ...batches, '9'].map((line) => line.padEnd(94));
  const { problems } = readStatementFile(Buffer.from(lines.join('\n')));
  expect(problems.length).toBeGreaterThanOrEqual(fileLimits.problems);
  expect(problems.length).toBeLessThan(fileLimits.problems + 3);
});
