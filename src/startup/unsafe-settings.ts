import { type Transport, transportOf } from '../db/pool/transport';
import { type AddressRange, isTooWide } from '../shared/address-ranges';
import { trivialityOf } from './trivial-pepper';

/** What is judged; a setting that is absent or not well formed is left out. */
export interface JudgedSettings {
  publicBaseUrl: string | undefined;
  trustedProxies: readonly AddressRange[];
  /** By version. */
  peppers: ReadonlyMap<number, Buffer>;
  /** The addresses of the database, by the name of the setting. */
  databaseUrls: ReadonlyMap<string, string>;
  allowsPlainDatabase: boolean;
}

/**
 * What makes these settings unsafe in production: each names its setting and says what to do. No
 * value is repeated that may be secret.
 */
export function unsafeSettings(settings: JudgedSettings): string[] {
  return [
    ...(settings.publicBaseUrl?.startsWith('http:') === true
      ? [
          'PUBLIC_BASE_URL: must begin with https:// in production, because partners follow the links made from it',
        ]
      : []),
    ...settings.trustedProxies
      .filter(isTooWide)
      .map(
        ({ text }) =>
          `TRUSTED_PROXIES: ${text} is too wide for production, because anybody in it can claim any address and https; name the addresses of the proxies`,
      ),
    ...[...settings.peppers].flatMap(([version, pepper]) => {
      const triviality = trivialityOf(pepper.toString('utf8'));
      return triviality === undefined
        ? []
        : [
            `CREDENTIAL_PEPPERS: version ${version} ${triviality} and can be guessed; make one with openssl rand -base64 48`,
          ];
    }),
    ...[...settings.databaseUrls].flatMap(([name, url]) =>
      unsafeConnection(name, url, settings.allowsPlainDatabase),
    ),
  ];
}

function unsafeConnection(name: string, url: string, allowsPlain: boolean): string[] {
  let transport: Transport;
  try {
    transport = transportOf(url);
  } catch (error) {
    return [`${name}: cannot be used (${unusableBecause(error)})`];
  }
  if (transport !== 'plain' || allowsPlain) return [];
  return [
    `${name}: the connection leaves this machine and is not certain to be encrypted; add sslmode=verify-full, or set ALLOW_PLAIN_DATABASE=on for a private network`,
  ];
}

/**
 * The message of a failed read names a file; that of an address that is no URL could repeat a
 * password.
 */
function unusableBecause(error: unknown): string {
  const { code, path } = error as Partial<NodeJS.ErrnoException>;
  if (code !== undefined && path !== undefined) return `${code} ${path}`;
  return 'it is not well formed';
}
