import type { Config } from '../config';
import type { WebhookKeys } from '../modules/webhooks/webhook-secrets';
import { storedKeyOf } from './peppers';

/**
 * The configured master keys of webhooks. Outside production, the service generates one if none is
 * configured, as it does with the pepper. In production without a key, webhooks are disabled.
 */
export function webhookKeysOf(config: Config): WebhookKeys | undefined {
  if (config.WEBHOOK_SECRET_KEYS) return config.WEBHOOK_SECRET_KEYS;
  return config.NODE_ENV === 'production' ? undefined : storedKeyOf(config, 'webhook-key');
}
