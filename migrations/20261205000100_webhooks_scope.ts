import type { Knex } from 'knex';

import { allowScopes, takeScopes } from '../src/db/migrations/key-pair-scopes';

const before = [
  'projects:read',
  'contributions:create',
  'contributions:read',
  'contributions:complete',
  'contributions:return',
  'events:read',
  'sandbox',
] as const;

const added = ['webhooks:manage'] as const;
const after = [...before.slice(0, 6), ...added, 'sandbox'] as const;

/** Allows the scope `webhooks:manage`. Existing pairs do not get it. */
export const up = (knex: Knex): Promise<void> => allowScopes(knex, after);

export const down = (knex: Knex): Promise<void> => takeScopes(knex, added, before);
