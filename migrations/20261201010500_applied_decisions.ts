import type { Knex } from 'knex';

const changes = [
  `ALTER TABLE line_outcomes
     ADD COLUMN content text COLLATE "C",
     ADD COLUMN decision_entry_id uuid,
     DROP COLUMN is_decided`,
  `ALTER TABLE line_outcomes
     ADD COLUMN is_decided boolean NOT NULL GENERATED ALWAYS AS (decision_entry_id IS NOT NULL) STORED`,
  `CREATE INDEX line_outcomes_of_decision ON line_outcomes (environment_id, decision_entry_id)
     WHERE decision_entry_id IS NOT NULL`,
  // Nobody has decided about a line yet.
  `ALTER TABLE line_decisions
     ADD COLUMN content text COLLATE "C" NOT NULL,
     ADD COLUMN can_move boolean NOT NULL`,
  'CREATE INDEX line_decisions_by_day ON line_decisions (environment_id, account_id, day)',
  `ALTER TABLE contribution_money DROP COLUMN accepted_gross_cents, DROP COLUMN accepted_returned_cents`,
];

const comments = {
  'COLUMN line_outcomes.content': 'a digest of all that the line states',
  'COLUMN line_outcomes.decision_entry_id':
    'the line about which its decision was made: another one if the decision moved to this line',
  'COLUMN line_decisions.can_move':
    'whether it moves to the only line with its money if its own line disappears',
  'COLUMN contribution_money.accepted_at':
    'when a person accepted the difference; null again as soon as the money changes',
};

/** Stores which decision counts for a line. Nothing reads it yet. */
export async function up(knex: Knex): Promise<void> {
  for (const statement of changes) await knex.raw(statement);
  for (const [thing, text] of Object.entries(comments)) await knex.raw(`COMMENT ON ${thing} IS '${text}'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('UPDATE contribution_money SET accepted_at = NULL WHERE accepted_at IS NOT NULL');
  await knex.raw(
    `ALTER TABLE contribution_money
       ADD COLUMN accepted_gross_cents numeric(30,0),
       ADD COLUMN accepted_returned_cents numeric(30,0)`,
  );
  // Citus adds a constraint only by itself.
  await knex.raw(
    `ALTER TABLE contribution_money ADD CONSTRAINT contribution_money_accepted_whole
       CHECK (num_nulls(accepted_gross_cents, accepted_returned_cents, accepted_at) IN (0, 3))`,
  );
  await knex.raw('DROP INDEX line_decisions_by_day');
  await knex.raw('ALTER TABLE line_decisions DROP COLUMN content, DROP COLUMN can_move');
  await knex.raw('ALTER TABLE line_outcomes DROP COLUMN is_decided');
  await knex.raw('ALTER TABLE line_outcomes DROP COLUMN content, DROP COLUMN decision_entry_id');
  await knex.raw('ALTER TABLE line_outcomes ADD COLUMN is_decided boolean NOT NULL DEFAULT false');
}
