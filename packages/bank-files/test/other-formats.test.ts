import { readStatementChunks, readStatementFile } from '../src';

const mapping = { date: 'D', date_format: 'YYYY-MM-DD', decimal: '.', delimiter: ',', texts: [] } as const;

test.each<[string, string | Buffer, string]>([
  ['MT940 in a SWIFT envelope', '{1:F01BANKUS33AXXX0000000000}{2:I940BANKUS33XN}{4:\r\n:20:START', 'MT940'],
  ['MT940 without an envelope', '\r\n:20:START\r\n:25:1234\r\n:28C:1/1', 'MT940'],
  ['OFX 1', 'OFXHEADER:100\r\nDATA:OFXSGML\r\n', 'OFX'],
  ['OFX 2', '<?xml version="1.0"?>\n<?OFX OFXHEADER="200"?><OFX></OFX>', 'OFX'],
  ['QIF', '!Type:Bank\nD11/20/2026\nT25.00\n^\n', 'QIF'],
  ['PDF', '%PDF-1.7\n%\u00e2\u00e3', 'PDF'],
  [
    'an Excel workbook',
    Buffer.from(`PK\x03\x04${'\x00'.repeat(26)}[Content_Types].xml`, 'latin1'),
    'Save it as CSV',
  ],
  ['an old Excel workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'Save it as CSV'],
  ['a ZIP archive', Buffer.from(`PK\x03\x04${'\x00'.repeat(26)}statement.xml`, 'latin1'), 'unpacked'],
  ['gzip', Buffer.from('1f8b080000000000', 'hex'), 'unpacked'],
  ['a web page', '<!DOCTYPE html><html></html>', 'web page'],
])('%s is refused by its name', async (_format, content, message) => {
  const bytes = Buffer.from(content as string);
  expect(() => readStatementFile(bytes, { ...mapping, texts: ['T'] })).toThrow(message);
  await expect(readStatementChunks([bytes])).rejects.toThrow(message);
});

test('a CSV file about these formats is none of them', () => {
  const text = 'D,A,T\n2026-11-20,1.00,"!Type: PDF :20: OFXHEADER"\n';
  const file = readStatementFile(Buffer.from(text), { ...mapping, amount: 'A', texts: ['T'] });
  expect(file.statements[0]?.entries).toHaveLength(1);
});
