import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { root, temporaryFolder } from '../../support/program';
import { stopsWithinSeconds, unknownSettings } from './settings';
import { randomPepper } from '../../support/pepper';

/** Checks the systemd unit by its text and, where systemd is installed, with systemd. */
const file = path.join(root, 'deploy/systemd/contribution-service@.service');
const text = readFileSync(file, 'utf8');

/** Every value of a key, in order. */
const valuesOf = (key: string): string[] =>
  [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

/**
 * The example environment that the documentation recommends as EnvironmentFile, with its commented
 * lines.
 */
const example = readFileSync(path.join(root, '.env.example'), 'utf8');

test('it starts node with programs that are compiled from existing sources', () => {
  const programs = [...valuesOf('ExecStart'), ...valuesOf('ExecStartPost')];
  expect(programs).toHaveLength(2);
  for (const program of programs) {
    const [, name = ''] = /^-?\/usr\/bin\/node dist\/([\w/-]+)\.js( |$)/.exec(program) ?? [];
    expect([program, existsSync(path.join(root, `${name}.ts`))]).toEqual([program, true]);
  }
});

test('the example environment contains only settings of the service', () => {
  const names = [...example.matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name = '']) => name);
  expect(names).toContain('DATABASE_URL');
  expect(unknownSettings(names)).toEqual([]);
});

test('secrets come from files, and the unit contains none', () => {
  expect(valuesOf('EnvironmentFile')).toEqual([
    '/etc/contribution-service/service.env',
    '/etc/contribution-service/service-%i.env',
  ]);
  expect(valuesOf('Environment')).toEqual([]);
});

test('it is stopped with a signal that the service handles, with enough time', () => {
  expect(valuesOf('KillSignal')).toEqual(['SIGTERM']);
  const production = {
    NODE_ENV: 'production',
    DATABASE_URL: 'postgres://contribution_service@database/contribution_service?sslmode=verify-full',
    CREDENTIAL_PEPPERS: `1:${randomPepper}`,
    PUBLIC_BASE_URL: 'https://api.example.org',
  };
  expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(stopsWithinSeconds(production));
});

const systemd = spawnSync('systemd-analyze', ['--version']).status === 0 ? test : test.skip;

systemd('systemd finds no fault in it, and little that it may do without need', () => {
  const folder = temporaryFolder();
  try {
    const unit = path.join(folder.path, 'contribution-service@1.service');
    copyFileSync(file, unit);
    const security = spawnSync(
      'systemd-analyze',
      // In tenths: systemd rates values below 2 as OK.
      ['security', '--offline=true', '--no-pager', '--threshold=15', unit],
      { encoding: 'utf8' },
    );
    expect([security.status, security.stdout.split('\n').filter((line) => line.startsWith('✗'))]).toEqual([
      0,
      expect.any(Array),
    ]);
    const verify = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
    // Whether /usr/bin/node exists depends on the machine.
    const faults = verify.stderr.split('\n').filter((line) => line !== '' && !line.includes('/usr/bin/node'));
    expect(faults).toEqual([]);
  } finally {
    folder.remove();
  }
});
