import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { Command } from 'commander';

import { readGuide } from '../../src/features/documentation/content';
import { listSettings } from '../../src/contracts';
import { operatorCommands } from '../support/operator-commands';

/** CHANGELOG.md is for partners and operators. /docs/changelog shows the partners' part. */
const root = path.join(__dirname, '..', '..');
const file = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8');
const page = readGuide('changelog');

const commandsBelow = (command: Command, words: string[] = []): string[] =>
  command.commands.length === 0
    ? [words.join(' ')]
    : command.commands.flatMap((sub) => commandsBelow(sub, [...words, sub.name()]));

// Single words, such as `doctor`, are also commands of the SDK.
const commands = commandsBelow(operatorCommands()).filter((words) => words.includes(' '));
const alerts = [
  ...readFileSync(path.join(root, 'ops/prometheus/alerts.yml'), 'utf8').matchAll(/- alert: (\w+)/g),
].map(([, name = '']) => name);
const operatorTerms = [
  ...Object.keys(listSettings().shape),
  ...commands,
  ...alerts,
  ...['bin/contribution-service', 'npm run', 'Operators:', 'For operators', 'Citus', 'docs/operations'],
];
const named = (text: string): string[] => operatorTerms.filter((term) => text.includes(term));

test('the file names settings, commands and alerts of the operator', () => {
  const found = named(file);
  expect(found).toEqual(expect.arrayContaining(['DELIVERY', 'companies freeze', 'ContributionFeedLag']));
  expect(found.length).toBeGreaterThan(30);
});

test('the page for partners names none of them, and no metric', () => {
  expect(named(page)).toEqual([]);
  expect(page.match(/\b\w+_(total|seconds)\b/g)).toBeNull();
});

test('the page keeps every release and the changes for partners', () => {
  const releasesIn = (text: string) => text.match(/^## .*$/gm);
  expect(releasesIn(page)).toEqual(releasesIn(file)?.map((heading) => heading.replace(/[[\]]/g, '')));
  expect(page).toContain('`GET /events`');
});
