import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

/**
 * On Citus, each retry takes two to three milliseconds. A claim that checked 1,000 of them exceeded
 * the statement timeout, so the endpoint received nothing more.
 */
const name = 'check_webhook_retries(integer, uuid)';
const sizes = [
  ['to its next 1,000 retries', 'to its next 250 retries'],
  ['_most CONSTANT integer := 1000;', '_most CONSTANT integer := 250;'],
] as const;

export async function up(knex: Knex): Promise<void> {
  for (const [before, after] of sizes) await replaceInFunction(knex, name, before, after);
}

export async function down(knex: Knex): Promise<void> {
  for (const [before, after] of sizes) await replaceInFunction(knex, name, after, before);
}
