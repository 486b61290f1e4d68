import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'reset_sandbox(integer, integer)';
const [inserted, selected] = [
  'position, failure_count, probe_count, notice_count)',
  '0, 0, 0, 0\n      FROM',
];
const before = 'previous_key_version, previous_secret_until, ';
const after = `${before}secret_rotated_at, `;

/** A partner who repeats a rotation after a reset gets the same secret. */
export async function up(knex: Knex): Promise<void> {
  await replaceInFunction(knex, signature, before + inserted, after + inserted);
  await replaceInFunction(knex, signature, before + selected, after + selected);
}

export async function down(knex: Knex): Promise<void> {
  await replaceInFunction(knex, signature, after + inserted, before + inserted);
  await replaceInFunction(knex, signature, after + selected, before + selected);
}
