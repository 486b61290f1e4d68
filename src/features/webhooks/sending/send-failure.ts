import type { SendFailure } from './send-failure.field';

export type { SendFailure } from './send-failure.field';

const byCode: Readonly<Record<string, SendFailure>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_closed',
  EPIPE: 'connection_closed',
  ETIMEDOUT: 'connect_timeout',
};

/** The kind of a failure. It excludes the text of the error, which could contain anything. */
export function failureOf(error: unknown): SendFailure {
  const { code = '', errors } = error as { code?: string; errors?: unknown[] };
  if (Array.isArray(errors) && errors.length > 0) return failureOf(errors[0]);
  const known = byCode[code];
  if (known) return known;
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|UNABLE_|SELF_SIGNED|EPROTO)/.test(code)) return 'tls';
  return code.startsWith('HPE_') ? 'malformed_response' : 'connection_failed';
}
