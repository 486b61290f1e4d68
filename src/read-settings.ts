import path from 'node:path';

import type { Timeouts } from './db/session-settings';
import { type Settings, settings, type SettingsSchema } from './service.settings';
import type { SettingShape, SettingValues } from './shared/setting';
import { problemsAcrossSettings } from './startup/conflicting-settings';
import { withSecretFiles } from './startup/secret-files';

export type { SettingsSchema };

/**
 * At shutdown, the process still accepts connections for this time. It is more than twice the time
 * that docs/haproxy.cfg needs to notice a failing health check.
 */
const productionShutdownDelayMs = 3_000;

/**
 * The settings of the process, with an absolute DATA_DIRECTORY and with the defaults that depend on
 * NODE_ENV.
 */
export type Config = Readonly<
  Omit<Settings, 'PUBLIC_BASE_URL' | 'SHUTDOWN_DELAY_MS'> & {
    /** Undefined only outside production, where the port may not be known yet. */
    PUBLIC_BASE_URL: string | undefined;
    SHUTDOWN_DELAY_MS: number;
  }
>;

/** The environment has invalid settings. The message lists all of them. */
export class ConfigurationError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is invalid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigurationError';
  }
}

/**
 * Reads the configuration from environment variables, and from the files that NAME_FILE variables
 * name for secrets. Empty variables count as absent.
 *
 * @param schema `listSettings()` for a process that uses features
 * @throws ConfigurationError that lists every problem
 */
export function readSettings(
  environment: Readonly<Record<string, string | undefined>>,
  schema = settings,
): Config {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const { given, problems: fileProblems } = withSecretFiles(set, schema);
  const result = schema.safeParse(given);
  const problems = [
    ...fileProblems,
    ...(result.error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${issue.message}`),
    ...problemsAcrossSettings(validSettings(given, schema), given, schema),
  ];
  if (!result.success || problems.length > 0) throw new ConfigurationError(problems);
  const isProduction = result.data.NODE_ENV === 'production';
  return Object.freeze({
    ...Object.fromEntries(Object.keys(schema.shape).map((name) => [name, undefined])),
    ...result.data,
    PUBLIC_BASE_URL: result.data.PUBLIC_BASE_URL,
    SHUTDOWN_DELAY_MS: result.data.SHUTDOWN_DELAY_MS ?? (isProduction ? productionShutdownDelayMs : 0),
    DATA_DIRECTORY: path.resolve(result.data.DATA_DIRECTORY),
  });
}

/** The valid settings, so that conflicts between them are reported even if others are invalid. */
function validSettings(
  given: Readonly<Record<string, string | undefined>>,
  { shape }: SettingsSchema,
): Partial<Settings> {
  return Object.fromEntries(
    Object.entries(shape).flatMap(([name, setting]) => {
      const { success, data } = setting.safeParse(given[name]);
      return success ? [[name, data]] : [];
    }),
  );
}

/**
 * The settings of a feature.
 *
 * @throws Error if `readSettings` did not get the schema of features
 */
export function settingsOf<Shape extends SettingShape>(config: Config, shape: Shape): SettingValues<Shape> {
  const read = (name: string): unknown => {
    if (name in config) return config[name as keyof Config];
    throw new Error(`${name} was not read`);
  };
  return Object.fromEntries(Object.keys(shape).map((name) => [name, read(name)])) as SettingValues<Shape>;
}

/** The address for migrations and seeds; undefined means the embedded database. */
export function ownerUrlOf(config: Config): string | undefined {
  return config.DATABASE_OWNER_URL ?? config.DATABASE_URL;
}

/** The address for the operator's commands; undefined means the embedded database. */
export function operatorUrlOf(config: Config): string | undefined {
  return config.DATABASE_OPERATOR_URL ?? ownerUrlOf(config);
}

/** The configured limits of PostgreSQL, in milliseconds. */
export function timeoutsOf(config: Config): Timeouts {
  return {
    statementMs: config.DATABASE_STATEMENT_TIMEOUT_MS,
    lockMs: config.DATABASE_LOCK_TIMEOUT_MS,
    idleInTransactionMs: config.DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS,
  };
}
