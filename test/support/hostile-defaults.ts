import type { sessionSettings } from '../../src/db/session-settings';

/**
 * The session defaults of the test server: each differs from the setting of the program. Every test
 * thus shows that no default of the server reaches it.
 */
export const hostileDefaults = {
  DateStyle: 'German, DMY',
  IntervalStyle: 'sql_standard',
  TimeZone: 'Asia/Kolkata',
  bytea_output: 'escape',
  extra_float_digits: '0',
  array_nulls: 'off',
  check_function_bodies: 'off',
  quote_all_identifiers: 'on',
  search_path: 'nowhere',
  standard_conforming_strings: 'off',
  default_transaction_deferrable: 'on',
  default_transaction_isolation: 'serializable',
  synchronous_commit: 'off',
  exit_on_error: 'on',
  client_min_messages: 'error',
  // Limits that no test reaches.
  idle_session_timeout: '1h',
  statement_timeout: '1h',
  lock_timeout: '1h',
  idle_in_transaction_session_timeout: '1h',
} as const satisfies Record<keyof typeof sessionSettings, string> & Record<string, string>;
