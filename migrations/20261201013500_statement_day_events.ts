import type { Knex } from 'knex';

const earlierTypes = [
  'bank_link.started',
  'bank_link.ended',
  'webhook_endpoint.failing',
  'webhook_endpoint.disabled',
  'webhook_endpoint.recovered',
  'webhook_delivery.exhausted',
  'sandbox.reset',
];
const type = 'statement_day.changed';

/** Does not check the existing rows. */
async function replaceTypes(knex: Knex, types: readonly string[]): Promise<void> {
  await knex.raw('ALTER TABLE environment_events DROP CONSTRAINT environment_events_type_known');
  await knex.raw(
    `ALTER TABLE environment_events ADD CONSTRAINT environment_events_type_known
       CHECK (type IN (${types.map((each) => `'${each}'`).join(', ')})) NOT VALID`,
  );
}

/** An environment learns that a statement replaced another one of a day, and has other lines. */
export async function up(knex: Knex): Promise<void> {
  await replaceTypes(knex, [...earlierTypes, type]);
  await knex.raw('ALTER TABLE environment_events VALIDATE CONSTRAINT environment_events_type_known');
}

/**
 * Events in a feed stay, because its numbers have no gaps. Queued events are deleted: the previous
 * version would set them aside. The table is locked, so the relay moves none of them meanwhile.
 */
export async function down(knex: Knex): Promise<void> {
  await replaceTypes(knex, earlierTypes);
  await knex.raw(
    `DELETE FROM event_queue q
      WHERE EXISTS (SELECT FROM environment_events v
                     WHERE v.environment_id = q.environment_id AND v.event_id = q.event_id AND v.type = '${type}')`,
  );
  await knex.raw(
    `DELETE FROM environment_events v
      WHERE v.type = '${type}'
        AND NOT EXISTS (SELECT FROM feed_events f
                         WHERE f.environment_id = v.environment_id AND f.event_id = v.event_id)`,
  );
}
