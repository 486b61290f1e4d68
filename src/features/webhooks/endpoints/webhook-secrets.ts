import { createHmac, hkdfSync } from 'node:crypto';

import type { ServiceProcess } from '../../../feature';
import type { WebhookSettings } from '../webhooks.settings';

/** The master keys by version. New secrets use the highest version. */
export type WebhookKeys = ReadonlyMap<number, Buffer>;

/**
 * The configured master keys. Outside production, the service generates one if none is configured,
 * as it does with the pepper. In production without a key, webhooks are disabled.
 */
export const webhookKeysOf = (
  { config, storedKey }: Pick<ServiceProcess, 'config' | 'storedKey'>,
  settings: Pick<WebhookSettings, 'WEBHOOK_SECRET_KEYS'>,
): WebhookKeys | undefined =>
  settings.WEBHOOK_SECRET_KEYS ?? (config.NODE_ENV === 'production' ? undefined : storedKey('webhook-key'));

/** The parts of an endpoint that select its secrets. */
export interface SecretVersions {
  endpointId: string;
  secretVersion: number;
  keyVersion: number;
  previousKeyVersion: number | null;
  previousSecretUntil: Date | null;
}

const secretBytes = 32;

/** The version that new secrets use. */
export const currentKeyVersion = (keys: WebhookKeys): number => Math.max(...keys.keys());

/**
 * Derives a secret from a master key, the endpoint and the version of the secret (HKDF, RFC 5869).
 * No secret is stored, so a copy of the database signs nothing.
 *
 * @throws Error if the master key is not configured
 */
function secretOf(keys: WebhookKeys, keyVersion: number, endpointId: string, secretVersion: number): Buffer {
  const key = keys.get(keyVersion);
  if (!key) throw new Error(`WEBHOOK_SECRET_KEYS has no version ${keyVersion}`);
  const purpose = `webhook secret ${endpointId} ${secretVersion}`;
  return Buffer.from(hkdfSync('sha256', key, '', purpose, secretBytes));
}

/** The current secret, as the partner stores it (Standard Webhooks). */
export function currentSecret(keys: WebhookKeys, endpoint: SecretVersions): string {
  const { keyVersion, endpointId, secretVersion } = endpoint;
  return `whsec_${secretOf(keys, keyVersion, endpointId, secretVersion).toString('base64')}`;
}

/**
 * The secrets that sign at this time: the current one, and the previous one while they overlap. If
 * the master key of the previous one is lost, the current one alone signs.
 *
 * @throws Error if the master key of the current one is not configured
 */
export function signingSecrets(keys: WebhookKeys, endpoint: SecretVersions, now: Date): Buffer[] {
  const { keyVersion, endpointId, secretVersion, previousKeyVersion, previousSecretUntil } = endpoint;
  const current = secretOf(keys, keyVersion, endpointId, secretVersion);
  if (previousKeyVersion === null || previousSecretUntil === null || previousSecretUntil <= now)
    return [current];
  if (!keys.has(previousKeyVersion)) return [current];
  return [current, secretOf(keys, previousKeyVersion, endpointId, secretVersion - 1)];
}

/** The headers of Standard Webhooks for a message. `timestamp` is in seconds. */
export function signedHeaders(
  secrets: readonly Buffer[],
  id: string,
  timestamp: number,
  body: string,
): Record<string, string> {
  const signed = `${id}.${timestamp}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets
      .map((secret) => `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`)
      .join(' '),
  };
}
