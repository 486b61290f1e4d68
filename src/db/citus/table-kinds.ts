/**
 * How a table is stored on a Citus cluster:
 * - `distributed`: by `environment_id`, so that all rows of a tenant are on one worker.
 * - `reference`: copied to every node. For small tables that tenants share.
 * - `local`: on the coordinator only. For tables that must work while a worker is down, and for
 *   tables that serve as locks.
 */
export type TableKind = 'distributed' | 'reference' | 'local';

/**
 * The kind of every table of the schema. `npm run migrate` on a coordinator applies the kinds. On
 * PostgreSQL without Citus, they have no effect. `test/schema/distribution.test.ts` fails on a
 * table that is not listed.
 */
export const tableKinds: Readonly<Record<string, TableKind>> = {
  companies: 'reference',
  environments: 'reference',
  bank_links: 'reference',
  projects: 'reference',
  project_highlights: 'reference',
  stories: 'reference',
  project_figures: 'reference',

  users: 'distributed',
  transactions: 'distributed',
  supports: 'distributed',
  story_views: 'distributed',
  events: 'distributed',
  environment_events: 'distributed',
  event_queue: 'distributed',
  feeds: 'distributed',
  feed_events: 'distributed',
  webhook_endpoints: 'distributed',
  webhook_retries: 'distributed',
  webhook_attempts: 'distributed',
  webhook_deliveries: 'distributed',
  webhook_replays: 'distributed',
  corrections: 'distributed',
  money_returns: 'distributed',
  statement_uploads: 'distributed',
  statement_upload_chunks: 'distributed',
  statement_accounts: 'distributed',
  settlement_lines: 'distributed',
  settlement_lists: 'distributed',
  account_days: 'distributed',
  bank_statements: 'distributed',
  statement_days: 'distributed',
  statement_lines: 'distributed',
  line_allocations: 'distributed',
  line_exceptions: 'distributed',
  line_outcomes: 'distributed',
  line_references: 'distributed',
  line_decisions: 'distributed',
  day_choices: 'distributed',
  closed_months: 'distributed',
  comparing_progress: 'distributed',
  version_changes: 'distributed',
  month_changes: 'distributed',
  account_rules: 'distributed',
  account_numbers: 'distributed',
  contribution_money: 'distributed',
  project_figure_changes: 'distributed',
  contribution_totals: 'distributed',
  contribution_totals_counted: 'distributed',
  sandbox_settings: 'distributed',
  sandbox_settlements: 'distributed',
  sandbox_requests: 'distributed',

  // A revocation must work while a node is down.
  key_pairs: 'local',
  // Read in one statement with the key pairs.
  sandbox_faults: 'local',
  // Each append locks the table, which keeps the hash chain in order.
  operator_actions: 'local',
  project_figures_turn: 'local',
  contribution_totals_turn: 'local',
  schema_functions: 'local',
  knex_migrations: 'local',
  knex_migrations_lock: 'local',
};

/** The tables of the schema. */
export const tableNames = Object.keys(tableKinds);

/** The column of every distributed table that names the tenant. */
export const distributionColumn = 'environment_id';

/** All distributed tables are colocated with this one: a tenant's rows are on one worker. */
export const colocationTable = 'users';

/**
 * Foreign keys that a cluster omits. A write to a reference table locks every referenced
 * reference table on all nodes and needs privileges on it.
 */
export const keysWithoutCluster: ReadonlySet<string> = new Set(['project_figures_project_fkey']);

/**
 * Functions that Citus runs on the worker of the tenant, and the argument that names the tenant.
 * Each of their queries must name the tenant by this argument, and may not join a distributed table
 * with a reference table.
 */
export const delegatedFunctions: Readonly<Record<string, string>> = {
  create_contribution: '_environment_id',
  complete_contribution_of: '_environment_id',
  complete_contributions_of: '_environment_id',
  correct_contribution_of: '_environment_id',
  record_return_of: '_environment_id',
  take_queued_events: '_environment_id',
  append_to_feed: '_environment_id',
  claim_webhook_endpoint: '_environment_id',
  settle_webhook_batch: '_environment_id',
  put_settlement_list: '_environment_id',
  choose_day_version: '_environment_id',
  mark_all_days: '_environment_id',
  mark_days_of_references: '_environment_id',
  put_day_chunk: '_environment_id',
  spread_day_chunk: '_environment_id',
  publish_statements: '_environment_id',
  publish_upload: '_environment_id',
  void_statements: '_environment_id',
  decide_lines: '_environment_id',
  answer_day: '_environment_id',
  close_month: '_environment_id',
  reopen_month: '_environment_id',
  month_numbers: '_environment_id',
  set_account_rule: '_environment_id',
  set_account_settings: '_environment_id',
  remove_account_number: '_environment_id',
  add_account_number: '_environment_id',
  visibility_horizon_of: '_environment_id',
};

/**
 * Functions of the coordinator that check the caller's key pair, call one delegated function, and
 * change nothing themselves. Citus sends that call alone, without BEGIN and COMMIT around it.
 */
export const callingFunctions: readonly string[] = [
  'complete_contribution',
  'complete_contributions',
  'correct_contribution',
  'record_return',
];
