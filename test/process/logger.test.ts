import { build, runProcess } from '../support/program';

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
