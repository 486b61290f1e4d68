import type { Knex } from 'knex';

/** For `statements import` and `statements void`. A running service matches the entries. */
const grants = [
  'INSERT (environment_id, account_id, account_hmac, ending, direction) ON statement_accounts',
  `INSERT (environment_id, file_id, sha256, format, version, entry_count, problems),
   UPDATE (state, matched_count, claimed_until, voided_at, void_reason) ON statement_files`,
  `INSERT (environment_id, file_id, number, account_id, bank_statement_id, kind, sequence, period_from, period_to,
           starts_at_ms, ends_at_ms, is_period_known, currency, opening_cents, closing_cents, balance, entry_count)
     ON statements`,
  `INSERT (environment_id, file_id, place, statement_number, line, class_key, occurrence, parent_key, has_reference,
           direction, amount_cents, charges_cents, currency, booking_date, bank_reference, problem, return_code, search)
     ON entry_sources`,
  `SELECT (environment_id), INSERT (environment_id, seen_sequence, matched_sequence, seen_links, matched_links) ON matching_progress`,
];

export async function up(knex: Knex): Promise<void> {
  for (const grant of grants) await knex.raw(`GRANT ${grant} TO contribution_operator`);
}

export async function down(knex: Knex): Promise<void> {
  for (const grant of grants) await knex.raw(`REVOKE ${grant} FROM contribution_operator`);
}
