import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { runOps } from '../support/operator-commands';
import { temporaryFolder } from '../support/program';

/** Runs the completion scripts in their shells. */
const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

const isInstalled = (shell: Shell): boolean => spawnSync(shell, ['--version']).status === 0;
const testIn = (shell: Shell) => (isInstalled(shell) ? test : test.skip);
const reason = (shell: Shell): string => (isInstalled(shell) ? '' : ` (skipped: ${shell} is not installed)`);

let folder: ReturnType<typeof temporaryFolder>;
const scriptOf = (shell: Shell): string => path.join(folder.path, `completion.${shell}`);

beforeAll(async () => {
  folder = temporaryFolder();
  for (const shell of shells) {
    // This database does not exist: completion needs none.
    const { exitCode, output } = await runOps(['completion', shell], {
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    });
    expect(exitCode).toBe(0);
    writeFileSync(scriptOf(shell), output);
  }
  writeFileSync(path.join(folder.path, 'a catalogue.csv'), '');
});
afterAll(() => {
  folder.remove();
});

/** @param words as Bash splits the line; the last one is completed */
function completeInBash(words: readonly string[]): string[] {
  const program = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _contribution_service; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync(
    'bash',
    ['--norc', '-u', '-c', program, 'bash', scriptOf('bash'), 'bin/contribution-service', ...words],
    { encoding: 'utf8', cwd: folder.path },
  );
  expect(stderr).toBe('');
  return stdout.trim().split('\n').filter(Boolean).sort();
}

function completeInFish(words: readonly string[]): string[] {
  const { stdout, stderr } = spawnSync(
    'fish',
    [
      ...['--no-config', '-c', 'source $argv[1]; complete -C "$argv[2]"'],
      ...[scriptOf('fish'), ['bin/contribution-service', ...words].join(' ')],
    ],
    { encoding: 'utf8', cwd: folder.path, env: { ...process.env, HOME: folder.path } },
  );
  expect(stderr).toBe('');
  return stdout
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '')
    .filter(Boolean)
    .sort();
}

/** Completes a line in an interactive Zsh on its own terminal, and returns the completed line. */
async function completeInZsh(words: readonly string[]): Promise<string> {
  const inner = `TERM=vt100 ZDOTDIR=${folder.path} zsh -f -i`;
  const zsh = spawn('script', ['-qec', inner, '/dev/null'], { cwd: folder.path });
  let printed = '';
  zsh.stdout.on('data', (data: Buffer) => (printed += data.toString()));
  const until = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (const deadline = Date.now() + 15_000; Date.now() < deadline;) {
      const found = pattern.exec(printed);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`Zsh printed no ${String(pattern)}: ${printed}`);
  };
  try {
    zsh.stdin.write(
      `PS1= ; autoload -U compinit && compinit -u -D && source ${scriptOf('zsh')} && contribution-service() { print -r -- "<$*>" } && print set"up"\n`,
    );
    await until(/setup\r?\n/);
    zsh.stdin.write(`contribution-service ${words.join(' ')}\t\n`);
    return (await until(/<([^$>]*)>\r?\n/))[1] ?? '';
  } finally {
    zsh.kill();
  }
}

const lines: readonly (readonly [line: string[], candidates: string[]])[] = [
  [
    ['keys', 'r'],
    ['revoke', 'rotate'],
  ],
  [
    ['contributions', 'res'],
    ['resolve', 'resolve-contested', 'resolve-repeated'],
  ],
  [
    ['keys', 'issue', ''],
    ['production', 'test'],
  ],
  [['keys', 'issue', 'test', ''], []],
  [['contributions', 'list', '--limit', '5', '--env'], ['--environment']],
  [
    ['contributions', 'list', '--json', '--status', ''],
    ['completed', 'pending'],
  ],
  [['contributions', 'list', '--limit', ''], []],
  [
    ['help', 'com'],
    ['companies', 'completion'],
  ],
  [['projects', 'import', 'a'], ['a catalogue.csv']],
];

testIn('bash').each(lines)('Bash completes %j', (words, candidates) => {
  expect(completeInBash(words)).toEqual(candidates);
});

testIn('bash')('Bash completes commands, and words that it splits at a colon or an equals sign', () => {
  expect(completeInBash([''])).toEqual(expect.arrayContaining(['companies', 'completion', 'doctor', 'help']));
  expect(completeInBash(['keys', 'issue', '--scope', 'projects:read', 'contributions', ':', 'cr'])).toEqual([
    'create',
  ]);
  expect(completeInBash(['keys', 'issue', '--scope', 'contributions', ':'])).toEqual([
    'complete',
    'create',
    'read',
    'return',
  ]);
  expect(completeInBash(['keys', 'list', '--environment', '=', 't'])).toEqual(['test']);
  expect(completeInBash(['keys', 'list', '--environment', '='])).toEqual(['production', 'test']);
});

testIn('fish').each(lines)(`fish completes %j${reason('fish')}`, (words, candidates) => {
  const found = completeInFish(words).map((candidate) => candidate.replace(/\\ /g, ' '));
  expect(found).toEqual(candidates);
});

const isUtilLinux = spawnSync('script', ['--version']).status === 0;
(isUtilLinux ? testIn('zsh') : test.skip).each([
  [['keys', 'saf'], 'keys safe-to-revoke'],
  [['keys', 'issue', 'te'], 'keys issue test'],
  [['contributions', 'list', '--env'], 'contributions list --environment'],
  [['contributions', 'list', '--status', 'pen'], 'contributions list --status pending'],
  [['keys', 'issue', '--scope', 'contributions:cr'], 'keys issue --scope contributions:create'],
  [['projects', 'import', 'a'], 'projects import a catalogue.csv'],
])(`Zsh completes %j${reason('zsh')}`, async (words, line) => {
  expect((await completeInZsh(words)).trimEnd()).toBe(line);
});

test('an unknown shell is rejected with the names of the known ones', async () => {
  const { exitCode, output } = await runOps(['completion', 'tcsh']);
  expect([exitCode, output]).toEqual([2, expect.stringContaining('bash, zsh, fish')]);
});
