import { readFileSync } from 'node:fs';
import path from 'node:path';

import { checkStatementFile, findIds, readStatementFile, searchedFields, type StatementEntry } from '../src';
import { ids, scheme } from './ids';

const [id = ''] = ids;

const amount = '<Amt Ccy="USD">25.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>';
const messages = {
  '052': ['BkToCstmrAcctRpt', 'Rpt'],
  '053': ['BkToCstmrStmt', 'Stmt'],
  '054': ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'],
} as const;

function camt(entries: string, kind: keyof typeof messages = '053', version = '08'): string {
  const [message, statement] = messages[kind];
  const root = version === '01' ? `${message}V01` : message;
  return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.${kind}.001.${version}"><${root}><${statement}>${entries}</${statement}></${root}></Document>`;
}
const entriesOf = (text: string): StatementEntry[] => [
  ...readStatementFile(Buffer.from(text)).statements[0]!.entries,
];

describe('an entry is booked', () => {
  test.each([
    ['052', '', false],
    ['053', '', true],
    ['054', '', true],
    ['053', '<Sts/>', false],
    ['053', '<Sts>BOOK</Sts>', true],
    ['053', '<Sts>PDNG</Sts>', false],
    ['053', '<Sts><Cd>BOOK</Cd></Sts>', true],
    ['053', '<Sts><Cd>INFO</Cd></Sts>', false],
    ['052', '<Sts><Prtry>BOOKED</Prtry></Sts>', true],
    ['053', '<Sts><Prtry>Booked</Prtry></Sts>', true],
    ['053', '<Sts><Prtry>UNBOOKED</Prtry></Sts>', false],
    ['053', '<Sts><Cd>PDNG</Cd><Prtry>BOOKED</Prtry></Sts>', false],
  ] as const)('in camt.%s with %j: %s', (kind, status, isBooked) => {
    expect(entriesOf(camt(`<Ntry>${amount}${status}</Ntry>`, kind))[0]?.isBooked).toBe(isBooked);
  });
});

test('version 01 has its own names', () => {
  const balance = (code: string, cents: string): string =>
    `<Bal><Tp><Cd>${code}</Cd></Tp><Amt Ccy="USD">${cents}</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>`;
  const details = `<TxDtls><RmtInf><Strd><CdtrRefInf><CdtrRef>${id}</CdtrRef></CdtrRefInf></Strd></RmtInf></TxDtls>`;
  const file = readStatementFile(
    Buffer.from(
      camt(
        `<Acct><Id><PrtryAcct><Id>0012 3456</Id></PrtryAcct></Id></Acct>${balance('OPBD', '1.00')}${balance('CLBD', '26.00')}<Ntry>${amount}<Sts>BOOK</Sts>${details}</Ntry>`,
        '053',
        '01',
      ),
    ),
  );
  expect(file).toMatchObject({ format: 'camt.053', version: '01' });
  expect(file.statements[0]).toMatchObject({ accountNumber: '00123456', balance: 'balanced' });
  expect([...file.statements[0]!.entries]).toMatchObject([{ isBooked: true, furtherReferences: [id] }]);
});

describe('an id', () => {
  const inDetails = (text: string): string =>
    `<Ntry>${amount}<NtryDtls><TxDtls>${text}</TxDtls></NtryDtls></Ntry>`;
  const nested = (field: string, text: string): string =>
    field.split('/').reduceRight((inner, name) => `<${name}>${inner}</${name}>`, text);

  test.each(searchedFields('camt.053'))('is found in %s', (field) => {
    const [parent = '', ...path] = field.split('/');
    const xml = nested(path.join('/'), id);
    const entry = parent === 'TxDtls' ? inDetails(xml) : `<Ntry>${amount}${xml}</Ntry>`;
    const { entries } = checkStatementFile(Buffer.from(camt(entry)), { ids: scheme, searchFurther: true });
    expect(entries).toMatchObject([{ outcome: 'found', ids: [id] }]);
  });

  test('in a further field is not among the references that identify an entry', () => {
    const sample = readFileSync(path.join(__dirname, 'cases', 'ids-in-further-fields.camt053.xml'));
    const entries = [...readStatementFile(sample).statements[0]!.entries];
    expect(entries.map(({ references, furtherReferences }) => [references, furtherReferences])).toEqual([
      [[], ['K7Q20CR5M3V9XHG', 'g1']],
      [[], ['HJ4S0V9PX4FPV90', 'g2']],
      [[], ['F30H0V9QCBAHSVY', 'g3']],
    ]);
    const { entries: checked } = checkStatementFile(sample, { ids: scheme });
    expect(new Set(checked.map(({ outcome }) => outcome))).toEqual(new Set(['no_reference']));
  });

  test.each([
    [`${id.slice(0, 4)}.${id.slice(4, 8)}.${id.slice(8)}`],
    [`${id.slice(0, 4)}\u2013${id.slice(4)}`],
    [`?20EREF+${id.slice(0, 8)}?21${id.slice(8)}?32A DONOR`],
    [`REMI//${id.slice(0, 8)}//${id.slice(8)}`],
    [`Gift No.${id}.`],
  ])('is found over the breaks of %j only if the scheme accepts them', (text) => {
    expect(findIds([text], { ...scheme, breaks: true }).ids).toEqual([id]);
  });

  test('is not found over a damaged character', () => {
    const damaged = `${id.slice(0, 8)}\uFFFD${id.slice(8)}`;
    expect(findIds([damaged], { ...scheme, breaks: true }).ids).toEqual([]);
  });
});

test('the searched fields are those of the format', () => {
  expect(searchedFields('bai2')).toContain('text');
  expect(searchedFields('nacha')).toContain('trace number');
  const mapping = { date: 'D', date_format: 'YYYY-MM-DD', decimal: '.', delimiter: ',' } as const;
  expect(searchedFields('csv', { ...mapping, texts: ['Memo'], bank_reference: 'Ref' })).toEqual([
    'Ref',
    'Memo',
  ]);
});
