import path from 'node:path';

import ts from 'typescript';

const root = path.join(__dirname, '..', '..', '..');

const patterns = [
  ...jest.requireActual<string[]>('./stryker/mutated-files.js'),
  ...jest.requireActual<string[]>('./stryker/concerned-tests.js').flatMap(withoutBraces),
];

/** The patterns that a pattern with braces stands for. */
function withoutBraces(pattern: string): string[] {
  const [, before = '', choices, after = ''] = /^(.*?)\{(.*?)\}(.*)$/.exec(pattern) ?? [];
  return choices === undefined
    ? [pattern]
    : choices.split(',').flatMap((choice) => withoutBraces(before + choice + after));
}

// Stryker ignores a pattern that matches no file.
test.each(patterns)('%s, which Stryker mutates or runs, matches a file', (pattern) => {
  expect(ts.sys.readDirectory(root, ['.ts'], undefined, [pattern])).not.toEqual([]);
});
