const tenantTables = [
  'users',
  'transactions',
  'supports',
  'story_views',
  'events',
  'environment_events',
  'feeds',
  'feed_events',
  'webhook_endpoints',
  'webhook_retries',
  'webhook_attempts',
  'webhook_deliveries',
  'webhook_replays',
  'corrections',
  'money_returns',
  'contribution_totals',
  'contribution_totals_counted',
  'statement_uploads',
  'statement_upload_chunks',
  'statement_accounts',
  'account_days',
  'bank_statements',
  'statement_days',
  'statement_lines',
  'line_allocations',
  'line_exceptions',
  'line_outcomes',
  'line_references',
  'line_decisions',
  'day_choices',
  'closed_months',
  'version_changes',
  'month_changes',
  'account_rules',
  'account_numbers',
  'contribution_money',
  'settlement_lists',
  'settlement_lines',
  'comparing_progress',
  'sandbox_settings',
  'sandbox_settlements',
  'sandbox_requests',
];

/** Uses of tenant tables in a statement that are not restricted to an environment. */
export function unscopedUses(sql: string): string[] {
  const problems: string[] = [];
  const uses = new RegExp(
    `\\b(FROM|JOIN|UPDATE|INTO)\\s+(${tenantTables.join('|')})\\b(?:\\s+AS)?(?:\\s+(\\w+))?([^;]*)`,
    'g',
  );
  for (const start of sql.matchAll(new RegExp(uses.source, 'g'))) {
    const [, verb, table = '', alias = table, rest = ''] = start;
    if (verb === 'INTO') {
      if (
        !/^[^)]*\(\s*environment_id\b/.test(`${alias === 'AS' ? '' : alias}${rest}`.replace(/^\w+\s*/, ''))
      ) {
        problems.push(`INSERT INTO ${table} does not begin with environment_id`);
      }
    } else if (!new RegExp(`\\b${alias}\\.environment_id\\s*=|=\\s*${alias}\\.environment_id\\b`).test(sql)) {
      problems.push(`${verb ?? ''} ${table} ${alias} has no condition on ${alias}.environment_id`);
    }
  }
  return problems;
}
