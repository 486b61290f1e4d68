import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { Command } from 'commander';

import { operatorCommands } from '../support/operator-commands';

/** Documents and hints contain only existing commands, in the form that works everywhere. */
const root = path.join(__dirname, '..', '..');
const filesIn = (folder: string, ...endings: string[]): string[] =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .map((name) => path.join(folder, name));
const files = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', '.env.example', 'Dockerfile'],
  ...filesIn('docs', '.md'),
  ...filesIn('ops', '.yml', '.json'),
  ...filesIn('deploy', ''),
  ...filesIn('src', '.ts'),
  ...filesIn('bench', '.ts', '.md'),
];
const textOf = (file: string): string => {
  try {
    return readFileSync(path.join(root, file), 'utf8');
  } catch {
    return ''; // a folder
  }
};

const otherForms =
  /npm run (--silent |-s )?(ops|verify)\b|npx contribution-service(?!-sdk)|dist\/src\/operator\/cli\/main/;

test('documents and hints write commands only as bin/contribution-service', () => {
  const found = files.filter((file) => otherForms.test(textOf(file)));
  expect(found).toEqual([]);
});

const written = files
  .filter((file) => file.endsWith('.md') || file.endsWith('.yml'))
  .flatMap((file) =>
    [...textOf(file).matchAll(/bin\/contribution-service +([a-z][^\n`#|>]*)/g)].map(([, words = '']) => ({
      file,
      words: words.trim(),
    })),
  );

test('the documents contain commands', () => {
  expect(written.length).toBeGreaterThan(40);
});

test.each(written)('$file: $words is an existing command with existing options', ({ words }) => {
  let command: Command = operatorCommands();
  for (const word of words.split(/ +/)) {
    const next = command.commands.find((candidate) => candidate.name() === word);
    if (!next) break;
    command = next;
  }
  expect(command.commands.map((sub) => sub.name())).toEqual([]);
  const known = command.options.flatMap(({ long, short }) => [long, short]);
  const used = words.match(/(?<= )--?[a-z][a-z-]*/g) ?? [];
  expect(used.filter((option) => option !== '--help' && !known.includes(option))).toEqual([]);
});

const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
const suites = readdirSync(path.join(root, 'test', 'suites'));
const documented = files.flatMap((file) =>
  [...textOf(file).matchAll(/npm run (?:--silent )?([a-z]+(?::[a-z]+)*)(?: ([a-z][a-z-]*))?/g)].map(
    ([, script = '', argument = '']) => ({ file, script, argument }),
  ),
);

test('there are at most 20 npm scripts, and documents mention only these and existing suites', () => {
  expect(Object.keys(scripts).length).toBeLessThanOrEqual(20);
  expect(documented.length).toBeGreaterThan(40);
  expect(documented.filter(({ script }) => scripts[script] === undefined)).toEqual([]);
  const named = documented.filter(({ script }) => script === 'test:suite');
  expect(named.filter(({ argument }) => !suites.includes(argument))).toEqual([]);
});
