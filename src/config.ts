import { BlockList, isIP } from 'node:net';
import path from 'node:path';

import { z } from 'zod';

import { logLevels } from './shared/logger';
import { largestAmountCents, parseAmountToCents } from './shared/money';
import { environmentKinds } from './shared/scopes';

/** Decimal digits and nothing else: Number() would read a blank as 0. */
const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(minimum).max(maximum));
const integer = (byDefault: number, minimum: number, maximum: number) =>
  wholeNumber(minimum, maximum).default(byDefault);

const amount = (byDefault: string) =>
  z
    .string()
    .default(byDefault)
    .transform((text, context) => {
      const cents = parseAmountToCents(text);
      if (cents !== undefined && cents >= 1n && cents <= largestAmountCents) return cents;
      context.addIssue('must be US dollars from 0.01 to 1000000000.00, such as 25.00');
      return z.NEVER;
    });

/** "1:<text>,2:<text>": each text is a pepper, at least 32 characters of base64url or hex. */
const peppers = z.string().transform((text, context) => {
  const entries = text.split(',').map((entry) => /^\s*([1-9]\d{0,3}):([\w+/=-]{32,})\s*$/.exec(entry));
  const parsed = new Map<number, Buffer>();
  for (const entry of entries) {
    if (entry?.[1] && entry[2]) parsed.set(Number(entry[1]), Buffer.from(entry[2], 'utf8'));
  }
  if (parsed.size === entries.length) return parsed;
  context.addIssue(
    'must be VERSION:PEPPER, several separated by commas, each pepper at least 32 random characters',
  );
  return z.NEVER;
});

/** CIDR ranges separated by commas. */
const addressRanges = z
  .string()
  .default('')
  .transform((text, context) => {
    const ranges = new BlockList();
    for (const range of text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')) {
      const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(range) ?? [];
      const family = isIP(address);
      const bits = prefix === undefined ? (family === 4 ? 32 : 128) : Number(prefix);
      if (family === 0 || bits > (family === 4 ? 32 : 128)) {
        context.addIssue('must be address ranges such as 10.0.0.0/8, separated by commas');
        return z.NEVER;
      }
      ranges.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
    }
    return ranges;
  });

const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\/.+/, 'must be postgres://user:password@host:port/database');
const httpUrl = z
  .string()
  .regex(/^https?:\/\/[^\s?#]+$/, 'must be an http or https address without a query')
  .transform((text) => text.replace(/\/+$/, ''));

/** A number, or off. */
const integerOrOff = (what: string, byDefault: number | 'off', maximum: number) =>
  z
    .string()
    .regex(/^(off|\d+)$/, `must be ${what} or off`)
    .transform((text) => (text === 'off' ? ('off' as const) : Number(text)))
    .refine((value) => value === 'off' || value <= maximum, `must be ${what} or off`)
    .default(byDefault);

/** More than twice what docs/haproxy.cfg needs to notice. */
const productionShutdownDelayMs = 3_000;

/** Every setting of the service, each with what it is for. */
export const settings = z.object({
  NODE_ENV: z
    .enum(['production', 'development', 'test'])
    .default('development')
    .describe(
      'production demands DATABASE_URL, CREDENTIAL_PEPPERS and PUBLIC_BASE_URL, and refuses requests without TLS',
    ),
  HOST: z.string().min(1).default('127.0.0.1').describe('address to listen on; 0.0.0.0 for all'),
  PORT: integer(3000, 0, 65_535).describe('port to listen on'),
  PUBLIC_BASE_URL: httpUrl
    .optional()
    .describe(
      'address under which partners reach the service; links are built from it (default: http://localhost:PORT)',
    ),
  DATABASE_URL: postgresUrl
    .optional()
    .describe(
      'PostgreSQL 15 or newer, as the role contribution_service; without it the service starts one of its own',
    ),
  DATABASE_OWNER_URL: postgresUrl
    .optional()
    .describe(
      'the same database as the role that owns its schema, contribution_owner: for migrations, seeds and the operator, never for the service (default: DATABASE_URL)',
    ),
  DATABASE_NOTIFICATIONS_URL: postgresUrl
    .optional()
    .describe(
      'a direct way to the same server for the one connection that listens for revocations, when DATABASE_URL goes through a pooler (default: DATABASE_URL)',
    ),
  DATABASE_TIMEOUTS: z
    .enum(['connection', 'role'])
    .default('connection')
    .describe(
      "how PostgreSQL's own limits reach it: sent with each connection, or as settings of the role, set by npm run migrate, for a pooler that refuses them with a connection",
    ),
  DATABASE_PREPARED_STATEMENTS: z
    .enum(['on', 'off'])
    .default('on')
    .transform((value) => value === 'on')
    .describe(
      'off behind a pooler in transaction mode that does not keep prepared statements apart, such as PgBouncer before 1.21',
    ),
  DATABASE_POOL_SIZE: integer(10, 1, 500).describe('connections of one process'),
  DATABASE_QUEUE_LENGTH: integer(100, 1, 100_000).describe(
    'requests that may wait for a free connection, a quarter of them only to create or complete; the next one is refused with 503 at once',
  ),
  DATABASE_ACQUIRE_TIMEOUT_MS: integer(1_000, 10, 60_000).describe(
    'how long a request waits for a free connection',
  ),
  DATABASE_STATEMENT_TIMEOUT_MS: integer(2_000, 10, 60_000).describe("PostgreSQL's limit on one statement"),
  DATABASE_LOCK_TIMEOUT_MS: integer(500, 10, 60_000).describe("PostgreSQL's limit on waiting for a lock"),
  DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS: integer(5_000, 10, 60_000).describe(
    "PostgreSQL's limit on a transaction that does nothing",
  ),
  DATABASE_ANSWER_TIMEOUT_MS: integer(5_000, 100, 120_000).describe(
    'how long the service waits for any answer of the database',
  ),
  CREDENTIAL_PEPPERS: peppers
    .optional()
    .describe(
      'server-side keys of the stored secrets: VERSION:PEPPER, several separated by commas; the highest version is used for new pairs (default outside production: one of its own in DATA_DIRECTORY)',
    ),
  SERVED_ENVIRONMENTS: z
    .enum(['both', ...environmentKinds])
    .default('both')
    .transform((value) => (value === 'both' ? environmentKinds : [value]))
    .describe('which kind of key pairs this instance accepts'),
  TLS_CERTIFICATE_FILE: z.string().optional().describe('serve HTTPS with this certificate chain (PEM)'),
  TLS_PRIVATE_KEY_FILE: z.string().optional().describe('the private key of the certificate (PEM)'),
  TRUSTED_PROXIES: addressRanges.describe(
    'address ranges of proxies whose X-Forwarded-Proto and X-Forwarded-For are believed, separated by commas',
  ),
  MINIMUM_AMOUNT: amount('0.01').describe('smallest contribution in US dollars'),
  MAXIMUM_AMOUNT: amount('1000000.00').describe('largest contribution in US dollars'),
  BODY_LIMIT_BYTES: integer(32_768, 1_024, 1_048_576).describe('largest request body'),
  RATE_LIMIT_PER_SECOND: integer(100, 1, 1_000_000).describe(
    'requests a second of one environment and set of scopes, in each process; an operator can set another rate for one environment',
  ),
  COMPLETION_RATE_LIMIT_PER_SECOND: integer(500, 1, 1_000_000).describe(
    'the same for completions, which do not count as other requests',
  ),
  RATE_LIMIT_BURST_SECONDS: integer(10, 1, 3_600).describe(
    'for how many seconds of its rate a client may send at once after a pause',
  ),
  FAILED_AUTHENTICATIONS_PER_PAIR: integer(20, 1, 1_000_000).describe(
    'failed authentications a minute with one API-Key from one client address',
  ),
  FAILED_AUTHENTICATIONS_PER_ADDRESS: integer(600, 1, 1_000_000).describe(
    'failed authentications a minute from one client address; pairs in use there are not affected',
  ),
  HEADERS_TIMEOUT_MS: integer(5_000, 100, 60_000).describe(
    'how long the headers of a request may take to arrive',
  ),
  REQUEST_TIMEOUT_MS: integer(10_000, 100, 120_000).describe('how long a whole request may take to arrive'),
  SHUTDOWN_DELAY_MS: wholeNumber(0, 60_000)
    .optional()
    .describe(
      'how long after SIGTERM connections are still taken while /health/ready says no, so that whoever distributes requests can notice (default: 3000 in production, otherwise 0)',
    ),
  SHUTDOWN_TIMEOUT_MS: integer(10_000, 100, 120_000).describe(
    'how long requests under way may take after that',
  ),
  METRICS_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('address on which /metrics is served; anybody who reaches it may read it'),
  METRICS_PORT: integerOrOff('a port number', 9464, 65_535).describe(
    "port of /metrics, never the API's; 0 takes any that is free, off serves none. When it cannot be had, the service does not start in production and warns elsewhere",
  ),
  OVERDUE_AFTER_HOURS: integer(24, 1, 8_760).describe(
    'after how long a pending contribution is reported as overdue; a late completion is accepted all the same',
  ),
  CATALOGUE_MAX_AGE_MS: integer(1_000, 0, 60_000).describe(
    'for how many milliseconds an answer from the catalogue that is about no user is kept in memory and given again: so long a change may take to be seen',
  ),
  SLOW_STATEMENT_MS: integerOrOff('milliseconds', 500, 120_000).describe(
    'statements that take longer are logged, with the id of their request where it is known',
  ),
  LOG_LEVEL: z.enum(logLevels).default('info').describe('least severe log lines written'),
  DATA_DIRECTORY: z
    .string()
    .min(1)
    .default('.data')
    .describe('where the embedded database and the demo credentials are kept'),
  OPERATOR: z
    .string()
    .max(200)
    .optional()
    .describe("who runs the operator's commands, for their record (default: the account and the machine)"),
});

type Settings = z.output<typeof settings>;

export type Config = Readonly<
  Omit<Settings, 'PUBLIC_BASE_URL' | 'DATA_DIRECTORY' | 'SHUTDOWN_DELAY_MS'> & {
    SHUTDOWN_DELAY_MS: number;
    /** Absent only outside production, where the port may not be known yet. */
    PUBLIC_BASE_URL: string | undefined;
    /** Absolute. */
    DATA_DIRECTORY: string;
  }
>;

/** Everything that is wrong with the environment, at once. */
export class ConfigurationError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is not complete:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigurationError';
  }
}

/**
 * Reads the configuration from environment variables. Empty ones count as absent.
 *
 * @throws ConfigurationError naming every problem
 */
export function loadConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = settings.safeParse(given);
  const problems = result.success
    ? []
    : result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  const isProduction = given['NODE_ENV'] === 'production';
  if (isProduction) {
    for (const name of ['DATABASE_URL', 'CREDENTIAL_PEPPERS', 'PUBLIC_BASE_URL'] as const) {
      if (given[name] === undefined) problems.push(`${name}: required in production`);
    }
  }
  if ((given['TLS_CERTIFICATE_FILE'] === undefined) !== (given['TLS_PRIVATE_KEY_FILE'] === undefined)) {
    problems.push('TLS_CERTIFICATE_FILE, TLS_PRIVATE_KEY_FILE: set both or neither');
  }
  if (result.success) {
    const { MINIMUM_AMOUNT, MAXIMUM_AMOUNT, DATABASE_STATEMENT_TIMEOUT_MS, DATABASE_ANSWER_TIMEOUT_MS } =
      result.data;
    if (given['DATABASE_OWNER_URL'] !== undefined && given['DATABASE_URL'] === undefined) {
      problems.push(
        'DATABASE_OWNER_URL: set DATABASE_URL too, or the service would run on a database of its own',
      );
    }
    const { METRICS_PORT, PORT } = result.data;
    if (METRICS_PORT !== 0 && METRICS_PORT === PORT) {
      problems.push('METRICS_PORT: must not be PORT, which partners reach');
    }
    if (result.data.DATABASE_TIMEOUTS === 'role' && given['DATABASE_URL'] === undefined) {
      problems.push('DATABASE_TIMEOUTS: role needs DATABASE_URL');
    }
    if (MINIMUM_AMOUNT > MAXIMUM_AMOUNT) problems.push('MINIMUM_AMOUNT: is more than MAXIMUM_AMOUNT');
    if (DATABASE_ANSWER_TIMEOUT_MS <= DATABASE_STATEMENT_TIMEOUT_MS) {
      problems.push(
        'DATABASE_ANSWER_TIMEOUT_MS: must be more than DATABASE_STATEMENT_TIMEOUT_MS, or outcomes would be unknown without need',
      );
    }
  }
  if (!result.success || problems.length > 0) throw new ConfigurationError(problems);
  return Object.freeze({
    ...result.data,
    PUBLIC_BASE_URL: result.data.PUBLIC_BASE_URL,
    SHUTDOWN_DELAY_MS: result.data.SHUTDOWN_DELAY_MS ?? (isProduction ? productionShutdownDelayMs : 0),
    DATA_DIRECTORY: path.resolve(result.data.DATA_DIRECTORY),
  });
}

/** Where commands that change the schema, or do what an operator does, connect to; undefined: the embedded database. */
export function ownerUrlOf(config: Config): string | undefined {
  return config.DATABASE_OWNER_URL ?? config.DATABASE_URL;
}

/** PostgreSQL's own limits, as configured; milliseconds. */
export function timeoutsOf(config: Config): {
  statementMs: number;
  lockMs: number;
  idleInTransactionMs: number;
} {
  return {
    statementMs: config.DATABASE_STATEMENT_TIMEOUT_MS,
    lockMs: config.DATABASE_LOCK_TIMEOUT_MS,
    idleInTransactionMs: config.DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS,
  };
}
