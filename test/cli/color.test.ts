import { spawnSync } from 'node:child_process';

import { type Columns, formatTable } from '../../src/operator/cli/table';
import { build, runProcess } from '../support/program';
import { isFullRun, longTest, sample } from '../support/full-run';

const escape = '\u001b[';
const bold = `${escape}1m`;
const red = `${escape}31m`;
// This problem is found without a database.
const wrong = { DATABASE_URL: 'not an address' };
const words = ['doctor'];
const commands = sample<string[]>([words, ['--help'], ['companies', 'list']], 3);

const onTerminal = (command: readonly string[], settings: Record<string, string> = {}) =>
  runProcess('script', ['-qec', ['bin/contribution-service', ...command].join(' '), '/dev/null'], {
    TERM: 'xterm',
    ...settings,
  });
const isUtilLinux = spawnSync('script', ['--version']).status === 0;
const testOnTerminal = isUtilLinux ? longTest : test.skip;
const reason = isUtilLinux ? '' : ' (skipped: script of util-linux is not installed)';

// Only tests of the second set start the program.
if (isFullRun) beforeAll(() => build());

testOnTerminal(`on a terminal headings are bold and problems red${reason}`, async () => {
  const { exitCode, output } = await onTerminal(words, wrong);
  expect(exitCode).toBe(2);
  expect(output).toContain(`${bold}STATUS${escape}22m`);
  expect(output).toContain(`${red}problem${escape}39m`);
  expect((await onTerminal(['--help'])).output).toContain(`${bold}Commands:`);
  expect((await onTerminal(['companies', 'list'], wrong)).output).toContain(red);
});

testOnTerminal.each(sample([{ NO_COLOR: '1' }, { NO_COLOR: 'false' }, { TERM: 'dumb' }], 3))(
  `with %j a terminal gets no color${reason}`,
  async (settings) => {
    for (const command of commands) {
      const { output } = await onTerminal(command, { ...wrong, ...settings });
      expect(output.length).toBeGreaterThan(20);
      expect(output).not.toContain(escape);
    }
  },
);

testOnTerminal(`an empty NO_COLOR is none${reason}`, async () => {
  expect((await onTerminal(words, { ...wrong, NO_COLOR: '' })).output).toContain(red);
});

testOnTerminal(`JSON has no color on a terminal${reason}`, async () => {
  const { output } = await onTerminal([...words, '--json'], wrong);
  expect(JSON.parse(output)).toMatchObject({ healthy: false });
  expect(output).not.toContain(escape);
});

longTest('output that goes to no terminal has no color, even if color is forced', async () => {
  for (const command of commands) {
    const { output } = await runProcess('bin/contribution-service', command, { ...wrong, FORCE_COLOR: '1' });
    expect(output.length).toBeGreaterThan(20);
    expect(output).not.toContain(escape);
  }
});

test('style does not change column widths, and padding is not styled', () => {
  const columns: Columns<{ status: string; detail: string }> = [
    ['STATUS', (row) => row.status, 'whole', (row) => (row.status === 'warning' ? 'yellow' : undefined)],
    ['DETAIL', (row) => row.detail, 'wrap'],
  ];
  const rows = [
    { status: 'warning', detail: 'a sentence that goes on in the next line' },
    { status: 'ok', detail: 'short' },
  ];
  const colored = formatTable(columns, rows, 36, true);
  expect(colored[1]).toBe(`${escape}33mwarning${escape}39m  a sentence that goes on in`);
  expect(colored[2]).toBe('         the next line');
  expect(colored.map((line) => line.replace(/\u001b\[\d+m/g, ''))).toEqual(formatTable(columns, rows, 36));
});
