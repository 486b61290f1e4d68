import type { Knex } from 'knex';

const before = [
  'contribution.created',
  'contribution.completed',
  'contribution.completion_refused',
  'contribution.completion_repeated',
  'contribution.completion_contested',
];

/** Allows events of returns. The next migration validates the existing rows. */
export async function up(knex: Knex): Promise<void> {
  await allowTypes(knex, [...before, 'contribution.returned', 'contribution.return_undone'], 'NOT VALID');
}

/** Fails if a return was recorded: events are never removed. */
export async function down(knex: Knex): Promise<void> {
  await allowTypes(knex, before);
}

async function allowTypes(knex: Knex, types: readonly string[], validity = ''): Promise<void> {
  const list = types.map((type) => `'${type}'`).join(', ');
  // Two commands, because Citus adds a constraint only in a command of its own.
  await knex.raw('ALTER TABLE events DROP CONSTRAINT events_type_known');
  await knex.raw(`ALTER TABLE events ADD CONSTRAINT events_type_known CHECK (type IN (${list})) ${validity}`);
}
