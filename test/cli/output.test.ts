import { formatCell } from '../../src/operator/cli/cell';
import { terminalWidth } from '../../src/operator/cli/output';
import { createProgress } from '../../src/operator/cli/progress';
import { type Columns, formatTable } from '../../src/operator/cli/table';

const columns = [
  ['NAME', (row: { name: string; note: string }) => row.name],
  ['NOTE', (row: { name: string; note: string }) => row.note],
] as const;

test('a table is as wide as its content if the width is unlimited', () => {
  const rows = [
    { name: 'a', note: 'short' },
    { name: 'a longer name', note: 'x'.repeat(100) },
  ];
  expect(formatTable(columns, rows, undefined)).toEqual([
    'NAME           NOTE',
    'a              short',
    `a longer name  ${'x'.repeat(100)}`,
  ]);
});

test('a table fits the terminal: the widest column shrinks, and cut cells end with an ellipsis', () => {
  const rows = [{ name: 'a name', note: 'x'.repeat(100) }];
  const lines = formatTable(columns, rows, 40);
  expect(lines.every((line) => line.length <= 40)).toBe(true);
  expect(lines[1]).toMatch(/^a name {2}x+…$/);
});

test('copyable cells are not cut, sentences wrap, and omitted columns are named', () => {
  const rows = [{ key: 'k'.repeat(30), why: 'because nobody has used it for a day', more: 'm'.repeat(20) }];
  const wide: Columns<(typeof rows)[number]> = [
    ['KEY', (row) => row.key, 'whole'],
    ['WHY', (row) => row.why, 'wrap'],
    ['MORE', (row) => row.more, 'whole'],
  ];
  expect(formatTable(wide, rows, 58)).toEqual([
    `KEY${' '.repeat(29)}WHY`,
    `${'k'.repeat(30)}  because nobody has used it`,
    `${' '.repeat(32)}for a day`,
    '(no space for MORE; --json shows all)',
  ]);
  expect(formatTable(wide, rows, undefined)).toHaveLength(2);
});

test('a word that is longer than its column is split without loss', () => {
  const rows = [{ detail: `see ${'x'.repeat(50)} there` }];
  const lines = formatTable<(typeof rows)[number]>([['DETAIL', (row) => row.detail, 'wrap']], rows, 30);
  expect(lines).toEqual(['DETAIL', 'see', 'x'.repeat(30), `${'x'.repeat(20)} there`]);
});

test.each([
  [80, 80],
  [0, undefined],
])('for a terminal that reports %d columns, the width is %p', (columns, expected) => {
  expect(terminalWidth({ isTTY: true, columns })).toBe(expected);
});

test('a value cannot move the cursor of the terminal', () => {
  expect(formatCell('a\u001b[2Jb\nc')).toBe('a [2Jb c');
});

test('progress is shown on a terminal only', () => {
  const written: string[] = [];
  const stream = (isTTY: boolean) => ({
    isTTY,
    write: (text: unknown) => {
      written.push(String(text));
      return true;
    },
  });
  createProgress(stream(false)).show(0.5, 'projects');
  expect(written).toEqual([]);
  createProgress(stream(true)).show(0.5, 'projects');
  expect(written.join('')).toContain('50 %  projects');
});
