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
  'sandbox',
] as const;

const added = ['statements:read', 'statements:write'] as const;
const after = [...before.slice(0, 7), ...added, 'sandbox'] as const;

/** Allows the scopes of bank statements. Existing pairs do not get them. */
export const up = (knex: Knex): Promise<void> => allowScopes(knex, after);

export const down = (knex: Knex): Promise<void> => takeScopes(knex, added, before);
