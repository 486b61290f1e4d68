import { Client } from 'pg';

import { isLoopback } from '../../shared/loopback';

/** How the bytes of a connection travel. */
export type Transport =
  /** Over a socket or the loopback interface: they do not leave this machine. */
  | 'local'
  /** Over TLS, and the certificate of the server is verified. */
  | 'verified'
  /** Over TLS with a server that nobody verifies. */
  | 'encrypted'
  /** Without TLS, or with TLS only if the server offers it. */
  | 'plain';

/**
 * libpq takes these as leave to go on without TLS. pg demands TLS today, and says that its next
 * version will be like libpq.
 */
const optionalModes = new Set(['allow', 'prefer']);

/**
 * How pg would connect to this address, by its parameters and by the variables PGHOST and
 * PGSSLMODE. Nothing is sent.
 *
 * @throws Error when pg cannot use the address, such as for a certificate file that it cannot read
 */
export function transportOf(connectionString: string): Transport {
  const client = new Client({ connectionString });
  if (isLocal(client.host)) return 'local';
  // Typed as boolean; pg keeps the options of the TLS connection here.
  const tls = client.ssl as boolean | object;
  if (tls === false || optionalModes.has(sslModeOf(connectionString))) return 'plain';
  const isVerified =
    typeof tls !== 'object' || !('rejectUnauthorized' in tls) || tls.rejectUnauthorized !== false;
  return isVerified ? 'verified' : 'encrypted';
}

const isLocal = (hosts: string): boolean =>
  hosts.split(',').every((host) => host.startsWith('/') || isLoopback(host));

/** The last one counts, as for pg. */
function sslModeOf(connectionString: string): string {
  const query = connectionString.slice(connectionString.indexOf('?') + 1);
  return new URLSearchParams(query).getAll('sslmode').at(-1) ?? '';
}
