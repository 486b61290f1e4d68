import type { Database } from '../pool/database';
import { serviceRole } from './roles';

/**
 * The privileges that the service needs on each table. For the columns, see
 * docs/database-schema.md.
 */
const needed: Readonly<Record<string, readonly ('SELECT' | 'INSERT' | 'UPDATE' | 'DELETE')[]>> = {
  projects: ['SELECT'],
  project_highlights: ['SELECT'],
  stories: ['SELECT'],
  companies: ['SELECT'],
  environments: ['SELECT'],
  bank_links: ['SELECT'],
  key_pairs: ['SELECT', 'UPDATE'],
  users: ['SELECT', 'INSERT', 'UPDATE'],
  transactions: ['SELECT', 'INSERT', 'UPDATE'],
  supports: ['SELECT', 'INSERT', 'UPDATE'],
  story_views: ['SELECT', 'INSERT', 'UPDATE'],
  events: ['INSERT'],
  event_queue: ['SELECT', 'INSERT'],
  feeds: ['SELECT'],
  feed_events: ['SELECT'],
  webhook_endpoints: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  webhook_retries: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  webhook_attempts: ['SELECT', 'INSERT', 'DELETE'],
  webhook_replays: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  money_returns: ['SELECT', 'INSERT'],
  contribution_totals: ['SELECT'],
  contribution_totals_turn: ['SELECT'],
  statement_accounts: ['SELECT', 'INSERT', 'UPDATE'],
  statement_files: ['SELECT', 'INSERT', 'UPDATE'],
  statements: ['SELECT', 'INSERT'],
  entry_sources: ['SELECT', 'INSERT'],
  statement_entries: ['SELECT', 'INSERT', 'UPDATE'],
  allocations: ['SELECT', 'INSERT', 'UPDATE'],
  statement_money: ['SELECT', 'INSERT', 'UPDATE'],
  reconciliation_decisions: ['SELECT', 'INSERT'],
  settlement_lines: ['SELECT', 'INSERT'],
  settlement_lists: ['SELECT', 'INSERT'],
  matching_progress: ['SELECT', 'INSERT', 'UPDATE'],
  entry_references: ['SELECT', 'INSERT'],
  project_figures: ['SELECT', 'INSERT', 'UPDATE'],
  project_figure_changes: ['SELECT', 'INSERT', 'DELETE'],
  project_figures_turn: ['SELECT', 'UPDATE'],
  project_figures_uncounted: ['SELECT'],
  knex_migrations: ['SELECT'],
};

/** The functions that the service calls. */
const neededFunctions = [
  'create_contribution(integer, text, bigint, bigint, text, text, text, text, uuid)',
  'complete_contribution(integer, text, text, text, bigint, text, date, uuid)',
  'complete_contribution_of(integer, integer, text, text, bigint, text, date, uuid)',
  'complete_contributions(integer, text, text, text[], bigint[], text[], date[], uuid[], boolean)',
  'complete_contributions_of(integer, integer, text, text[], bigint[], text[], date[], uuid[], boolean)',
  'relay_events(integer)',
  'add_webhook_endpoint(integer, uuid, smallint, text, text[], text, smallint)',
  'claim_webhook_endpoint(integer, uuid, uuid)',
  'settle_webhook_batch(integer, uuid, uuid, jsonb)',
  'check_webhook_retries(integer, uuid)',
  'free_next_webhook_retries(integer, uuid, text[])',
  'append_environment_event(integer, uuid, text, timestamptz, integer[], jsonb)',
  'relay_environment_events(integer, integer)',
  'expire_feed_events(integer)',
  'count_contributions(integer, timestamptz)',
  'count_environment_contributions(integer, integer)',
  'expire_environment_events(integer, integer)',
  'record_return(integer, text, text, text, uuid, uuid, text, text, bigint, text, date, uuid)',
  'record_return_of(integer, integer, text, text, uuid, uuid, text, text, bigint, text, date, uuid)',
  'put_statement_entries(integer, bytea[], text, jsonb, jsonb)',
  'put_settlement_list(integer, text, bytea, jsonb, text)',
  'decide_entry(integer, uuid, uuid, text, jsonb, text, text, integer)',
  'visibility_horizon_of(integer)',
];

/** Privileges that the migrations granted to the service's role and that it no longer has. */
export async function missingServicePrivileges(database: Pick<Database, 'runUnprepared'>): Promise<string[]> {
  const pairs = Object.entries(needed).flatMap(([table, privileges]) =>
    privileges.map((privilege) => ({ table, privilege })),
  );
  const rows = await database.runUnprepared<{ missing: string }>(
    `SELECT format('%s ON %s', need.privilege, need."table") AS missing
       FROM unnest($2::text[], $3::text[]) AS need ("table", privilege)
      WHERE NOT CASE need.privilege
                  WHEN 'DELETE' THEN has_table_privilege($1, need."table", 'DELETE')
                  ELSE has_any_column_privilege($1, need."table", need.privilege)
                END
      UNION ALL
     SELECT format('EXECUTE ON FUNCTION %s', need.signature)
       FROM unnest($4::text[]) AS need (signature)
      WHERE has_function_privilege($1, to_regprocedure(need.signature), 'EXECUTE') IS NOT TRUE`,
    [serviceRole, pairs.map(({ table }) => table), pairs.map(({ privilege }) => privilege), neededFunctions],
  );
  return rows.map(({ missing }) => missing);
}
