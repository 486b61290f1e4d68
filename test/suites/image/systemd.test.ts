import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { readSettings, settingsOf } from '../../../src/read-settings';
import { listSettings } from '../../../src/contracts';
import { webhookSettings } from '../../../src/features/webhooks/webhooks.settings';
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

test('secrets can be credentials of systemd, which the service reads from their folder', () => {
  const dropIn = readFileSync(path.join(root, 'deploy/systemd/credentials.conf'), 'utf8');
  const lines = (key: string): string[][] =>
    [...dropIn.matchAll(new RegExp(`^${key}=(.*?)[=:](.*)$`, 'gm'))].map(([, ...parts]) => parts);
  const secrets: Record<string, string> = {
    database_url: 'postgres://contribution_service:a@database/contribution_service?sslmode=verify-full',
    credential_peppers: `1:${randomPepper}`,
    webhook_secret_keys: `1:${randomPepper}`,
  };
  // What systemd does: %d is the folder, and only the service may read the files.
  const folder = temporaryFolder();
  try {
    for (const [name = '', source] of lines('LoadCredential')) {
      expect(source).toBe(`/etc/contribution-service/${name}`);
      writeFileSync(path.join(folder.path, name), `${secrets[name]}\n`, { mode: 0o400 });
    }
    const environment = Object.fromEntries(
      lines('Environment').map(([name, value = '']) => [name, value.replace('%d', folder.path)]),
    );
    const config = readSettings(
      {
        NODE_ENV: 'production',
        PUBLIC_BASE_URL: 'https://api.example.org',
        CREDENTIALS_DIRECTORY: folder.path,
        ...environment,
      },
      listSettings(),
    );
    expect(config.DATABASE_URL).toBe(secrets['database_url']);
    const { WEBHOOK_SECRET_KEYS } = settingsOf(config, webhookSettings);
    expect([config.CREDENTIAL_PEPPERS?.size, WEBHOOK_SECRET_KEYS?.size]).toEqual([1, 1]);
  } finally {
    folder.remove();
  }
});

test('the documented command with credentials passes the files that a migration reads', () => {
  const guide = readFileSync(path.join(root, 'docs/operations/run.md'), 'utf8');
  const command = [...guide.matchAll(/^```sh\n(systemd-run .*?)^```/gms)].find(([, block = '']) =>
    block.includes('LoadCredential='),
  )?.[1];
  // The arguments that systemd-run receives from a shell.
  const { stdout } = spawnSync('bash', ['-c', `systemd-run() { printf '%s\\n' "$@"; }\n${command ?? ''}`]);
  const words = stdout.toString().split('\n');
  const secrets: Record<string, string> = {
    database_url: 'postgres://contribution_service:a@database/contribution_service?sslmode=verify-full',
    database_owner_url: 'postgres://contribution_owner:a@database/contribution_service?sslmode=verify-full',
    credential_peppers: `1:${randomPepper}`,
  };
  const folder = temporaryFolder();
  try {
    for (const word of words) {
      const [, name = '', source] = /^--property=LoadCredential=(\w+):(.*)$/.exec(word) ?? [];
      if (name === '') continue;
      expect(source).toBe(`/etc/contribution-service/${name}`);
      writeFileSync(path.join(folder.path, name), `${secrets[name]}\n`, { mode: 0o400 });
    }
    const files = words.flatMap((word) => {
      const [, name, value = ''] = /^(\w+_FILE)=(.*)$/.exec(word) ?? [];
      return name === undefined ? [] : [[name, value.replace('${CREDENTIALS_DIRECTORY}', folder.path)]];
    });
    const config = readSettings({
      NODE_ENV: 'production',
      PUBLIC_BASE_URL: 'https://api.example.org',
      CREDENTIALS_DIRECTORY: folder.path,
      ...(Object.fromEntries(files) as Record<string, string>),
    });
    expect([config.DATABASE_URL, config.DATABASE_OWNER_URL]).toEqual([
      secrets['database_url'],
      secrets['database_owner_url'],
    ]);
    expect(words.slice(-4, -1)).toEqual(['/usr/bin/node', 'dist/src/operator/cli/migrate.js', 'up']);
  } finally {
    folder.remove();
  }
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
