import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

import { build, root, runProcess } from '../support/program';

/** The log lines of the built program when its process ends. */
const log = (then: string): string => `
  const logger = require('./dist/src/shared/logger.js').createLogger('info');
  for (let line = 1; line <= 3; line += 1) logger.info({ line }, 'of one turn');
  ${then}`;

const linesOf = (output: string): number[] =>
  output
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { line: number }).line);

beforeAll(build);

test.each([
  ['ends in the same turn', 'process.exit(1)'],
  ['ends normally', ''],
  ['ends a turn later', 'setImmediate(() => process.exit(0))'],
])('a process that %s has written all lines in order', async (_how, then) => {
  const { output } = await runProcess(process.execPath, ['-e', log(then)]);
  expect(linesOf(output)).toEqual([1, 2, 3]);
});

test('a process that crashes has written the lines before the crash', async () => {
  const failing = `process.on('uncaughtException', () => process.exit(1)); throw new Error('unforeseen');`;
  const { exitCode, output } = await runProcess(process.execPath, ['-e', log(failing)]);
  expect([exitCode, linesOf(output)]).toEqual([1, [1, 2, 3]]);
});

/** Logs lines of 1 kB in several turns, and says on standard error that it goes on. */
const many = (count: number): string => `
  const logger = require('./dist/src/shared/logger.js').createLogger('info');
  let line = 0;
  const turn = setInterval(() => {
    for (let more = 0; more < ${count} / 4; more += 1) logger.info({ line: (line += 1) }, 'x'.repeat(1_000));
    if (line < ${count}) return;
    clearInterval(turn);
    process.stderr.write('goes on');
    process.stdin.on('data', () => process.stdin.destroy());
  }, 5);`;

/** Runs it with a reader that reads nothing until the program has logged everything. */
async function runWithStalledReader(count: number): Promise<Record<string, unknown>[]> {
  const child = spawn(process.execPath, ['-e', many(count)], { cwd: root });
  await once(child.stderr, 'data');
  const output = text(child.stdout);
  child.stdin.end('\n');
  return (await output)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('a reader that stalls does not stop the process, and then gets all lines in order', async () => {
  const lines = await runWithStalledReader(400);
  expect(lines.map(({ line }) => line)).toEqual(Array.from({ length: 400 }, (_, index) => index + 1));
});

test('a process whose reader stalls ends nevertheless', async () => {
  const ends = `${many(400)} setTimeout(() => require('./dist/src/shared/logger.js').exitAfterLog(logger, 0), 500);`;
  const child = spawn(process.execPath, ['-e', ends], { cwd: root });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
});

test('lines that are lost because the reader stalls are counted', async () => {
  const lines = await runWithStalledReader(20_000);
  const lost = lines.filter(({ msg }) => msg === 'log lines were lost');
  const count = lost.reduce((sum, line) => sum + Number(line['count']), 0);
  expect(count).toBeGreaterThan(0);
  expect(lines.length - lost.length + count).toBe(20_000);
});

test('a disk without space does not end the process', async () => {
  const { exitCode, output } = await runProcess('sh', [
    '-c',
    'exec "$0" -e "$1" >/dev/full </dev/null',
    process.execPath,
    many(400),
  ]);
  expect([exitCode, output]).toEqual([0, 'goes on']);
});
