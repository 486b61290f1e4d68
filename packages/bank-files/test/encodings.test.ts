import { longTest } from '../../../test/support/full-run';
import { readStatementChunks, readStatementFile } from '../src';
import { camt } from './generate';

const payment = { cents: 100n, direction: 'credit', text: 'Spende für Zürich' } as const;
const declared = (encoding: string, text: string = payment.text): string =>
  camt([{ ...payment, text }]).replace('encoding="UTF-8"', `encoding="${encoding}"`);
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const textOf = ({ statements }: ReturnType<typeof readStatementFile>): string =>
  [...statements[0]!.entries][0]?.references.join() ?? '';

describe('a camt file', () => {
  test.each([
    ['UTF-8', Buffer.from(declared('UTF-8'))],
    ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${declared('UTF-8')}`)],
    ['ISO-8859-1', Buffer.from(declared('ISO-8859-1'), 'latin1')],
    ['ISO-8859-15', Buffer.from(declared('ISO-8859-15'), 'latin1')],
    ['windows-1252', Buffer.from(declared('Windows-1252'), 'latin1')],
    ['UTF-16', Buffer.from(`\uFEFF${declared('UTF-16')}`, 'utf16le')],
    ['UTF-16, big endian', utf16be(`\uFEFF${declared('UTF-16')}`)],
    ['UTF-16 without a byte order mark', Buffer.from(declared('UTF-16'), 'utf16le')],
    ['UTF-8 that declares UTF-16', Buffer.from(declared('utf-16'))],
  ])('is read in %s, as a whole and in chunks of any length', async (_, bytes) => {
    expect(textOf(readStatementFile(bytes))).toBe(payment.text);
    for (const length of [1, 7, 300, bytes.length]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / length) }, (_chunk, at) =>
        bytes.subarray(at * length, (at + 1) * length),
      );
      expect(textOf(await readStatementChunks(chunks))).toBe(payment.text);
    }
  });

  test('has the euro sign of ISO-8859-15', () => {
    const text = declared('ISO-8859-15', 'fee 5 \u00a4');
    expect(textOf(readStatementFile(Buffer.from(text, 'latin1')))).toBe('fee 5 €');
  });

  test('is refused if it is cut within a character', async () => {
    const bytes = Buffer.from(`${declared('UTF-8')}é`).subarray(0, -1);
    expect(() => readStatementFile(bytes)).toThrow('not encoded in utf-8');
    await expect(readStatementChunks([bytes])).rejects.toThrow('not encoded in utf-8');
  });
});

test('another file is read in chunks too', async () => {
  const bytes = Buffer.from(`Date,Amount,Text\n${'2026-11-20,1.00,café\n'.repeat(50)}`, 'latin1');
  const mapping = { date: 'Date', date_format: 'YYYY-MM-DD', decimal: '.', delimiter: ',' } as const;
  const file = await readStatementChunks(
    [bytes.subarray(0, 100), bytes.subarray(100, 400), bytes.subarray(400)],
    {
      ...mapping,
      amount: 'Amount',
      texts: ['Text'],
    },
  );
  expect(file.statements[0]?.entries).toHaveLength(50);
  expect(textOf(file)).toBe('café');
  await expect(readStatementChunks([])).rejects.toThrow('empty');
});

const spaces = Buffer.alloc(8 * 1024 * 1024, ' ');
const start = Buffer.from(declared('UTF-8').replace('</Document>', ''));

test('only a camt file in chunks may be larger than a file in memory', async () => {
  const end = Buffer.from('</Document>');
  expect(textOf(await readStatementChunks([start, spaces, spaces, end]))).toBe(payment.text);
  expect(() => readStatementFile(Buffer.concat([start, spaces, spaces, end]))).toThrow('more than 16 MiB');
  await expect(readStatementChunks([spaces, spaces, spaces])).rejects.toThrow('more than 16 MiB');
});

longTest('a camt file in chunks is not endless', async () => {
  const endless = Array.from({ length: 50 }, () => spaces);
  await expect(readStatementChunks([start, ...endless])).rejects.toThrow('more than 400 MiB');
});
