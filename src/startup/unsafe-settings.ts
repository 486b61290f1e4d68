import { type Transport, transportOf } from '../db/pool/transport';
import { type AddressRange, isTooWide } from '../shared/address-ranges';
import { weaknessOf } from './weak-pepper';

/** The settings to check, without absent and invalid ones. */
export interface CheckedSettings {
  publicBaseUrl: string | undefined;
  trustedProxies: readonly AddressRange[];
  /** Keys by the name of their setting and by version. */
  keys: ReadonlyMap<string, ReadonlyMap<number, Buffer>>;
  /** Why the value of a setting is unsafe, by the name of the setting. */
  unsafe: ReadonlyMap<string, string>;
  /** Database addresses by the name of their setting. */
  databaseUrls: ReadonlyMap<string, string>;
  allowsPlainDatabase: boolean;
}

/**
 * The settings that are unsafe in production. Each message names the setting and says what to do.
 * No message contains a secret.
 */
export function unsafeSettings(settings: CheckedSettings): string[] {
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
          `TRUSTED_PROXIES: ${text} is too wide for production, because anyone in this range can forge the client address and https; list the addresses of the proxies`,
      ),
    ...[...settings.keys].flatMap(([name, keys]) => weakKeys(name, keys)),
    ...[...settings.unsafe].map(([name, because]) => `${name}: ${because}`),
    ...[...settings.databaseUrls].flatMap(([name, url]) =>
      unsafeConnection(name, url, settings.allowsPlainDatabase),
    ),
  ];
}

function weakKeys(name: string, keys: ReadonlyMap<number, Buffer>): string[] {
  return [...keys].flatMap(([version, key]) => {
    const weakness = weaknessOf(key.toString('utf8'));
    return weakness === undefined
      ? []
      : [
          `${name}: version ${version} ${weakness} and can be guessed; generate one with openssl rand -base64 48`,
        ];
  });
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
    `${name}: the connection leaves this machine and may be unencrypted; add sslmode=verify-full, or set ALLOW_PLAIN_DATABASE=on for a private network`,
  ];
}

/** A failed read names only its file. The message for an invalid URL could contain a password. */
function unusableBecause(error: unknown): string {
  const { code, path } = error as Partial<NodeJS.ErrnoException>;
  if (code !== undefined && path !== undefined) return `${code} ${path}`;
  return 'it is malformed';
}
