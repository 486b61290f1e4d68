import { readFileSync } from 'node:fs';
import path from 'node:path';

import { parse } from 'yaml';

import { loadConfig } from '../../src/config';
import { root } from '../support/program';
import { unknownSettings } from './settings';

/** deploy/compose.pgbouncer.yaml, read: there is no container engine here. */
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');

interface Service {
  image?: string;
  environment: Record<string, string>;
  networks: string[];
  volumes: string[];
  secrets: { target: string }[];
}

const text = read('deploy/compose.pgbouncer.yaml').replace(/^\s*#.*$/gm, '');
const { services } = parse(text.replace(/\$\{\w+:\?\}/g, 'filled-in')) as {
  services: Record<'pgbouncer' | 'migrate' | 'service1' | 'service2', Service>;
};

/** The settings of PgBouncer, comments left out. */
const settingsOf = (name: string): string[] =>
  read(name)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(';'));

test('PgBouncer runs with the configuration that the tests of the API run through, but for its addresses', () => {
  const [recommended, here] = ['docs/pgbouncer.ini', 'deploy/pgbouncer/pgbouncer.ini'].map(settingsOf);
  const addresses = /^(contribution_service|listen_addr) = /;
  expect(here!.filter((line) => !addresses.test(line))).toEqual(
    recommended!.filter((line) => !addresses.test(line)),
  );
  expect(here!.filter((line) => addresses.test(line))).toEqual([
    'contribution_service = host=database port=5432',
    'listen_addr = 0.0.0.0',
  ]);
  expect(services.pgbouncer.volumes).toEqual(['./pgbouncer/pgbouncer.ini:/etc/pgbouncer/pgbouncer.ini:ro']);
  expect(here).toContain(`auth_file = ${services.pgbouncer.secrets[0]?.target}`);
});

test('the instances have the settings for PgBouncer, and hear of revocations from PostgreSQL itself', () => {
  for (const { environment } of [services.service1, services.service2]) {
    expect(unknownSettings(Object.keys(environment))).toEqual([]);
    const config = loadConfig(environment);
    expect(config).toMatchObject({ DATABASE_TIMEOUTS: 'role', DATABASE_PREPARED_STATEMENTS: false });
    expect(new URL(config.DATABASE_URL ?? '').host).toBe('pgbouncer:6432');
    expect(new URL(config.DATABASE_NOTIFICATIONS_URL ?? '').host).toBe('database:5432');
  }
});

test('the migration sets the limits of the role, and keeps its addresses', () => {
  expect(services.migrate.environment).toEqual({ DATABASE_TIMEOUTS: 'role' });
});

test('PgBouncer is on an exact tag, has no right that it does not need, and is not reached from outside', () => {
  expect(services.pgbouncer.image).toMatch(/:v\d+\.\d+\.\d+-p\d+$/);
  expect(services.pgbouncer).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    networks: ['database'],
  });
  expect(services.pgbouncer).not.toHaveProperty('ports');
});

test('every variable is required', () => {
  expect(text.match(/\$(?!\{\w+:\?\})/g)).toBeNull();
});
