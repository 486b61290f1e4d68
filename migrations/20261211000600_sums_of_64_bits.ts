import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'put_statement_entries(integer, bytea[], text, jsonb, jsonb)';

const sums = [
  `COALESCE(sum(a.amount_cents) FILTER (WHERE a.kind = 'payment' AND a.state = 'confirmed'), 0)`,
  `COALESCE(sum(a.amount_cents) FILTER (WHERE a.kind = 'return' AND a.state = 'confirmed'), 0)`,
  `COALESCE(sum(a.amount_cents) FILTER (
               WHERE a.kind = 'payment' AND a.state = 'confirmed' AND a.amount_cents <> a.expected_cents), 0)`,
  `COALESCE(sum(a.amount_cents) FILTER (
               WHERE a.kind = 'return' AND a.state = 'confirmed' AND a.amount_cents <> a.expected_cents), 0)`,
];
const atMost = (sum: string): string => `LEAST(${sum}, 9223372036854775807)`;

/**
 * Sums stop at the largest bigint. Before, thousands of absurd amounts for one contribution stopped
 * the matching of their file for good.
 */
export async function up(knex: Knex): Promise<void> {
  for (const sum of sums) await replaceInFunction(knex, signature, sum, atMost(sum));
}

export async function down(knex: Knex): Promise<void> {
  for (const sum of sums) await replaceInFunction(knex, signature, atMost(sum), sum);
}
