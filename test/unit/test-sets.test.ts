import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.join(__dirname, '..', '..');

/** The test files of a set, relative to the root. */
async function filesOf(set: 'npm test' | 'npm run test:all'): Promise<string[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['node_modules/jest/bin/jest.js', '--listTests'],
    { cwd: root, env: { ...process.env, FULL_TEST_RUN: set === 'npm test' ? undefined : 'part' } },
  );
  const files = stdout.trim().split('\n');
  return files.map((file) => path.relative(root, file).replaceAll(path.sep, '/'));
}

/** Files of a topic that `npm test` covers by a file of another name. */
const coveredBy: Record<string, string> = {
  embedded: 'test/process/server.test.ts',
  generate: 'test/api/hostile-connections.test.ts',
  neighbor: 'test/schema/schema-files.test.ts',
  plan: 'test/schema/plans/rules.test.ts',
  reference: 'test/unit/documents.test.ts',
  shutdown: 'test/process/server.test.ts',
  verify: 'test/cli/verification/verification.test.ts',
};

/** The first word of a file's name, in the singular. */
const topicOf = (file: string): string =>
  path
    .basename(file)
    .replace(/[-.].*/, '')
    .replace(/s$/, '');

/** Whether a file has a test that `npm test` runs. */
const hasShortTest = (file: string): boolean =>
  /^ *(test|it)(\.(each|concurrent))*[(<]/m.test(readFileSync(path.join(root, file), 'utf8'));

let short: string[];
let all: string[];
beforeAll(async () => {
  [short, all] = await Promise.all([filesOf('npm test'), filesOf('npm run test:all')]);
});

test('npm run test:all has every test file, also those of npm test', () => {
  const found = ['test', 'packages/bank-files/test', 'packages/local-postgres/test'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file.replaceAll(path.sep, '/')}`)
      .filter((file) => file.endsWith('.test.ts')),
  );
  expect([...all].sort()).toEqual(found.sort());
  expect(short.filter((file) => !all.includes(file))).toEqual([]);
});

test('every topic of npm run test:all has a test in npm test', () => {
  const covered = short.filter(hasShortTest);
  const topics = new Set(covered.map(topicOf));
  const missing = all.map(topicOf).filter((topic) => !topics.has(topic));
  expect(missing.filter((topic) => !covered.includes(coveredBy[topic] ?? ''))).toEqual([]);
});

test('every file of npm test has a test that npm test runs', () => {
  expect(short.filter((file) => !hasShortTest(file))).toEqual([]);
});
