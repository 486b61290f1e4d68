import { z } from 'zod';

import { integer, secret, type SettingValues, versionedKeys } from '../../shared/setting';

export const webhookSettings = {
  WEBHOOK_SECRET_KEYS: secret(
    versionedKeys,
    'Keys from which the secrets of webhook endpoints are derived: VERSION:KEY, several separated by commas. New secrets use the highest version. Without it, webhooks are disabled in production (default outside production: a generated key in DATA_DIRECTORY)',
  ),
  WEBHOOK_DESTINATIONS: z
    .enum(['public', 'loopback'])
    .default('public')
    .meta({
      description:
        'Addresses that webhook endpoints can have. `public`: only https and public addresses. `loopback`: also http and any port on this machine, for development; production rejects it',
      unsafe: {
        value: 'loopback',
        because: 'must be public in production, because partners choose the addresses',
      },
    }),
  WEBHOOK_SUCCESSES_DAYS: integer(7, 1, 30).describe(
    'How long successful deliveries are stored, in days. Partners then see when each event arrived. All other attempts are stored for 30 days',
  ),
};

export type WebhookSettings = SettingValues<typeof webhookSettings>;
