import { parse } from 'csv-parse/sync';

import { formatCsv } from '../../src/shared/csv';

test('lines end with CR LF, and cells are quoted where RFC 4180 requires it', () => {
  expect(formatCsv([['a', 'b,c', 'd"e', 'f\ng', 'h\ri', '']])).toBe('a,"b,c","d""e","f\ng","h\ri",\r\n');
});

test.each([
  '=1+1',
  '+1',
  '-1+1',
  '--1',
  '-',
  '@A1',
  '\t=1',
  '\r=1',
  '\n=1',
  '\uFF1D1',
  '\uFF0B1',
  '\uFF0D1',
  '\uFF201',
])('a text that a spreadsheet reads as a formula (%j) gets an apostrophe', (text) => {
  const [[cell]] = parse(formatCsv([[text]])) as [[string]];
  expect(cell).toBe(`'${text}`);
});

test.each([
  ['x;=1+1', "x;'=1+1"],
  [' =1+1', "' =1+1"],
  ['a|-1\t@b\n +c', "a|'-1\t'@b\n' +c"],
  ['\ttext', "'\ttext"],
])('%j could be read as a formula in another locale, and becomes %j', (text, escaped) => {
  const [[cell]] = parse(formatCsv([[text]])) as [[string]];
  expect(cell).toBe(escaped);
});

test.each(['a - b', 'x=1', 'FT-2026;42', '2026-11-20', '["a","b"]'])('%j stays as it is', (text) => {
  const [[cell]] = parse(formatCsv([[text]])) as [[string]];
  expect(cell).toBe(text);
});

test.each(['-1', '-12.50', -3, -7n])('a negative number (%p) stays a number', (number) => {
  expect(formatCsv([[number]])).toBe(`${number}\r\n`);
});

test('a missing value is an empty cell, and a time is in UTC', () => {
  const time = new Date('2026-11-25T08:00:00.123Z');
  expect(formatCsv([[null, undefined, time, true, 0]])).toBe(',,2026-11-25T08:00:00.123Z,true,0\r\n');
});
