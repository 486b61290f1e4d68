import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { blocksOf, withoutVariableParts } from '../support/documents';
import {
  build,
  killLeftoverProcesses,
  root,
  runProcess,
  RunningService,
  temporaryFolder,
} from '../support/program';

/** Runs the README's commands in order and compares their output with the README. */
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
const blocks = blocksOf(readme, ['sh']).map(({ text: commands, expectedOutput }) => ({
  commands,
  expectedOutput: expectedOutput?.text,
}));
const requests = blocks.filter(({ commands }) => !commands.includes('npm ci'));

let folder: ReturnType<typeof temporaryFolder>;
let outputs: string[];
let greeting: string;

beforeAll(async () => {
  await build();
  folder = temporaryFolder();
  const service = await RunningService.start({ DATA_DIRECTORY: path.join(folder.path, '.data') });
  // The README assumes the checkout, which contains .data. The test runs in a separate folder.
  const marker = '=== next block ===';
  const script = path.join(folder.path, 'readme.sh');
  writeFileSync(
    script,
    `set -e\n${requests.map(({ commands }) => `${commands}\necho '${marker}'`).join('\n')}\n`,
  );
  const { exitCode, output } = await runProcess('bash', [script], {}, folder.path);
  expect([exitCode, output]).toEqual([0, expect.any(String)]);
  outputs = output.split(marker);
  await service.signal('SIGTERM');
  greeting = service.output;
});
afterAll(async () => {
  await killLeftoverProcesses();
  folder.remove();
});

test('npm start links to the documentation and the SDK', () => {
  expect(greeting).toMatch(/^Documentation: http\S+\/docs$/m);
  expect(greeting).toMatch(/^To write your own program, follow http\S+\/docs\/typescript-sdk$/m);
});

test.each(
  requests.map((block, index) => [block.commands.trim().split('\n').at(-1) ?? '', block, index] as const),
)('%s prints the output that the README shows', (_command, { expectedOutput }, index) => {
  if (expectedOutput === undefined) {
    expect(outputs[index]!.trim()).toBe('');
    return;
  }
  expect(withoutVariableParts(outputs[index]!)).toEqual(withoutVariableParts(expectedOutput));
});
