import type { Knex } from 'knex';

// Each list has one index with its order. Without statistics, the planner would take another one.
const indexes = [
  `CREATE INDEX line_outcomes_to_explain ON line_outcomes (environment_id, account_id, day, entry_id)
     WHERE outcome NOT IN ('matched', 'returned', 'ignored') AND reason IS DISTINCT FROM 'bank_charge'`,
  `CREATE INDEX line_outcomes_of_term ON line_outcomes (environment_id, account_id, term, day, entry_id)
     WHERE term IS NOT NULL`,
  `CREATE INDEX line_outcomes_with_fee ON line_outcomes (environment_id, account_id, day, entry_id)
     WHERE fee_cents <> 0`,
  `CREATE INDEX account_days_several_numbers ON account_days (environment_id, account_id)
     WHERE summary -> 'isNumbered' = 'true' AND summary #>> '{first,digest}' <> summary #>> '{last,digest}'`,
];

/** The orders in which people read lines. */
export async function up(knex: Knex): Promise<void> {
  for (const statement of indexes) await knex.raw(statement);
}

export async function down(knex: Knex): Promise<void> {
  for (const name of ['to_explain', 'of_term', 'with_fee'])
    await knex.raw(`DROP INDEX line_outcomes_${name}`);
  await knex.raw('DROP INDEX account_days_several_numbers');
}
