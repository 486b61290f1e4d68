import { readFileSync } from 'node:fs';
import path from 'node:path';

import { blocksOf } from '../support/documents';
import { root } from '../support/program';

/** What the README promises before anybody runs it. `readme.long.test.ts` runs its commands. */
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
const blocks = blocksOf(readme, ['sh']);
const requests = blocks.filter(({ text }) => !text.includes('npm ci'));

test('the two commands are the documented ones', () => {
  expect(blocks.filter((block) => !requests.includes(block)).map(({ text }) => text.trim())).toEqual([
    'npm ci && npm start',
    'npm ci && npm test',
  ]);
});

test('the walkthrough lists, creates, completes, shows the main component, an error and the simulated bank', () => {
  expect(requests.filter(({ expectedOutput }) => expectedOutput !== undefined).length).toBe(6);
});

test('the README has at most 150 lines', () => {
  expect(readme.split('\n').length).toBeLessThanOrEqual(151);
});
