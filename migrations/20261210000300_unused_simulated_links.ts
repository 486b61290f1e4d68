import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

/**
 * A company could switch the simulated bank on and off without end, and each time added a link. The
 * function now removes ended links that started after the newest contribution was created or
 * completed: they reserve and show none. It keeps the first of them, because the clocks of two
 * servers may differ when a completion and the start of a link are close.
 */
const before = `
      INSERT INTO bank_links (environment_id, bank_environment_id, kind) VALUES (_environment_id, -1, 'test')`;

const after = `
      -- Ended links that no contribution depends on are removed, except the first one.
      SELECT max(t.created_at) FROM transactions t WHERE t.environment_id = _environment_id INTO _last_created;
      SELECT max(t.completed_at) FROM transactions t WHERE t.environment_id = _environment_id INTO _last_completed;
      SELECT min(l.linked_at) FROM bank_links l
       WHERE l.environment_id = _environment_id AND l.bank_environment_id = -1
         AND l.linked_at > GREATEST(_last_created, _last_completed, '-infinity')
        INTO _first_unused;
      DELETE FROM bank_links l
       WHERE l.environment_id = _environment_id AND l.bank_environment_id = -1
         AND l.linked_at > _first_unused AND l.unlinked_at IS NOT NULL;
      INSERT INTO bank_links (environment_id, bank_environment_id, kind) VALUES (_environment_id, -1, 'test')`;

const signature = 'set_sandbox_settings(integer, text, integer, boolean)';
const variable = '\n    _now timestamptz;';
const variables = `
    _last_created timestamptz;
    _last_completed timestamptz;
    _first_unused timestamptz;${variable}`;

export async function up(knex: Knex): Promise<void> {
  await replaceInFunction(knex, signature, variable, variables);
  await replaceInFunction(knex, signature, before, after);
}

export async function down(knex: Knex): Promise<void> {
  await replaceInFunction(knex, signature, after, before);
  await replaceInFunction(knex, signature, variables, variable);
}
