import { Client } from 'pg';

import { isLoopback } from '../../shared/loopback';

/** How a connection to the database is protected. */
export type Transport =
  /** A Unix socket or the loopback interface. The data does not leave this machine. */
  | 'local'
  /** TLS with a verified server certificate. */
  | 'verified'
  /** TLS without verification of the server certificate. */
  | 'encrypted'
  /** No TLS, or TLS only if the server offers it. */
  | 'plain';

/**
 * With these modes, libpq falls back to a connection without TLS. pg requires TLS today, but
 * announced that its next version will follow libpq.
 */
const optionalModes = new Set(['allow', 'prefer']);

/**
 * How pg would connect to this address, given its parameters and the variables PGHOST and
 * PGSSLMODE. It does not connect.
 *
 * @throws Error when pg cannot use the address, for example because a certificate file is
 *   unreadable
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

/** Reads `sslmode` from the address. If it occurs several times, the last one counts, as in pg. */
function sslModeOf(connectionString: string): string {
  const query = connectionString.slice(connectionString.indexOf('?') + 1);
  return new URLSearchParams(query).getAll('sslmode').at(-1) ?? '';
}
