import type { Knex } from 'knex';

import { allowScopes, takeScopes } from '../src/db/migrations/key-pair-scopes';

const before = [
  'projects:read',
  'contributions:create',
  'contributions:read',
  'contributions:complete',
  'contributions:return',
  'events:read',
  'webhooks:manage',
  'statements:read',
  'statements:write',
  'sandbox',
] as const;

const added = ['reconciliation:resolve'] as const;
const after = [...before.slice(0, 9), ...added, 'sandbox'] as const;

/** Allows the scope of decisions about entries. Existing pairs do not get it. */
export const up = (knex: Knex): Promise<void> => allowScopes(knex, after);

export const down = (knex: Knex): Promise<void> => takeScopes(knex, added, before);
