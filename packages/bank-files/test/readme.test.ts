import { readFileSync } from 'node:fs';
import path from 'node:path';

import { blocksOf } from '../../../test/support/documents';
import { runSample } from '../../../test/support/package-sample';
import * as bankFiles from '../src';

const readme = readFileSync(path.join(__dirname, '..', 'README.md'), 'utf8');
const only = (language: string): string => blocksOf(readme, [language])[0]!.text;

test('the program of the README prints what the README shows', async () => {
  const output = await runSample(only('js'), {
    'node:fs': { readFileSync: () => Buffer.from(only('csv')) },
    '@contribution-service/bank-files': bankFiles,
  });
  expect(output).toBe(only('text'));
});

test('the README explains every outcome, and states the limits', () => {
  for (const outcome of bankFiles.outcomes) expect(readme).toContain(`\`${outcome}\``);
  const { bytes, entries, statements } = bankFiles.fileLimits;
  expect(readme).toContain(
    `at most ${bytes / 2 ** 20} MiB, ${entries.toLocaleString('en-US')} entries and ${statements} statements`,
  );
});
