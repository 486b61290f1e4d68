import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { parse } from 'yaml';

import { readSettings } from '../../../src/read-settings';
import { listSettings } from '../../../src/contracts';
import { root } from '../../support/program';
import { randomPepper } from '../../support/pepper';
import { environmentOf, readStages, stepOf } from './dockerfile';
import { stopsWithinSeconds, unknownSettings } from './settings';

/**
 * The compose files as `docker compose config` reports them. Skipped where Docker Compose is not
 * installed.
 */
interface Service {
  environment?: Record<string, string>;
  ports?: { published: string; target: number }[];
  networks: Record<string, { ipv4_address?: string } | null>;
  stop_grace_period?: string;
}

const variables = {
  VERSION: '1.2.3',
  PUBLIC_BASE_URL: 'https://api.example.org',
  TLS_CERTIFICATE_PEM: '/etc/ssl/private/api.pem',
  POSTGRES_PASSWORD: 'a'.repeat(64),
  CONTRIBUTION_OWNER_PASSWORD: 'b'.repeat(64),
  CONTRIBUTION_SERVICE_PASSWORD: 'c'.repeat(64),
  CREDENTIAL_PEPPERS: `1:${randomPepper}`,
  PGBOUNCER_USERLIST: '/etc/pgbouncer/userlist.txt',
};
const compose = (environment: Partial<typeof variables>, ...files: string[]) =>
  spawnSync(
    'docker',
    ['compose', ...files.flatMap((file) => ['--file', file]), 'config', '--format', 'json'],
    {
      cwd: path.join(root, 'deploy'),
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ...environment },
    },
  );
const isInstalled = spawnSync('docker', ['compose', 'version']).status === 0;
const read = (...files: string[]): Record<string, Service> => {
  const { status, stdout, stderr } = compose(variables, ...files);
  expect([status, stderr]).toEqual([0, expect.any(String)]);
  return (JSON.parse(stdout) as { services: Record<string, Service> }).services;
};
const configOf = ({ environment = {} }: Service) => {
  expect(unknownSettings(Object.keys(environment))).toEqual([]);
  return readSettings({ ...environmentOf(readStages().at(-1)!), ...environment }, listSettings());
};

const linesOf = (file: string, comment: string): string[] =>
  readFileSync(path.join(root, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(comment));

test('the example .env lists every variable without a value', () => {
  const names = linesOf('deploy/compose.env.example', '#');
  expect(names.sort()).toEqual(
    Object.keys(variables)
      .filter((name) => name !== 'PGBOUNCER_USERLIST')
      .map((name) => `${name}=`)
      .sort(),
  );
});

test('PgBouncer has the configuration that the API tests use, except for its addresses', () => {
  const [tested, shipped] = ['docs/pgbouncer.ini', 'deploy/pgbouncer/pgbouncer.ini'].map((file) =>
    linesOf(file, ';').filter((line) => !/^(contribution_service|listen_addr) = /.test(line)),
  );
  expect(shipped).toEqual(tested);
});

test('only the processes that deliver webhooks, and the proxy, reach other machines', () => {
  const text = readFileSync(path.join(root, 'deploy', 'compose.yaml'), 'utf8');
  const { services, networks } = parse(text, { merge: true }) as {
    services: Record<string, { networks: string[] | Record<string, unknown> }>;
    networks: Record<string, { internal?: boolean } | null>;
  };
  const reaching = Object.entries(services).filter(([, service]) => {
    const names = Array.isArray(service.networks) ? service.networks : Object.keys(service.networks);
    return names.some((name) => networks[name]?.internal !== true);
  });
  expect(reaching.map(([name]) => name).sort()).toEqual(['deliver', 'proxy', 'service1', 'service2']);
});

/** A service of a file, as it is written. */
interface Written {
  image?: string;
  mem_limit?: string;
  user?: string;
  volumes?: string[];
  environment?: Record<string, string | null>;
  build?: { args: Record<string, string> };
}
const written = (file: string): Record<string, Written> =>
  (
    parse(readFileSync(path.join(root, 'deploy', file), 'utf8'), { merge: true }) as {
      services: Record<string, Written>;
    }
  ).services;

test('every image of others is pinned by its digest', () => {
  const compose = ['compose.yaml', 'compose.pgbouncer.yaml'].flatMap((file) => Object.values(written(file)));
  const stages = linesOf('Dockerfile', '#').filter((line) => line.startsWith('FROM '));
  const images = [
    ...compose
      .flatMap(({ image }) => image ?? [])
      .filter((image) => !image.startsWith('contribution-service:')),
    ...stages.map((line) => line.split(' ')[1]!),
  ];
  expect(images.length).toBeGreaterThan(5);
  expect(images.filter((image) => !/^[a-z/]+:[\w.-]+@sha256:[0-9a-f]{64}$/.test(image))).toEqual([]);
});

test('every service has a memory limit', () => {
  const services = Object.entries({ ...written('compose.pgbouncer.yaml'), ...written('compose.yaml') });
  expect(services.length).toBeGreaterThan(6);
  expect(services.filter(([, { mem_limit: limit }]) => !/^\d+[mg]$/.test(limit ?? ''))).toEqual([]);
});

test("the operator's login and files are in a folder of the operator, not in the environment", () => {
  const { operator } = written('compose.yaml');
  expect(operator).toMatchObject({
    user: '${OPERATOR_USER:-1000:1000}',
    volumes: ['${OPERATOR_FOLDER:-./operator}:/operator'],
    working_dir: '/operator',
  });
  expect(operator?.environment?.['DATABASE_OPERATOR_URL_FILE']).toBe('/operator/database_url');
  expect(operator?.environment).not.toHaveProperty('DATABASE_OPERATOR_URL');
});

test('the image is labeled with its version and its commit, which Compose passes', () => {
  const { words } = stepOf(readStages().at(-1)!, 'LABEL');
  for (const name of ['VERSION', 'REVISION'])
    expect(words.join(' ')).toContain(`org.opencontainers.image.${name.toLowerCase()}="$${name}"`);
  expect(written('compose.yaml')['service1']?.build?.args).toEqual({
    VERSION: '${VERSION:?}',
    REVISION: '${REVISION:-}',
  });
});

(isInstalled ? describe : describe.skip)('docker compose config', () => {
  test.each(Object.keys(variables).map((name) => [name]))('fails without %s', (name) => {
    const { status, stderr } = compose(
      { ...variables, [name]: undefined },
      ...['compose.yaml', 'compose.pgbouncer.yaml'],
    );
    expect([status === 0, stderr]).toEqual([false, expect.stringContaining(name)]);
  });

  test('gives every service only the privileges that it needs, and publishes only the proxy', () => {
    const services = read('compose.yaml', 'compose.pgbouncer.yaml');
    for (const service of Object.values(services)) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    }
    expect(Object.keys(services).filter((name) => services[name]?.ports !== undefined)).toEqual(['proxy']);
    expect(services['proxy']?.ports?.map(({ published, target }) => [published, target])).toEqual([
      ['443', 8443],
      ['80', 8080],
    ]);
  });

  test('gives the owner’s password only to the database and the migration', () => {
    const holders = Object.entries(read('compose.yaml')).filter(([, service]) =>
      JSON.stringify(service).includes(variables.CONTRIBUTION_OWNER_PASSWORD),
    );
    expect(holders.map(([name]) => name).sort()).toEqual(['database', 'migrate']);
  });

  test('gives the proxy and the instances matching settings, and enough time to stop', () => {
    const { proxy, service1, service2, migrate } = read('compose.yaml');
    configOf(migrate!);
    const addressOf = (service?: Service) => service?.networks['service']?.ipv4_address;
    for (const [index, service] of [service1!, service2!].entries()) {
      const config = configOf(service);
      expect(config.TRUSTED_PROXIES.rules).toEqual([expect.stringMatching(`${addressOf(proxy)}(/32)?$`)]);
      expect(proxy?.environment?.[`SERVICE_${index + 1}`]).toBe(`${addressOf(service)}:${config.PORT}`);
      expect(parseInt(service.stop_grace_period ?? '', 10)).toBeGreaterThan(
        stopsWithinSeconds({ ...environmentOf(readStages().at(-1)!), ...service.environment }),
      );
    }
  });

  test('lets the instances reach PostgreSQL through PgBouncer, except for notifications', () => {
    const { service1, service2, pgbouncer } = read('compose.yaml', 'compose.pgbouncer.yaml');
    for (const service of [service1!, service2!]) {
      const config = configOf(service);
      expect(config).toMatchObject({ DATABASE_TIMEOUTS: 'role', DATABASE_PREPARED_STATEMENTS: false });
      expect(new URL(config.DATABASE_URL ?? '').host).toBe('pgbouncer:6432');
      expect(new URL(config.DATABASE_NOTIFICATIONS_URL ?? '').host).toBe('database:5432');
    }
    expect(Object.keys(pgbouncer!.networks)).toEqual(['database']);
  });
});
