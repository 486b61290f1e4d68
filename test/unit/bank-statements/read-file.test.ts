import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';

import { StatementFileRefused } from '@contribution-service/bank-files';

import { type FilePart, readFile } from '../../../src/features/bank-statements/reading/read-file';
import type { NumberedLine } from '../../../src/features/bank-statements/statements/number-equal-lines';
import { contextOfUpload, partsOf } from '../../support/files-to-read';

const read = async (text: string | Buffer): Promise<FilePart[]> => {
  const { parts } = await readFile([Buffer.from(text)], contextOfUpload(['K7Q2']));
  return partsOf(parts);
};
const linesOf = async (text: string): Promise<NumberedLine[]> =>
  (await read(text)).flatMap((part) => ('lines' in part ? part.lines : []));

const header = ['01,BANK,COMPANY,261120,0800,1,,,2/', '02,COMPANY,BANK,1,261120,0800,USD,2/'];

test('an id over the cut lines of BAI2 is found, and no text leaves the reader', async () => {
  const lines = await linesOf(
    [
      ...header,
      '03,12345678,USD,010,0/',
      '16,165,2500,Z,BREF1,K7Q20CR5',
      '88,M3V9XHG,GIFT OF JANE CANARY',
      '49,2500,4/',
      '98,2500,1,6/',
      '99,2500,1,8/',
    ].join('\n'),
  );
  expect(lines).toMatchObject([
    { reference: 'BREF1', ids: 'K7Q20CR5M3V9XHG', search: { normalized: ['K7Q20CR5M3V9XHG'] } },
  ]);
  expect(inspect(lines, { depth: null })).not.toContain('CANARY');
});

test('an id that a bank breaks with full stops is found in a further field', async () => {
  const lines = await linesOf(
    '<BkToCstmrStmt><Stmt><Ntry><NtryRef>K7Q2.0CR5.M3V9.XHG</NtryRef><Amt Ccy="USD">25.00</Amt><CdtDbtInd>CRDT</CdtDbtInd></Ntry></Stmt></BkToCstmrStmt>',
  );
  expect(lines).toMatchObject([
    { problem: null, search: { normalized: ['K7Q20CR5M3V9XHG'], identifiers: [] } },
  ]);
});

/** Two accounts with some lines each. */
const file = (counts: readonly number[]): string =>
  [
    ...header,
    ...counts.flatMap((count, at) => [
      `03,ACCOUNT${at},USD,010,0,,,015,${count},,/`,
      ...Array.from({ length: count }, (_, line) => `16,142,1,Z,R-${line},,text ${line}/`),
      `49,${count * 2},${count + 2}/`,
    ]),
    '98,0,1,4/',
    '99,0,1,6/',
  ].join('\n');

test('each statement has its lines in parts of 1,000, then its end', async () => {
  const parts = await read(file([2_100, 0, 1]));
  expect(
    parts.map((part) => [part.statement, 'lines' in part ? part.lines.length : part.days.length]),
  ).toEqual([
    [1, 1_000],
    [1, 1_000],
    [1, 100],
    [1, 1],
    [2, 1],
    [3, 1],
    [3, 1],
  ]);
  const ids = parts.flatMap((part) => ('head' in part ? part.head.statementId : []));
  expect(new Set(ids).size).toBe(3);
});

test('the same upload gives the same ids and lines in each attempt, another one other ids', async () => {
  const bytes = file([3, 2]);
  expect(await read(gzipSync(bytes))).toEqual(await read(bytes));
  const { parts } = await readFile([Buffer.from(bytes)], {
    ...contextOfUpload(['K7Q2']),
    attemptId: '019a0000-0000-7000-8000-00000000000f',
  });
  const ids = (all: readonly FilePart[]) =>
    all.flatMap((part) => ('head' in part ? part.head.statementId : []));
  const others = new Set(ids(partsOf(parts)));
  expect(ids(await read(bytes)).some((id) => others.has(id))).toBe(false);
});

test('statements of very many days are refused, because each day is compared', async () => {
  const statement = (year: number, years = 0): string =>
    `<Stmt><Id>S${year}</Id><FrToDt><FrDt>${year}-01-01</FrDt><ToDt>${year + years}-12-31</ToDt></FrToDt></Stmt>`;
  const fileOf = (...statements: string[]): string => `<BkToCstmrStmt>${statements.join('')}</BkToCstmrStmt>`;
  const years = Array.from({ length: 10 }, (_, at) => statement(1950 + at));
  expect(await read(fileOf(...years))).toHaveLength(10);
  await expect(read(fileOf(...years, statement(1960)))).rejects.toEqual(
    new StatementFileRefused('The statements of the file have more than 4000 days. Split the file.'),
  );
  await expect(read(fileOf(statement(1950, 1)))).rejects.toEqual(
    new StatementFileRefused('A statement has more than 400 days. Upload a file for each year.'),
  );
});
