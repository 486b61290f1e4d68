import { createHash, randomBytes } from 'node:crypto';
import path from 'node:path';

import {
  ConfigurationError,
  readSettings,
  operatorUrlOf,
  ownerUrlOf,
  settingsOf,
} from '../../src/read-settings';
import { listSettings } from '../../src/contracts';
import { features } from '../../src/features';
import { webhookSettings } from '../../src/features/webhooks/webhooks.settings';
import { settings } from '../../src/service.settings';
import { plainHttpNotice, servesPlainHttp } from '../../src/startup/plain-http';
import { longTest } from '../support/full-run';

const pepper = randomBytes(32).toString('base64url');
const production = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://service:a-password@db.internal:5432/contributions?sslmode=verify-full',
  CREDENTIAL_PEPPERS: `1:${pepper}`,
  PUBLIC_BASE_URL: 'https://api.example.org',
};

/** The errors of readSettings; empty if it accepts the settings. */
function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readSettings(environment, listSettings());
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

describe('an empty environment', () => {
  const config = readSettings({}, listSettings());

  test('gives the documented defaults', () => {
    expect(config).toMatchObject({
      NODE_ENV: 'development',
      HOST: '127.0.0.1',
      PORT: 3000,
      PUBLIC_BASE_URL: undefined,
      DATABASE_POOL_SIZE: 10,
      DATABASE_ACQUIRE_TIMEOUT_MS: 1_000,
      DATABASE_STATEMENT_TIMEOUT_MS: 2_000,
      DATABASE_LOCK_TIMEOUT_MS: 500,
      DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS: 5_000,
      SERVED_ENVIRONMENTS: ['production', 'test'],
      MINIMUM_AMOUNT: 1n,
      MAXIMUM_AMOUNT: 100_000_000n,
      BODY_LIMIT_BYTES: 32_768,
      RATE_LIMIT_PER_SECOND: 100,
      COMPLETION_RATE_LIMIT_PER_SECOND: 500,
      RATE_LIMIT_BURST_SECONDS: 10,
      LOG_LEVEL: 'info',
    });
  });

  test('has no database and no pepper, because secrets have no default', () => {
    expect(config.DATABASE_URL).toBeUndefined();
    expect(config.CREDENTIAL_PEPPERS).toBeUndefined();
  });

  test('trusts no proxy', () => {
    expect(config.TRUSTED_PROXIES.check('127.0.0.1')).toBe(false);
    expect(config.TRUSTED_PROXIES.check('::1', 'ipv6')).toBe(false);
  });

  test('gives an absolute data directory', () => {
    expect(config.DATA_DIRECTORY).toBe(path.resolve('.data'));
  });

  test('gives an immutable configuration', () => {
    expect(Object.isFrozen(config)).toBe(true);
  });

  test('equals one of empty variables', () => {
    const empty = Object.fromEntries(Object.keys(config).map((name) => [name, '']));
    expect(JSON.stringify(readSettings(empty, listSettings()), bigintAsText)).toBe(
      JSON.stringify(config, bigintAsText),
    );
  });
});

describe('a feature', () => {
  test('gets its own settings', () => {
    const config = readSettings({ PORT: '1', WEBHOOK_SUCCESSES_DAYS: '3' }, listSettings());
    expect(settingsOf(config, webhookSettings)).toEqual({
      WEBHOOK_SECRET_KEYS: undefined,
      WEBHOOK_DESTINATIONS: 'public',
      WEBHOOK_SUCCESSES_DAYS: 3,
    });
  });

  test('gets no settings that were not read', () => {
    expect(() => settingsOf(readSettings({}), webhookSettings)).toThrow('WEBHOOK_SECRET_KEYS was not read');
  });

  test('declares no setting of the core or of another feature', () => {
    const names = [settings.shape, ...features.map((feature) => feature.settings ?? {})].flatMap(Object.keys);
    expect(names.sort()).toEqual(Object.keys(listSettings().shape).sort());
  });

  test('can declare keys and values that are rejected in production if they are weak or unsafe', () => {
    const weak = { WEBHOOK_SECRET_KEYS: `7:${'k'.repeat(32)}`, WEBHOOK_DESTINATIONS: 'loopback' };
    expect(problemsOf(weak)).toEqual([]);
    expect(problemsOf({ ...production, ...weak })).toEqual([
      'WEBHOOK_SECRET_KEYS: version 7 has too few different characters and can be guessed; generate one with openssl rand -base64 48',
      'WEBHOOK_DESTINATIONS: must be public in production, because partners choose the addresses',
    ]);
  });
});

describe('production', () => {
  test('accepts its three required settings', () => {
    const config = readSettings(production);
    expect(config.PUBLIC_BASE_URL).toBe('https://api.example.org');
    expect(config.CREDENTIAL_PEPPERS).toEqual(new Map([[1, Buffer.from(pepper)]]));
  });

  test('lists all missing required settings in one message', () => {
    const problems = problemsOf({ NODE_ENV: 'production' });
    expect(problems.map((problem) => problem.split(':')[0])).toEqual([
      'DATABASE_URL',
      'CREDENTIAL_PEPPERS',
      'PUBLIC_BASE_URL',
    ]);
    expect(new ConfigurationError(problems).message).toContain(problems.join('\n  '));
  });

  test.each(['DATABASE_URL', 'CREDENTIAL_PEPPERS', 'PUBLIC_BASE_URL'])(
    'with %s empty names only that setting',
    (name) => {
      const problems = problemsOf({ ...production, [name]: '' });
      expect(problems).toHaveLength(1);
      expect(problems[0]).toMatch(new RegExp(`^${name}: required in production`));
    },
  );

  test('with another invalid setting lists it together with the missing ones', () => {
    const problems = problemsOf({ NODE_ENV: 'production', PORT: 'eighty' });
    expect(problems.map((problem) => problem.split(':')[0]).sort()).toEqual([
      'CREDENTIAL_PEPPERS',
      'DATABASE_URL',
      'PORT',
      'PUBLIC_BASE_URL',
    ]);
  });
});

describe('in production', () => {
  const databaseAt = (rest: string) => ({ DATABASE_URL: `postgres://service:a-password@${rest}` });
  const accepted = (environment: Record<string, string>): boolean =>
    problemsOf({ ...production, ...environment }).length === 0;
  /** The names of the rejected settings. */
  const rejected = (environment: Record<string, string>): (string | undefined)[] =>
    problemsOf({ ...production, ...environment }).map((problem) => problem.split(':')[0]);

  test('lists all unsafe and all invalid settings at once', () => {
    const environment = {
      CREDENTIAL_PEPPERS: `1:${'a'.repeat(32)},2:${pepper}`,
      TRUSTED_PROXIES: '0.0.0.0/0',
      PUBLIC_BASE_URL: 'http://api.example.org',
      DATABASE_URL: 'postgres://service:a-password@db.internal:5432/contributions',
      DATABASE_OWNER_URL: 'postgres://owner:a-password@db.internal:5432/contributions',
      DATABASE_OPERATOR_URL: 'postgres://anna:a-password@db.internal:5432/contributions',
      DATABASE_NOTIFICATIONS_URL: 'postgres://service:a-password@db.internal:5433/contributions',
      PORT: 'many',
      MINIMUM_AMOUNT: '10',
      MAXIMUM_AMOUNT: '9',
    };
    expect(rejected(environment)).toEqual([
      'PORT',
      'MINIMUM_AMOUNT',
      'PUBLIC_BASE_URL',
      'TRUSTED_PROXIES',
      'CREDENTIAL_PEPPERS',
      'DATABASE_URL',
      'DATABASE_OWNER_URL',
      'DATABASE_OPERATOR_URL',
      'DATABASE_NOTIFICATIONS_URL',
    ]);
    const message = problemsOf({ ...production, ...environment }).join('\n');
    for (const secret of ['a-password', 'aaaaaaaa', pepper]) expect(message).not.toContain(secret);
  });

  test.each([
    'db.internal/contributions',
    'db.internal/contributions?sslmode=disable',
    'db.internal/contributions?sslmode=allow',
    'db.internal/contributions?sslmode=prefer',
    'db.internal/contributions?sslmode=verify-full&sslmode=disable',
    'db.internal/contributions?sslmode=verify-full&sslmode=prefer',
    'db.internal/contributions?ssl=0',
    'db.internal/contributions?application_name=a',
    '10.0.0.5/contributions',
    '[2001:db8::1]/contributions',
    '0.0.0.0/contributions',
    'localhost.example.org/contributions',
    'localhost/contributions?host=db.internal',
    'localhost,db.internal/contributions',
    '127.0.0.1.nip.io/contributions',
  ])('the database at %s is rejected, and accepted with ALLOW_PLAIN_DATABASE=on', (rest) => {
    expect(rejected(databaseAt(rest))).toEqual(['DATABASE_URL']);
    expect(accepted({ ...databaseAt(rest), ALLOW_PLAIN_DATABASE: 'on' })).toBe(true);
  });

  test.each([
    'db.internal/contributions?sslmode=require',
    'db.internal/contributions?sslmode=verify-ca',
    'db.internal/contributions?sslmode=no-verify',
    'db.internal/contributions?ssl=true',
    'db.internal/contributions?sslmode=disable&sslmode=verify-full',
    'localhost/contributions',
    'LOCALHOST/contributions',
    '127.0.0.1/contributions',
    '127.8.9.10/contributions?sslmode=disable',
    '[::1]/contributions',
    '[::ffff:127.0.0.1]/contributions',
    '/contributions',
    '/contributions?host=/run/postgresql',
    '%2Frun%2Fpostgresql/contributions',
    'db.internal/contributions?host=localhost',
  ])('the database at %s is accepted, because it is encrypted or on this machine', (rest) => {
    expect(rejected(databaseAt(rest))).toEqual([]);
  });

  test('an unreadable database certificate is named', () => {
    expect(
      problemsOf({
        ...production,
        ...databaseAt('db.internal/c?sslmode=verify-full&sslrootcert=/nowhere.pem'),
      }),
    ).toEqual(['DATABASE_URL: cannot be used (ENOENT /nowhere.pem)']);
  });

  test.each([
    '0.0.0.0/0',
    '::/0',
    '0.0.0.0/1,128.0.0.0/1',
    '10.0.0.0/8, 64.0.0.0/2',
    '8000::/1',
    '2000::/3',
    '::ffff:0:0/96',
    '::ffff:0.0.0.0/97',
    '::/64',
  ])('proxies in %s are rejected', (ranges) => {
    expect(new Set(rejected({ TRUSTED_PROXIES: ranges }))).toEqual(new Set(['TRUSTED_PROXIES']));
  });

  test.each([
    '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10',
    'fc00::/7,fd12:3456:789a::/48',
    '2001:db8::/32',
    '::1,127.0.0.1',
    '::ffff:10.0.0.0/104',
  ])('proxies in %s are accepted', (ranges) => {
    expect(rejected({ TRUSTED_PROXIES: ranges })).toEqual([]);
  });

  test.each([
    'a'.repeat(32),
    'ab'.repeat(20),
    'Xy7-'.repeat(10),
    '0123456789'.repeat(4),
    'kT9vQ2mZ4rLwX8nBkT9vQ2mZ4rLwX8nB',
    'correcthorsebatterystaplecorrecthorse',
    'Tango-Umbrella-River-tango-umbrella-Stone',
    '0123456789abcdefghijklmnopqrstuv',
    'zyxwvutsrqponmlkjihgfedcbaZYXWVUTSRQ',
    'aabbccddeeffgghhiijjkkllmmnnoopp',
    'qwertyuiopasdfghjklzxcvbnm123456',
    'change-me-change-me-change-me-now',
    'a-pepper-for-the-tests-of-the-image',
    '00000000000000000000000000001234',
  ])('the pepper %s is rejected', (trivial) => {
    expect(rejected({ CREDENTIAL_PEPPERS: `1:${pepper},2:${trivial}` })).toEqual(['CREDENTIAL_PEPPERS']);
    expect(problemsOf({ CREDENTIAL_PEPPERS: `1:${trivial}` })).toEqual([]);
  });

  longTest('random peppers are accepted in hexadecimal and in base64', () => {
    // The same in every run: one of millions of random texts contains a word of an example.
    const bytes = (count: number, size: number): Buffer =>
      createHash('sha512').update(`${count} ${size}`).digest().subarray(0, size);
    for (let count = 0; count < 2_000; count += 1) {
      const peppers = [
        bytes(count, 16).toString('hex'),
        bytes(count, 24).toString('base64'),
        bytes(count, 48).toString('base64url'),
      ];
      const text = peppers.map((each, index) => `${index + 1}:${each}`).join();
      expect(problemsOf({ ...production, CREDENTIAL_PEPPERS: text })).toEqual([]);
    }
  });

  test('the same settings are accepted in development with an own database', () => {
    expect(
      problemsOf({
        ...databaseAt('db.internal/contributions'),
        CREDENTIAL_PEPPERS: `1:${'a'.repeat(32)}`,
        TRUSTED_PROXIES: '0.0.0.0/0',
        PUBLIC_BASE_URL: 'http://localhost:3000',
      }),
    ).toEqual([]);
  });
});

describe('plain HTTP', () => {
  const database = { DATABASE_URL: 'postgres://service@localhost/contributions' };
  const serves = (environment: Record<string, string>): boolean => servesPlainHttp(readSettings(environment));

  test.each<[string, Record<string, string>, boolean]>([
    ['the embedded database on a loopback address', {}, true],
    ['the embedded database on localhost', { HOST: 'localhost' }, true],
    ['the embedded database on ::1', { HOST: '::1' }, true],
    ['the embedded database on a public address', { HOST: '0.0.0.0' }, false],
    ['the embedded database on a public address, allowed', { HOST: '::', ALLOW_PLAIN_HTTP: 'on' }, true],
    ['a database', database, false],
    ['a database in development', { ...database, NODE_ENV: 'development' }, false],
    ['a database, allowed', { ...database, ALLOW_PLAIN_HTTP: 'on' }, true],
    ['production', production, false],
  ])('with %s: %s', (_what, environment, expected) => {
    expect(serves(environment)).toBe(expected);
  });

  test.each<[string, Record<string, string>, boolean | undefined]>([
    ['a database and no TLS', database, true],
    ['a database and a proxy', { ...database, TRUSTED_PROXIES: '10.0.0.1' }, undefined],
    ['plain HTTP on this machine', { ...database, ALLOW_PLAIN_HTTP: 'on' }, undefined],
    ['plain HTTP on a public address', { ...database, ALLOW_PLAIN_HTTP: 'on', HOST: '0.0.0.0' }, false],
    ['plain HTTP in production', { ...production, ALLOW_PLAIN_HTTP: 'on' }, false],
    ['the demo', {}, undefined],
  ])('%s is reported', (_what, environment, rejectsAll) => {
    expect(plainHttpNotice(readSettings(environment))?.rejectsAll).toBe(rejectsAll);
  });
});

describe('the database URLs of migrations and commands', () => {
  const { DATABASE_URL: serviceUrl } = production;
  const ownerUrl = 'postgres://owner:a-password@db.internal:5432/contributions';
  const operatorUrl = 'postgres://anna:a-password@db.internal:5432/contributions';
  const both = { DATABASE_URL: serviceUrl, DATABASE_OWNER_URL: ownerUrl };

  test.each([
    ['is that of DATABASE_OWNER_URL', { DATABASE_URL: serviceUrl, DATABASE_OWNER_URL: ownerUrl }, ownerUrl],
    ['is that of the service when there is no other', { DATABASE_URL: serviceUrl }, serviceUrl],
    ['is that of the embedded database without either', {}, undefined],
  ])('%s', (_what, environment, url) => {
    expect(ownerUrlOf(readSettings(environment))).toBe(url);
  });

  test.each([
    [
      'is that of DATABASE_OPERATOR_URL for commands',
      { ...both, DATABASE_OPERATOR_URL: operatorUrl },
      operatorUrl,
    ],
    ['is the owner for commands when there is no other', both, ownerUrl],
    ['is that of the service for commands when there is no other', { DATABASE_URL: serviceUrl }, serviceUrl],
    ['is that of the embedded database for commands without any', {}, undefined],
  ])('%s', (_what, environment, url) => {
    expect(operatorUrlOf(readSettings(environment))).toBe(url);
  });

  test.each(['DATABASE_OWNER_URL', 'DATABASE_OPERATOR_URL'])(
    'are rejected without DATABASE_URL, which would be another database: %s',
    (name) => {
      expect(problemsOf({ [name]: ownerUrl })).toEqual([
        expect.stringMatching(new RegExp(`^${name}: set DATABASE_URL too`)),
      ]);
    },
  );
});

describe('an invalid value', () => {
  test.each([
    ['NODE_ENV', 'staging'],
    ['PORT', 'eighty'],
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['PORT', ' '],
    ['PUBLIC_BASE_URL', 'api.example.org'],
    ['PUBLIC_BASE_URL', 'https://api.example.org?a=b'],
    ['PUBLIC_BASE_URL', 'ftp://api.example.org'],
    ['DATABASE_URL', 'mysql://localhost/contributions'],
    ['DATABASE_NOTIFICATIONS_URL', 'localhost'],
    ['DATABASE_OWNER_URL', 'localhost'],
    ['DATABASE_OPERATOR_URL', 'localhost'],
    ['DATABASE_POOL_SIZE', '0'],
    ['DATABASE_ACQUIRE_TIMEOUT_MS', '1s'],
    ['DATABASE_STATEMENT_TIMEOUT_MS', '0'],
    ['DATABASE_LOCK_TIMEOUT_MS', 'Infinity'],
    ['CREDENTIAL_PEPPERS', pepper],
    ['CREDENTIAL_PEPPERS', '1:too-short'],
    ['CREDENTIAL_PEPPERS', `0:${pepper}`],
    ['CREDENTIAL_PEPPERS', `1:${pepper},1:${pepper}`],
    ['CREDENTIAL_PEPPERS', `1:${pepper},`],
    ['SERVED_ENVIRONMENTS', 'staging'],
    ['TRUSTED_PROXIES', 'a-host'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', '10.0.0.0/8,nonsense'],
    ['TRUSTED_PROXIES', '10.0.0.0/-1'],
    // Each of these would trust more than it seems to, and the first one would trust everybody.
    ['TRUSTED_PROXIES', '10.0.0.0/'],
    ['TRUSTED_PROXIES', '10.0.0.0/8/32'],
    ['TRUSTED_PROXIES', '10.0.0.0/0x8'],
    ['MINIMUM_AMOUNT', '0'],
    ['MINIMUM_AMOUNT', '0.001'],
    ['MAXIMUM_AMOUNT', '-5'],
    ['MAXIMUM_AMOUNT', '1e3'],
    ['BODY_LIMIT_BYTES', '12'],
    ['HEADERS_TIMEOUT_MS', '0'],
    ['LOG_LEVEL', 'verbose'],
  ])('of %s (%j) is named', (name, value) => {
    const problems = problemsOf({ [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name}: .{5,}`));
  });

  test('is listed together with all others', () => {
    const problems = problemsOf({
      PORT: 'x',
      LOG_LEVEL: 'loud',
      MAXIMUM_AMOUNT: 'much',
      TRUSTED_PROXIES: '?',
    });
    expect(problems.map((problem) => problem.split(':')[0]).sort()).toEqual([
      'LOG_LEVEL',
      'MAXIMUM_AMOUNT',
      'PORT',
      'TRUSTED_PROXIES',
    ]);
  });

  test.each([
    ['CREDENTIAL_PEPPERS', 'a-pepper-without-a-version'],
    ['DATABASE_URL', 'mysql://service:a-password@db/contributions'],
  ])('of %s is not printed, because it may be a secret', (name, value) => {
    expect(problemsOf({ [name]: value }).join()).not.toContain(value);
  });
});

describe('related settings', () => {
  test.each([
    ['MINIMUM_AMOUNT', { MINIMUM_AMOUNT: '10', MAXIMUM_AMOUNT: '9.99' }],
    [
      'DATABASE_ANSWER_TIMEOUT_MS',
      { DATABASE_ANSWER_TIMEOUT_MS: '2000', DATABASE_STATEMENT_TIMEOUT_MS: '2000' },
    ],
    ['TLS_CERTIFICATE_FILE', { TLS_CERTIFICATE_FILE: 'certificate.pem' }],
    ['TLS_CERTIFICATE_FILE', { TLS_PRIVATE_KEY_FILE: 'key.pem' }],
  ])('that contradict each other are rejected, naming %s', (name, environment) => {
    const problems = problemsOf(environment);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name}`));
  });
});

describe('parsed values', () => {
  test('PUBLIC_BASE_URL loses its trailing slash', () => {
    expect(readSettings({ PUBLIC_BASE_URL: 'https://api.example.org/v//' }).PUBLIC_BASE_URL).toBe(
      'https://api.example.org/v',
    );
  });

  test('several peppers are stored by version', () => {
    const config = readSettings({ CREDENTIAL_PEPPERS: `1:${pepper}, 2:${'b'.repeat(32)}` });
    expect([...(config.CREDENTIAL_PEPPERS?.keys() ?? [])]).toEqual([1, 2]);
  });

  test('proxy ranges of both families match their addresses and no others', () => {
    const { TRUSTED_PROXIES } = readSettings({ TRUSTED_PROXIES: '10.1.0.0/16, 192.0.2.7 ,2001:db8::/32' });
    expect(TRUSTED_PROXIES.check('10.1.255.1')).toBe(true);
    expect(TRUSTED_PROXIES.check('192.0.2.7')).toBe(true);
    expect(TRUSTED_PROXIES.check('2001:db8::1', 'ipv6')).toBe(true);
    expect(TRUSTED_PROXIES.check('10.2.0.1')).toBe(false);
    expect(TRUSTED_PROXIES.check('192.0.2.8')).toBe(false);
    expect(TRUSTED_PROXIES.check('2001:db9::1', 'ipv6')).toBe(false);
  });

  test.each([
    ['both', ['production', 'test']],
    ['test', ['test']],
    ['production', ['production']],
  ])('SERVED_ENVIRONMENTS=%s is %j', (value, kinds) => {
    expect(readSettings({ SERVED_ENVIRONMENTS: value }).SERVED_ENVIRONMENTS).toEqual(kinds);
  });

  test('amounts are integer cents', () => {
    const config = readSettings({ MINIMUM_AMOUNT: '0.5', MAXIMUM_AMOUNT: '12345.67' });
    expect([config.MINIMUM_AMOUNT, config.MAXIMUM_AMOUNT]).toEqual([50n, 1_234_567n]);
  });
});

function bigintAsText(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

describe('the metrics port', () => {
  test.each([
    [undefined, 9464],
    ['0', 0],
    ['9100', 9100],
    ['off', 'off'],
  ])('%s is parsed as %s', (text, port) => {
    expect(readSettings(text === undefined ? {} : { METRICS_PORT: text }).METRICS_PORT).toBe(port);
  });

  test.each(['none', '-1', '65536', '1e3'])('%s is rejected', (text) => {
    expect(problemsOf({ METRICS_PORT: text })).toEqual(['METRICS_PORT: must be a port number or off']);
  });

  test("differs from the API's port", () => {
    expect(problemsOf({ METRICS_PORT: '3000' })).toEqual([
      expect.stringMatching(/^METRICS_PORT: must differ from PORT/),
    ]);
  });
});
