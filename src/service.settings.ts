import { z } from 'zod';

import { blockListOf, parseAddressRanges } from './shared/address-ranges';
import { logLevels } from './shared/logger';
import { largestAmountCents, parseAmountToCents } from './shared/money';
import { environmentKinds } from './shared/scopes';
import { integer, onOrOff, secret, versionedKeys, wholeNumber } from './shared/setting';

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

/** CIDR ranges, separated by commas. */
const addressRanges = z
  .string()
  .default('')
  .transform((text, context) => {
    const ranges = parseAddressRanges(text);
    if (ranges) return blockListOf(ranges);
    context.addIssue('must be address ranges such as 10.0.0.0/8, separated by commas');
    return z.NEVER;
  });

const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\/.+/, 'must be postgres://user:password@host:port/database');
const httpUrl = z
  .string()
  .regex(/^https?:\/\/[^\s?#]+$/, 'must be an http or https address without a query')
  .transform((text) => text.replace(/\/+$/, ''));

const integerOrOff = (what: string, byDefault: number | 'off', maximum: number) =>
  z
    .string()
    .regex(/^(off|\d+)$/, `must be ${what} or off`)
    .transform((text) => (text === 'off' ? ('off' as const) : Number(text)))
    .refine((value) => value === 'off' || value <= maximum, `must be ${what} or off`)
    .default(byDefault);

/** The settings of the process. Each feature declares its own. */
export const settings = z.object({
  NODE_ENV: z
    .enum(['production', 'development', 'test'])
    .default('development')
    .describe(
      '`production` requires DATABASE_URL, CREDENTIAL_PEPPERS and PUBLIC_BASE_URL, and rejects unsafe values',
    ),
  HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on; 0.0.0.0 for all'),
  PORT: integer(3000, 0, 65_535).describe('Port to listen on'),
  PUBLIC_BASE_URL: httpUrl
    .optional()
    .describe('Address that partners use; links are built from it (default: http://localhost:PORT)'),
  PRODUCT_NAME: z
    .string()
    .trim()
    .min(1)
    .max(60)
    .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')
    .default('Contribution Service')
    .describe('Name in the titles and the header of the pages for people. It changes no API response'),
  DATABASE_URL: secret(
    postgresUrl,
    'PostgreSQL 15 or newer, with the role contribution_service; without it, the service starts an embedded PostgreSQL',
  ),
  DATABASE_OWNER_URL: secret(
    postgresUrl,
    'The same database with the role that owns its schema, contribution_owner. For migrations and seeds only, never for the service (default: DATABASE_URL)',
  ),
  DATABASE_OPERATOR_URL: secret(
    postgresUrl,
    "The same database with a person's own login, a member of contribution_operator. For the operator's commands (default: DATABASE_OWNER_URL, then DATABASE_URL)",
  ),
  DATABASE_NOTIFICATIONS_URL: secret(
    postgresUrl,
    'Direct address of the same server, for the connection that listens for revocations, if DATABASE_URL goes through a pooler (default: DATABASE_URL)',
  ),
  DATABASE_TIMEOUTS: z
    .enum(['connection', 'role'])
    .default('connection')
    .describe(
      'How PostgreSQL receives its limits and the settings of a session. `connection` sends them when a connection opens. `role` uses settings that `npm run migrate` stores for the role, for poolers that reject settings in a connection, and for a cluster',
    ),
  DATABASE_PREPARED_STATEMENTS: onOrOff('on').describe(
    'Set to `off` behind a pooler in transaction mode that does not track prepared statements, such as PgBouncer before 1.21',
  ),
  DATABASE_POOL_SIZE: integer(10, 1, 500).describe('Connections of one process'),
  DATABASE_QUEUE_LENGTH: integer(100, 1, 100_000).describe(
    'Requests that can wait for a free connection, a quarter of them reserved for creates and completions. Further requests get 503 immediately',
  ),
  DATABASE_ACQUIRE_TIMEOUT_MS: integer(1_000, 10, 60_000).describe(
    'Maximum wait of a request for a free connection',
  ),
  DATABASE_CONNECT_TIMEOUT_MS: integer(5_000, 10, 60_000).describe('Time limit for opening a connection'),
  DATABASE_STATEMENT_TIMEOUT_MS: integer(2_000, 10, 60_000).describe("PostgreSQL's limit for one statement"),
  DATABASE_LOCK_TIMEOUT_MS: integer(500, 10, 60_000).describe("PostgreSQL's limit for waiting for a lock"),
  DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS: integer(5_000, 10, 60_000).describe(
    "PostgreSQL's limit for an idle transaction",
  ),
  DATABASE_ANSWER_TIMEOUT_MS: integer(5_000, 100, 120_000).describe(
    'Maximum wait of the service for a reply from the database',
  ),
  ALLOW_PLAIN_DATABASE: onOrOff('off').describe(
    '`on` accepts an unencrypted connection to a database on another machine in production, for a network that nobody else can read',
  ),
  CREDENTIAL_PEPPERS: secret(
    versionedKeys,
    'Server-side keys for stored secrets: VERSION:PEPPER, several separated by commas. New pairs use the highest version (default outside production: a generated pepper in DATA_DIRECTORY)',
  ),
  SERVED_ENVIRONMENTS: z
    .enum(['both', ...environmentKinds])
    .default('both')
    .transform((value) => (value === 'both' ? environmentKinds : [value]))
    .describe('Kind of key pairs that this instance accepts'),
  TLS_CERTIFICATE_FILE: z.string().optional().describe('Serve HTTPS with this certificate chain (PEM)'),
  TLS_PRIVATE_KEY_FILE: z.string().optional().describe("The certificate's private key (PEM)"),
  ALLOW_PLAIN_HTTP: onOrOff('off').describe(
    '`on` serves requests without TLS, which otherwise get 403 https_required. With the embedded database and a loopback HOST, they are always served',
  ),
  TRUSTED_PROXIES: addressRanges.describe(
    'Address ranges of proxies, separated by commas. The service trusts X-Forwarded-Proto and X-Forwarded-For only from these',
  ),
  MINIMUM_AMOUNT: amount('0.01').describe('Smallest contribution in US dollars'),
  MAXIMUM_AMOUNT: amount('1000000.00').describe('Largest contribution in US dollars'),
  BODY_LIMIT_BYTES: integer(32_768, 1_024, 1_048_576).describe('Largest request body'),
  RATE_LIMIT_PER_SECOND: integer(100, 1, 1_000_000).describe(
    'Requests per second of one environment and set of scopes, in each process. An operator can set another rate for one environment',
  ),
  COMPLETION_RATE_LIMIT_PER_SECOND: integer(500, 1, 1_000_000).describe(
    'The same for completions and returns, which do not count toward RATE_LIMIT_PER_SECOND',
  ),
  RATE_LIMIT_BURST_SECONDS: integer(10, 1, 3_600).describe(
    'Maximum burst, in seconds of the rate. With 10, an idle client can send 10 seconds of requests at once',
  ),
  FAILED_AUTHENTICATIONS_PER_PAIR: integer(20, 1, 1_000_000).describe(
    'Failed authentications per minute with one API-Key from one client address or IPv6 /64, twice as many from a /56, four times from a /48',
  ),
  FAILED_AUTHENTICATIONS_PER_ADDRESS: integer(600, 1, 1_000_000).describe(
    'The same with any API-Key. Never rejects a valid pair that is more than about a minute old',
  ),
  HEADERS_TIMEOUT_MS: integer(5_000, 100, 60_000).describe("Time limit for receiving a request's headers"),
  REQUEST_TIMEOUT_MS: integer(10_000, 100, 120_000).describe('Time limit for receiving a whole request'),
  SHUTDOWN_DELAY_MS: wholeNumber(0, 60_000)
    .optional()
    .describe(
      'Time after SIGTERM during which the process accepts connections but /health/ready fails, so that the load balancer notices (default: 3000 in production, otherwise 0)',
    ),
  SHUTDOWN_TIMEOUT_MS: integer(10_000, 100, 120_000).describe(
    'Time limit for requests in progress after SHUTDOWN_DELAY_MS',
  ),
  METRICS_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address on which /metrics listens; everyone who can reach it can read it'),
  METRICS_PORT: integerOrOff('a port number', 9464, 65_535).describe(
    "Port of /metrics, different from the API's; 0 uses any free port, `off` disables it. If the port is taken, the service refuses to start in production and warns elsewhere",
  ),
  OVERDUE_AFTER_HOURS: integer(24, 1, 8_760).describe(
    'Age from which a pending contribution is reported as overdue; late completions are still accepted',
  ),
  CATALOGUE_MAX_AGE_MS: integer(1_000, 0, 60_000).describe(
    'Cache duration for catalogue responses without a user. Changes become visible within this time',
  ),
  DELIVERY: onOrOff('on').describe(
    '`off` stops this process from writing events to the feeds and from delivering them to webhook endpoints. At least one process must do this work, such as one that runs `npm run deliver`',
  ),
  SLOW_STATEMENT_MS: integerOrOff('milliseconds', 500, 120_000).describe(
    'Slower statements are logged, with the request id if known; `off` disables it',
  ),
  LOG_LEVEL: z.enum(logLevels).default('info').describe('Lowest level that is logged'),
  DATA_DIRECTORY: z
    .string()
    .min(1)
    .default('.data')
    .describe('Folder of the embedded database and the demo credentials'),
  OPERATOR: z
    .string()
    .max(200)
    .optional()
    .describe(
      'Unverified name that the audit log shows beside the database login (default: the account and the machine)',
    ),
});

export type SettingsSchema = typeof settings;
export type Settings = z.output<SettingsSchema>;

/** The names of the settings that can also come from a file. */
export const secretNames = ({ shape }: SettingsSchema): string[] =>
  Object.entries(shape).flatMap(([name, setting]) => (setting.meta()?.isSecret ? [name] : []));
