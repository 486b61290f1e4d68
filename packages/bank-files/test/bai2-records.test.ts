import { readStatementFile, type StatementEntry, type StatementFile } from '../src';

/** Records as the BAI2 specification allows them: a line may end after any field. */
const file = (lines: readonly string[], { status = '1', cents = 25_00 } = {}): string =>
  [
    '01,BANK,COMPANY,261120,0800,1,,,2/',
    `02,COMPANY,BANK,${status},261120,0800,USD,2/`,
    '03,12345678,USD,010,0/',
    ...lines,
    `49,${cents},${lines.length + 2}/`,
    `98,${cents},1,${lines.length + 4}/`,
    `99,${cents},1,${lines.length + 6}/`,
  ].join('\n');
const read = (text: string): StatementFile => readStatementFile(Buffer.from(text));
const entryOf = (...lines: string[]): StatementEntry => {
  const { problems, statements } = read(file(lines));
  expect(problems).toEqual([]);
  const [entry, ...more] = statements[0]!.entries;
  expect(more).toEqual([]);
  return entry!;
};

describe('an entry', () => {
  const whole = entryOf('16,165,2500,V,261120,0930,BREF1,CUST1,GIFT ONE, WITH THANKS/');

  test.each<string[][]>([
    [['16,165,2500,V,261120,0930/', '88,BREF1,CUST1,GIFT ONE, WITH THANKS/']],
    [['16,165,2500,V,261120,0930,BREF1/', '88,CUST1,GIFT ONE, WITH THANKS/']],
    [['16,165,2500,V,261120,0930,BREF1,CUST1/', '88,GIFT ONE, WITH THANKS/']],
    [['16,165,2500,V/', '88,261120,0930/', '88,BREF1/', '88,CUST1,GIFT ONE, WITH THANKS']],
    [['16,165/', '88,2500,V,261120,0930,BREF1,CUST1,GIFT ONE, WITH THANKS']],
  ])('is the same if it is continued: %j', (lines) => {
    expect(entryOf(...lines)).toEqual(whole);
  });

  test('may have its distribution in a continuation', () => {
    expect(entryOf('16,165,2500,D,2/', '88,0,1000,1,1500,BREF1,CUST1,GIFT')).toMatchObject({
      bankReference: 'BREF1',
      references: ['CUST1', 'BREF1', 'GIFT'],
    });
  });

  test('without references may continue with its text', () => {
    const entry = entryOf('16,165,2500,Z/', '88,GIFT OF JANE, THANKS/', '88,FOR THE GARDEN');
    expect(entry.bankReference).toBeNull();
    expect(entry.references).toEqual(['GIFT OF JANE, THANKS\nFOR THE GARDEN']);
    expect(entryOf('16,165,2500,Z,BREF1/', '88,GIFT OF JANE')).toMatchObject({
      bankReference: 'BREF1',
      references: ['BREF1', 'GIFT OF JANE'],
    });
  });
});

test('an account and its trailer may be continued', () => {
  const continued = file(['16,165,2500,Z,BREF1,CUST1,GIFT/'])
    .replace('03,12345678,USD,010,0/', '03,12345678/\n88,USD,010,0/')
    .replace('49,2500,3/', '49,2500/\n88,5/')
    .replace('98,2500,1,5/', '98,2500,1,7/')
    .replace('99,2500,1,7/', '99,2500,1,9/');
  expect(read(continued)).toMatchObject({
    problems: [],
    statements: [{ currency: 'USD', openingCents: 0n }],
  });
});

test('a group without real money is refused', () => {
  const entry = '16,165,2500,Z,BREF1,CUST1,GIFT/';
  expect(() => read(file([entry], { status: '4' }))).toThrow('Line 2: the group is only a test (status 4).');
  expect(() => read(file([entry], { status: '2' }))).toThrow('Line 2: the group deletes an earlier one');
  for (const status of ['1', '3']) expect(read(file([entry], { status })).problems).toEqual([]);
});
