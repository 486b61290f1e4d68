import type { Config } from '../read-settings';
import { isLoopback } from '../shared/loopback';

type TransportSettings = Pick<
  Config,
  'NODE_ENV' | 'HOST' | 'DATABASE_URL' | 'ALLOW_PLAIN_HTTP' | 'TLS_CERTIFICATE_FILE' | 'TRUSTED_PROXIES'
>;

/**
 * Whether requests without TLS are served: if an operator allows it, or for the embedded database
 * on a loopback address, which other machines cannot reach.
 */
export function servesPlainHttp(
  settings: Pick<TransportSettings, 'ALLOW_PLAIN_HTTP' | 'DATABASE_URL' | 'HOST'>,
): boolean {
  return settings.ALLOW_PLAIN_HTTP || (settings.DATABASE_URL === undefined && isLoopback(settings.HOST));
}

/** The notice about plain HTTP in the startup log and in `doctor`; undefined if none is needed. */
export function plainHttpNotice(
  settings: TransportSettings,
): { rejectsAll: boolean; notice: string } | undefined {
  if (settings.TLS_CERTIFICATE_FILE !== undefined) return undefined;
  if (!servesPlainHttp(settings)) {
    if (settings.TRUSTED_PROXIES.rules.length > 0) return undefined;
    return {
      rejectsAll: true,
      notice:
        'every request except /health/* gets 403 https_required: set TRUSTED_PROXIES to the proxy that terminates TLS, or TLS_CERTIFICATE_FILE and TLS_PRIVATE_KEY_FILE, or ALLOW_PLAIN_HTTP=on where nobody can intercept secrets',
    };
  }
  if (settings.NODE_ENV !== 'production' && isLoopback(settings.HOST)) return undefined;
  return {
    rejectsAll: false,
    notice: `ALLOW_PLAIN_HTTP=on: the service accepts secrets without TLS on ${settings.HOST}`,
  };
}
