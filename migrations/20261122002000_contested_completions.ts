import type { Knex } from 'knex';

const before = [
  'contribution.created',
  'contribution.completed',
  'contribution.completion_refused',
  'contribution.completion_repeated',
];

/**
 * An event may tell that a completion is contested: a second party says that it has moved the money
 * too. The rows that are there are validated by the next migration, in a transaction of its own,
 * because this one keeps writers out.
 */
export async function up(knex: Knex): Promise<void> {
  await allowTypes(knex, [...before, 'contribution.completion_contested'], 'NOT VALID');
}

/**
 * Fails where a completion was contested: the version before does not know the event, and an event
 * is never removed.
 */
export async function down(knex: Knex): Promise<void> {
  await allowTypes(knex, before);
}

async function allowTypes(knex: Knex, types: readonly string[], validity = ''): Promise<void> {
  const list = types.map((type) => `'${type}'`).join(', ');
  await knex.raw(`
    ALTER TABLE events
      DROP CONSTRAINT events_type_known,
      ADD CONSTRAINT events_type_known CHECK (type IN (${list})) ${validity}`);
}
