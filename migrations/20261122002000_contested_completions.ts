import type { Knex } from 'knex';

const before = [
  'contribution.created',
  'contribution.completed',
  'contribution.completion_refused',
  'contribution.completion_repeated',
];

/**
 * Allows events of contested completions: a second party reports that it has moved the money too.
 * This migration blocks writers, so the next one validates the existing rows in a separate
 * transaction.
 */
export async function up(knex: Knex): Promise<void> {
  await allowTypes(knex, [...before, 'contribution.completion_contested'], 'NOT VALID');
}

/**
 * Fails if a contested completion was recorded. The previous version does not know this type, and
 * events are never removed.
 */
export async function down(knex: Knex): Promise<void> {
  await allowTypes(knex, before);
}

async function allowTypes(knex: Knex, types: readonly string[], validity = ''): Promise<void> {
  const list = types.map((type) => `'${type}'`).join(', ');
  // Two commands, because Citus adds a constraint only in a command of its own.
  await knex.raw('ALTER TABLE events DROP CONSTRAINT events_type_known');
  await knex.raw(`ALTER TABLE events ADD CONSTRAINT events_type_known CHECK (type IN (${list})) ${validity}`);
}
