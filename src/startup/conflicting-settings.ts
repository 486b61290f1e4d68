import type { Settings, SettingsSchema } from '../service.settings';
import { unsafeSettings } from './unsafe-settings';
import { parseAddressRanges } from '../shared/address-ranges';

/** The environment variables, without empty ones. */
type Given = Readonly<Record<string, string | undefined>>;

const isDatabaseUrl = /^DATABASE_(?:[A-Z]+_)?URL$/;

/**
 * The problems of settings that are valid individually: missing settings, conflicts, and unsafe
 * values in production.
 *
 * @param values the valid settings
 */
export function problemsAcrossSettings(
  values: Partial<Settings>,
  given: Given,
  { shape }: SettingsSchema,
): string[] {
  const named = Object.entries<unknown>(values);
  const isProduction = values.NODE_ENV === 'production';
  return [
    ...(isProduction ? missingInProduction(given) : []),
    ...conflicts(values, given),
    ...(isProduction
      ? unsafeSettings({
          publicBaseUrl: values.PUBLIC_BASE_URL,
          trustedProxies: parseAddressRanges(given['TRUSTED_PROXIES'] ?? '') ?? [],
          keys: new Map(
            named.filter((entry): entry is [string, Map<number, Buffer>] => entry[1] instanceof Map),
          ),
          unsafe: new Map(
            Object.entries(shape).flatMap(([name, setting]) => {
              const unsafe = setting.meta()?.unsafe;
              return unsafe && values[name as keyof Settings] === unsafe.value
                ? [[name, unsafe.because]]
                : [];
            }),
          ),
          databaseUrls: new Map(
            named.filter(
              (entry): entry is [string, string] =>
                isDatabaseUrl.test(entry[0]) && typeof entry[1] === 'string',
            ),
          ),
          allowsPlainDatabase: values.ALLOW_PLAIN_DATABASE === true,
        })
      : []),
  ];
}

function missingInProduction(given: Given): string[] {
  return ['DATABASE_URL', 'CREDENTIAL_PEPPERS', 'PUBLIC_BASE_URL']
    .filter((name) => given[name] === undefined)
    .map((name) => `${name}: required in production`);
}

function conflicts(values: Partial<Settings>, given: Given): string[] {
  const problems: string[] = [];
  const hasDatabase = given['DATABASE_URL'] !== undefined;
  const { MINIMUM_AMOUNT, MAXIMUM_AMOUNT, METRICS_PORT, PORT } = values;
  const { DATABASE_ANSWER_TIMEOUT_MS: replyMs, DATABASE_STATEMENT_TIMEOUT_MS: statementMs } = values;
  if ((given['TLS_CERTIFICATE_FILE'] === undefined) !== (given['TLS_PRIVATE_KEY_FILE'] === undefined)) {
    problems.push('TLS_CERTIFICATE_FILE, TLS_PRIVATE_KEY_FILE: set both or neither');
  }
  for (const name of ['DATABASE_OWNER_URL', 'DATABASE_OPERATOR_URL'] as const) {
    if (values[name] !== undefined && !hasDatabase) {
      problems.push(`${name}: set DATABASE_URL too, or the service would use the embedded database`);
    }
  }
  if (METRICS_PORT !== undefined && METRICS_PORT !== 0 && METRICS_PORT === PORT) {
    problems.push('METRICS_PORT: must differ from PORT, which partners can reach');
  }
  if (values.DATABASE_TIMEOUTS === 'role' && !hasDatabase) {
    problems.push('DATABASE_TIMEOUTS: the value "role" requires DATABASE_URL');
  }
  if (MINIMUM_AMOUNT !== undefined && MAXIMUM_AMOUNT !== undefined && MINIMUM_AMOUNT > MAXIMUM_AMOUNT) {
    problems.push('MINIMUM_AMOUNT: must not be more than MAXIMUM_AMOUNT');
  }
  if (replyMs !== undefined && statementMs !== undefined && replyMs <= statementMs) {
    problems.push(
      'DATABASE_ANSWER_TIMEOUT_MS: must be more than DATABASE_STATEMENT_TIMEOUT_MS, or slow statements would have unknown outcomes',
    );
  }
  return problems;
}
