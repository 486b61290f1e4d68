import { Marked, type Token } from 'marked';

import { joinSamples, rowsOf } from '../../src/features/documentation/guide-rows';

/** The rows of a guide, each part as the text of its blocks. */
const rows = (...blocks: string[]) => {
  const write = (tokens: readonly Token[]): string[] =>
    tokens.filter(({ type }) => type !== 'space').map(({ raw }) => raw.trim());
  return rowsOf(joinSamples(new Marked().lexer(blocks.join('\n\n')))).map(({ text, beside, after }) => ({
    text: write(text),
    beside: write(beside).length,
    after: write(after),
  }));
};
const sample = '```sh\ncall GET /me\n```';

test('text that follows a sample stays in its row, under the text before the sample', () => {
  expect(rows('# Title', 'Set a key:', sample, 'It is secret:', '- Keep it.', '## Next', 'More.')).toEqual([
    { text: ['# Title', 'Set a key:'], beside: 1, after: ['It is secret:', '- Keep it.'] },
    { text: ['## Next', 'More.'], beside: 0, after: [] },
  ]);
});

test('the last paragraph before a sample starts its row, with a list that follows it', () => {
  expect(rows('First:', sample, 'About the first.', 'Second:', '- a list', sample)).toEqual([
    { text: ['First:'], beside: 1, after: ['About the first.'] },
    { text: ['Second:', '- a list'], beside: 1, after: [] },
  ]);
});

test('a list after a sample starts a row, and the next sample is beside its own introduction', () => {
  expect(rows('First:', sample, '- about the first', 'Second:', sample)).toEqual([
    { text: ['First:'], beside: 1, after: [] },
    { text: ['- about the first'], beside: 0, after: [] },
    { text: ['Second:'], beside: 1, after: [] },
  ]);
});

test('a sample is beside the heading of its text', () => {
  expect(rows('## First', 'About it.', 'Send it:', sample)).toEqual([
    { text: ['## First', 'About it.', 'Send it:'], beside: 1, after: [] },
  ]);
});

test('a heading starts a row, also after a sample', () => {
  expect(rows('First:', sample, '### Second', sample, 'About the second.')).toEqual([
    { text: ['First:'], beside: 1, after: [] },
    { text: ['### Second', 'About the second.'], beside: 1, after: [] },
  ]);
});

test('a wide table has a row of its own, and the text after it starts the next one', () => {
  const table = '| a | b | c | d |\n| - | - | - | - |\n| 1 | 2 | 3 | 4 |';
  expect(rows('First:', sample, table, 'Second:', sample)).toEqual([
    { text: ['First:'], beside: 1, after: [] },
    { text: [table], beside: 0, after: [] },
    { text: ['Second:'], beside: 1, after: [] },
  ]);
});
