import { createProgress } from '../../src/cli/progress';
import { formatCell, formatTable } from '../../src/cli/output';

const columns = [
  ['NAME', (row: { name: string; note: string }) => row.name],
  ['NOTE', (row: { name: string; note: string }) => row.note],
] as const;

test('a table is as wide as what is in it, where nothing limits it', () => {
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

test('a table fits the terminal: the widest column gives way, and what is cut says so', () => {
  const rows = [{ name: 'a name', note: 'x'.repeat(100) }];
  const lines = formatTable(columns, rows, 40);
  expect(lines.every((line) => line.length <= 40)).toBe(true);
  expect(lines[1]).toMatch(/^a name {2}x+…$/);
});

test('a value cannot move the cursor of a terminal', () => {
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
