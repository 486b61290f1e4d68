import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { build, killLeftOvers, root, run, RunningService, temporaryFolder } from '../support/program';

/** The README's commands, run in its order, and the answers that it shows beneath them. */
interface Block {
  commands: string;
  /** The JSON that the README shows as the answer. */
  answer: string | undefined;
}

function blocksOf(markdown: string): Block[] {
  const fences = [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  return fences.flatMap(([, language, text = ''], index) => {
    if (language !== 'sh') return [];
    const next = fences[index + 1];
    return [{ commands: text, answer: next?.[1] === 'json' ? next[2] : undefined }];
  });
}

/** What differs from run to run: ids, times and the port. */
function withoutAccidents(json: string): unknown {
  return JSON.parse(
    json
      .replace(/\b[A-HJKMNP-TV-Z][0-9A-HJKMNP-TV-Z]{14}\b/g, '(transaction_id)')
      .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, '(time)')
      .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '(uuid)')
      .replace(/http:\/\/localhost:\d+/g, '(base_url)'),
  );
}

const blocks = blocksOf(readFileSync(path.join(root, 'README.md'), 'utf8'));
const installs = blocks.filter(({ commands }) => commands.includes('npm ci'));
const requests = blocks.filter((block) => !installs.includes(block));

let folder: ReturnType<typeof temporaryFolder>;
let outputs: string[];

beforeAll(async () => {
  await build();
  folder = temporaryFolder();
  const service = await RunningService.start({ DATA_DIRECTORY: path.join(folder.path, '.data') });
  // The README's reader stands in the checkout, where .data is; the test stands in a folder of its own.
  const marker = '=== next block ===';
  const script = path.join(folder.path, 'readme.sh');
  writeFileSync(
    script,
    `set -e\n${requests.map(({ commands }) => `${commands}\necho '${marker}'`).join('\n')}\n`,
  );
  const { exitCode, output } = await run('bash', [script], {}, folder.path);
  expect([exitCode, output]).toEqual([0, expect.any(String)]);
  outputs = output.split(marker);
  await service.signal('SIGTERM');
}, 60_000);
afterAll(async () => {
  await killLeftOvers();
  folder.remove();
});

test('the two commands are the ones that are promised', () => {
  expect(installs.map(({ commands }) => commands.trim())).toEqual([
    'npm ci && npm start',
    'npm ci && npm test',
  ]);
});

test('the story has its requests', () => {
  expect(requests.filter(({ answer }) => answer !== undefined).length).toBeGreaterThanOrEqual(7);
});

test.each(
  requests.map((block, index) => [block.commands.trim().split('\n').at(-1) ?? '', block, index] as const),
)('%s answers as the README shows', (_command, { answer }, index) => {
  if (answer === undefined) {
    expect(outputs[index]!.trim()).toBe('');
    return;
  }
  expect(withoutAccidents(outputs[index]!)).toEqual(withoutAccidents(answer));
});
