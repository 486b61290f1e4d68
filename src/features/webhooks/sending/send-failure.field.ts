/** Why an attempt failed, as partners see it. */
export const sendFailures = [
  'status',
  'timeout',
  'connect_timeout',
  'dns',
  'forbidden_address',
  'connection_refused',
  'connection_closed',
  'connection_failed',
  'tls',
  'malformed_response',
] as const;
export type SendFailure = (typeof sendFailures)[number];
