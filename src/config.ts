import path from 'node:path';

import { type Settings, settings } from './settings';
import { problemsBetween } from './startup/config-problems';

/** More than twice what docs/haproxy.cfg needs to notice. */
const productionShutdownDelayMs = 3_000;

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
    super(`The configuration cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
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
  const problems = [
    ...(result.error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${issue.message}`),
    ...problemsBetween(validSettings(given), given),
  ];
  if (!result.success || problems.length > 0) throw new ConfigurationError(problems);
  const isProduction = result.data.NODE_ENV === 'production';
  return Object.freeze({
    ...result.data,
    PUBLIC_BASE_URL: result.data.PUBLIC_BASE_URL,
    SHUTDOWN_DELAY_MS: result.data.SHUTDOWN_DELAY_MS ?? (isProduction ? productionShutdownDelayMs : 0),
    DATA_DIRECTORY: path.resolve(result.data.DATA_DIRECTORY),
  });
}

/**
 * The settings that are valid by themselves, so that what is wrong between them is found even where
 * another one is invalid.
 */
function validSettings(given: Readonly<Record<string, string | undefined>>): Partial<Settings> {
  return Object.fromEntries(
    Object.entries(settings.shape).flatMap(([name, setting]) => {
      const { success, data } = setting.safeParse(given[name]);
      return success ? [[name, data]] : [];
    }),
  );
}

/** Where migrations and seeds connect to; undefined: the embedded database. */
export function ownerUrlOf(config: Config): string | undefined {
  return config.DATABASE_OWNER_URL ?? config.DATABASE_URL;
}

/** Where the operator's commands connect to; undefined: the embedded database. */
export function operatorUrlOf(config: Config): string | undefined {
  return config.DATABASE_OPERATOR_URL ?? ownerUrlOf(config);
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
