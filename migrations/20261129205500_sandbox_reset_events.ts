import type { Knex } from 'knex';

const earlierTypes = [
  'bank_link.started',
  'bank_link.ended',
  'webhook_endpoint.failing',
  'webhook_endpoint.disabled',
  'webhook_endpoint.recovered',
  'webhook_delivery.exhausted',
];

async function replaceTypes(knex: Knex, types: readonly string[]): Promise<void> {
  await knex.raw('ALTER TABLE environment_events DROP CONSTRAINT environment_events_type_known');
  await knex.raw(
    `ALTER TABLE environment_events ADD CONSTRAINT environment_events_type_known
       CHECK (type IN (${types.map((type) => `'${type}'`).join(', ')})) NOT VALID`,
  );
  await knex.raw('ALTER TABLE environment_events VALIDATE CONSTRAINT environment_events_type_known');
}

/** A bank learns that a company has reset its test environment. */
export async function up(knex: Knex): Promise<void> {
  await replaceTypes(knex, [...earlierTypes, 'sandbox.reset']);
}

/** Fails if a bank has such an event. */
export async function down(knex: Knex): Promise<void> {
  await replaceTypes(knex, earlierTypes);
}
