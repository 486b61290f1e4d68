import type { Random } from '../../faults/random';
import { hostileText } from './hostile-text';
import type { Mutation } from './mutation';
import type { RequestParts } from './request-parts';
import { isUpload } from './statement-files';

const hasFile = (parts: RequestParts): boolean => isUpload(parts) && parts.body.media !== 'none';

function contentOf({ body }: RequestParts): Buffer {
  if (body.media === 'bytes') return body.bytes;
  return Buffer.from(body.media === 'multipart' ? (body.parts[0]?.value ?? '') : '');
}

function setContent(parts: RequestParts, content: Buffer): void {
  const [part] = parts.body.media === 'multipart' ? parts.body.parts : [];
  if (part) part.value = content.toString('utf8');
  else parts.body = { media: 'bytes', bytes: content };
}

const statement = (inner: string, prolog = ''): string =>
  `${prolog}<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Id>S</Id><Acct><Id><Othr><Id>1234</Id></Othr></Id></Acct>${inner}</Stmt></BkToCstmrStmt></Document>`;
const entry = (amount: string, more = ''): string =>
  `<Ntry><Amt Ccy="USD">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>${more}</Ntry>`;
const entities = Array.from({ length: 9 }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`).join(
  '',
);
const bai2 = (records: string): string =>
  `01,B,C,261120,0600,1,,,2/\n02,C,B,1,261120,,USD,2/\n03,1234,USD,010,0,,,015,0,,/\n${records}49,0,2/\n98,0,1,4/\n99,0,1,6/\n`;

/** Files that have broken other readers. They are made once, because some are large. */
const hostileFiles: readonly (() => Buffer)[] = [
  ...[
    statement(entry('&e9;'), `<!DOCTYPE d [<!ENTITY e0 "x">${entities}]>`),
    statement('&x;', '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
    statement('', '<!DOCTYPE d [<!ENTITY % p SYSTEM "http://127.0.0.1:1/"> %p;]>'),
    statement('<a>'.repeat(20_000)),
    statement(`${'<a>'.repeat(40)}${'</a>'.repeat(40)}`),
    statement('<a/>'.repeat(30_000)),
    statement(entry('1.00', '<b/>'.repeat(30_000))),
    statement(`<a ${Array.from({ length: 20_000 }, (_, at) => `b${at}="1"`).join(' ')}/>`),
    statement(`<${'a'.repeat(200_000)}/>`),
    statement(entry('1.00', `<AddtlNtryInf>${'x'.repeat(500_000)}</AddtlNtryInf>`)),
    statement(entry('1.00', `<AddtlNtryInf>${'K7Q20CR5M3V9XHG '.repeat(20_000)}</AddtlNtryInf>`)),
    statement(entry('1.00').repeat(5_500)),
    statement('').replace(/<Stmt>[^]*<\/Stmt>/, (one) => one.repeat(600)),
    `${statement('')}${statement('')}`,
    statement('', '<?xml version="1.0" encoding="UTF-16"?>'),
    statement('', '<?xml version="1.0" encoding="EBCDIC-CP-US"?>'),
    statement(entry('1.00', '<AddtlNtryInf>\u0000</AddtlNtryInf>')),
    statement(entry('1.00', '<AddtlNtryInf>&#0;&#xD800;</AddtlNtryInf>')),
    statement(entry('1.00', '<AddtlNtryInf>\u202e\ufeff\u2028</AddtlNtryInf>')),
    '<'.repeat(300_000),
    '<![CDATA['.repeat(20_000),
    `<!--${'-'.repeat(300_000)}`,
    '\ufeff',
    '\u0000'.repeat(100_000),
    bai2(`16,142,1,Z,R,C,\n${'88,K7Q20CR5M3V9XHG\n'.repeat(40_000)}`),
    bai2(`16,142,1,D,99,1,2,R,C/\n16,142,1,S,,,,R/\n16,142,1,V,,,R/\n16,142,1,D,-1/\n`),
    bai2(`16,142,${'9'.repeat(40)},Z,R,C/\n16,999,1,Z/\n16,142,-5,Z/\n16,,,,/\n`),
    bai2(`16,142,1,Z,${'r'.repeat(70_000)},C/\n`),
    `01,${','.repeat(60_000)}/\n`,
    `101 091000019${'9'.repeat(94)}\n`,
    `101 091000019\n${'6'.padEnd(94)}\n`.repeat(2_000),
    `Date,Amount,Description\n${'"'.repeat(50_001)}`,
    `Date,Amount,Description\n${'2026-11-20,1,x\n'.repeat(5_500)}`,
    `Date,Amount,Description${',Date'.repeat(10_000)}\n`,
    `Date,Amount,Description\n=cmd(),1e9,x\n2026-02-30,1,x\n2026-11-20,(1.5,x\n`,
  ].map((content) => () => Buffer.from(content)),
  () => Buffer.from(`\ufeff${statement(entry('1.00'))}`, 'utf16le'),
  () => Buffer.from(statement(entry('1.00', '<AddtlNtryInf>é</AddtlNtryInf>')), 'latin1'),
  () => Buffer.from([0xff, 0xfe, 0x00, 0xd8]),
];
const made = new Map<() => Buffer, Buffer>();

function hostileFile(random: Random): Buffer {
  const make = random.pick(hostileFiles);
  const file = made.get(make) ?? make();
  made.set(make, file);
  return file;
}

const amounts = [
  ...['0', '-1', '0.00', '1.001', '1.000', '1e3', '', ' 1 ', '.', '1,00', '+1.00', 'NaN', '٣'],
  ...['9'.repeat(18), '9'.repeat(19), '10000000000000.00', '10000000000000.01', '0.000000000000000001'],
];

function damaged(content: Buffer, random: Random): Buffer {
  const copy = Buffer.from(content);
  const at = random.integer(0, Math.max(0, copy.length - 1));
  switch (random.integer(0, 3)) {
    case 0:
      return copy.subarray(0, at);
    case 1:
      return Buffer.concat([copy.subarray(0, at), copy.subarray(random.integer(0, copy.length))]);
    case 2:
      return Buffer.concat([copy, copy.subarray(at)]);
    default:
      if (copy.length > 0) copy[at] = random.integer(0, 255);
      return copy;
  }
}

const mediaTypes = [
  'application/xml; charset=utf-16',
  'text/xml;charset="iso-8859-1"',
  'application/octet-stream',
  'text/csv; header=present',
  'application/json',
  'application/zip',
  'application/xml, text/csv',
  'multipart/form-data; boundary=other',
  '',
];

/** Mutations of a bank's file. */
export const fileMutations: readonly Mutation[] = [
  {
    name: 'file-hostile',
    weight: 30,
    applies: hasFile,
    apply(parts, random) {
      setContent(parts, hostileFile(random));
    },
  },
  {
    name: 'file-damaged',
    weight: 15,
    applies: hasFile,
    apply(parts, random) {
      setContent(parts, damaged(contentOf(parts), random));
    },
  },
  {
    name: 'file-amount',
    weight: 10,
    applies: hasFile,
    apply(parts, random) {
      const content = contentOf(parts).toString('utf8');
      setContent(parts, Buffer.from(content.replace(/(?<=[>,])\d+(\.\d+)?(?=[<,])/, random.pick(amounts))));
    },
  },
  {
    name: 'file-text',
    weight: 10,
    applies: hasFile,
    apply(parts, random) {
      const content = contentOf(parts).toString('utf8');
      const at = random.integer(0, content.length);
      setContent(parts, Buffer.from(content.slice(0, at) + hostileText(random) + content.slice(at)));
    },
  },
  {
    name: 'file-type',
    weight: 5,
    applies: hasFile,
    apply(parts, random) {
      parts.headers = parts.headers.filter(([name]) => name !== 'Content-Type');
      parts.headers.push(['Content-Type', random.pick(mediaTypes)]);
    },
  },
];
