import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { root } from '../support/program';

/** The tables and functions of the former matching of statements. Nothing may name them. */
const former = [
  ...['statement_files', 'entry_sources', 'statement_entries', 'statement_money', 'entry_references'],
  ...['reconciliation_decisions', 'matching_progress', 'put_statement_entries', 'class_key'],
  // A case of the conformance profile has this name without parentheses.
  'decide_entry(?=\\()',
];
const folders = [
  'src',
  'database',
  'migrations',
  'docs',
  'test',
  'packages',
  'bench',
  'scripts',
  'ops',
  'deploy',
];
/** Records, the migration that drops them, and this list. Builds have copies. */
const isExcluded = (file: string): boolean =>
  /^docs\/decisions\/|one_source_of_a_day|former-statements|\/(node_modules|dist|reports)\//.test(file);

const files = folders.flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .filter((file) => !isExcluded(file)),
);
const texts = files.map((file): [string, string] => [file, readFileSync(path.join(root, file), 'utf8')]);

/** The files that name one of these words, each with the word. */
const usesOf = (words: readonly string[]): string[] =>
  texts.flatMap(([file, text]) =>
    words.filter((word) => new RegExp(`\\b${word}(?!\\w)`).test(text)).map((word) => `${file}: ${word}`),
  );

test('nothing names a table or function of the former matching of statements', () => {
  expect(usesOf(former)).toEqual([]);
});

test('the search itself finds what is there', () => {
  expect(usesOf(['statement_accounts']).length).toBeGreaterThan(10);
});
