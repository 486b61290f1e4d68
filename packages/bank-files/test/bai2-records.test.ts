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

describe('banks also write', () => {
  const id = 'K7Q20CR5M3V9XHG';
  const linesOf = (...records: string[]): string => records.join('\n');
  const entriesOf = ({ statements }: StatementFile): StatementEntry[] =>
    statements.flatMap(({ entries }) => [...entries]);

  test.each([
    ['920', 'credit'],
    ['959', 'credit'],
    ['960', 'debit'],
    ['999', 'debit'],
  ])('the type code %s for a %s of their own', (code, direction) => {
    expect(entryOf(`16,${code},2500,Z,BREF1,,TEXT/`)).toMatchObject({ direction, unreadable: null });
  });

  test('a balance before a credit with a code of their own', () => {
    const { problems, statements } = read(
      linesOf(
        '01,BANK,CUST,261120,0600,1,,,2/',
        '02,CUST,BANK,1,261120,2359,USD,2/',
        '03,9222111,USD,010,0,,,015,2500,,/',
        `16,930,2500,Z,B1,,BANK SPECIFIC CREDIT ${id}/`,
        '49,5000,3/',
        '98,5000,1,5/',
        '99,5000,1,7/',
      ),
    );
    expect(problems).toEqual([]);
    expect(statements).toMatchObject([{ balance: 'balanced' }]);
  });

  test('a colon after the code of a continuation', () => {
    expect(entryOf(`16,195,2500,Z,B1,,WIRE 11/20/26 ${id}`, '88:EREF: 0737').references).toEqual([
      'B1',
      `WIRE 11/20/26 ${id}\nEREF: 0737`,
    ]);
  });

  test('funds types in lower case', () => {
    expect(entryOf(`16,195,2500,v,261120,,BREF0001,,${id}/`)).toMatchObject({
      bankReference: 'BREF0001',
      references: ['BREF0001', id],
    });
    expect(entryOf('16,195,2500,s,1,2,3,BREF0001,,TEXT/').bankReference).toBe('BREF0001');
    expect(entryOf('16,195,2500,d,1,0,2500,BREF0001,,TEXT/').bankReference).toBe('BREF0001');
  });

  test('funds types in lower case, which keep the references of earlier versions on request', () => {
    const bytes = Buffer.from(file([`16,195,2500,v,261120,,BREF0001,,${id}/`]));
    const kept = readStatementFile(bytes, undefined, { keepsReferences: true });
    expect(entriesOf(kept)).toMatchObject([{ bankReference: '261120' }]);
  });

  test('amounts with blanks', () => {
    expect(entryOf('16,195,  2500 ,Z,B1,,TEXT/').amountCents).toBe(2500n);
    expect(read(file(['16,195,2500,Z,B1,,TEXT/']).replace('49,2500', '49, 2 500')).problems).toEqual([]);
  });

  test('several records on a line', () => {
    const whole = file(['16,165,2500,Z,BREF1,CUST1,GIFT 11/16/', '16,165,0,Z,BREF2,,/']);
    const expected = read(whole);
    expect(expected.problems).toEqual([]);
    const pairs = whole.replace(/^(01.*)\n(02.*)\n(03.*)\n/, '$1$2 $3\n').replace(/\/\n98/, '/98');
    for (const text of [pairs, whole.replaceAll('\n', ''), whole.replaceAll('\n', ' ')]) {
      const { problems, statements } = read(text);
      expect(problems).toEqual([]);
      const entries = statements.flatMap((statement) => [...statement.entries]);
      expect(entries).toMatchObject(
        entriesOf(expected).map((entry) => ({ ...entry, line: expect.any(Number) as number })),
      );
    }
  });

  test('a slash and a record code in a text, which is no record', () => {
    expect(entryOf('16,165,2500,Z,BREF1,CUST1,GIFT 11/16, THANKS/').references).toContain(
      'GIFT 11/16, THANKS',
    );
  });

  test.each([
    [['16,165,2500,Z,BREF1,K7Q20CR5', '88,M3V9XHG,GIFT']],
    [['16,165,2500,Z,BREF1,,GIFT K7Q20CR5', '88,M3V9XHG FOR THE GARDEN']],
    [['16,165,2500,Z,BREF1,,GIFT K7Q20', '88,CR5M3V9', '88,XHG']],
  ])('an id over several lines: %j', (lines) => {
    const { furtherReferences } = entryOf(...lines);
    expect(furtherReferences?.join()).toContain(id);
  });
});
