import type { Pool } from 'pg';

const tables = [
  'transactions',
  'users',
  'supports',
  'story_views',
  'events',
  'corrections',
  'money_returns',
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
] as const;

/** A digest of the data of each environment, by environment_id. */
export async function fingerprints(admin: Pool): Promise<Map<number, string>> {
  const rows = tables.map(
    (table) => `SELECT environment_id, hashtextextended('${table}' || r::text, 0) AS hash FROM ${table} r`,
  );
  const result = await admin.query<{ environment_id: number; digest: string }>(
    `SELECT environment_id, sum(hash)::text AS digest
       FROM (${rows.join(' UNION ALL ')}) AS everything GROUP BY environment_id`,
  );
  return new Map(result.rows.map((row) => [row.environment_id, row.digest]));
}

/** The environments whose data has changed. */
export function changed(before: Map<number, string>, after: Map<number, string>): number[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (environmentId) => before.get(environmentId) !== after.get(environmentId),
  );
}
