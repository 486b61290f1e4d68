import { transactionColumns, withUser } from './contribution-columns';
import { maySee } from './contribution-rights';
import type { ContributionStatus } from './contribution-status.field';

/**
 * A position in a list: after the row with this time, in epoch microseconds, and this id. With an
 * empty id, the position is before all rows of that microsecond.
 */
export type PageKey = readonly [microseconds: number, transactionId: string];

/** Times are UTC. `From` is inclusive, `To` is exclusive. */
export interface ContributionFilter {
  status?: ContributionStatus | undefined;
  createdFrom?: string | undefined;
  createdTo?: string | undefined;
  completedFrom?: string | undefined;
  completedTo?: string | undefined;
  projectId?: string | undefined;
  companyId?: string | undefined;
  /** These two match only the caller's own transactions, because a bank sees neither. */
  userHash?: string | undefined;
  idempotencyKey?: string | undefined;
}

/** The part of a list that one statement reads. */
export interface ListRange {
  order: 'created' | 'completed';
  after: PageKey | undefined;
  /** Excludes rows at or after this time. */
  before: Date | undefined;
  /** The maximum number of rows in the result. */
  maxRows: number;
  /**
   * The maximum number of rows to scan per environment. If an environment has more, the result
   * contains a row with `is_end` for it.
   */
  maxScanned: number;
}

/**
 * Splits the filters into inner conditions, which an index serves, and outer conditions, which are
 * checked on each scanned row. The inner conditions match exactly one index in the order of the
 * list, so the plan does not depend on PostgreSQL's estimates.
 *
 * @param parameter adds a value and returns its placeholder
 */
function conditionsOf(filter: ContributionFilter, range: ListRange, parameter: (value: unknown) => string) {
  const inner: string[] = [];
  const outer: string[] = [maySee];
  const { status, createdFrom, createdTo, completedFrom, completedTo, projectId, userHash } = filter;
  const byCompletion = range.order === 'completed';
  const time = byCompletion ? 'completed_at' : 'created_at';

  const ofCreation = byCompletion ? outer : inner;
  if (createdFrom !== undefined) {
    const from = parameter(createdFrom);
    ofCreation.push(`t.created_at >= ${from}::timestamptz`);
    // No contribution is completed before it is created.
    if (byCompletion) inner.push(`t.completed_at >= ${from}::timestamptz`);
  }
  if (createdTo !== undefined) ofCreation.push(`t.created_at < ${parameter(createdTo)}::timestamptz`);
  // A bank sees nothing that was completed before its first link. The scan starts there.
  if (byCompletion) inner.push('t.completed_at >= visible.since');
  if (completedFrom !== undefined) inner.push(`t.completed_at >= ${parameter(completedFrom)}::timestamptz`);
  if (completedTo !== undefined) inner.push(`t.completed_at < ${parameter(completedTo)}::timestamptz`);
  if (range.before) inner.push(`t.${time} < ${parameter(range.before)}::timestamptz`);
  if (range.after) {
    const [microseconds, transactionId] = range.after;
    const at = `timestamptz 'epoch' + ${parameter(microseconds)}::bigint * interval '1 microsecond'`;
    inner.push(`(t.${time}, t.transaction_id) > (${at}, ${parameter(transactionId)}::text)`);
  }

  // Few contributions are pending or belong to one user, but a project may have nearly all.
  if (userHash !== undefined) {
    const user = `(SELECT u.user_id FROM users u WHERE u.environment_id = $1 AND u.user_hash = ${parameter(userHash)})`;
    inner.push(`t.user_id = ${user}`);
  }
  const isPending = status === 'pending';
  if (status !== undefined) {
    // A list by completion contains no pending contributions.
    if (isPending && byCompletion) inner.push('false');
    (isPending && userHash === undefined ? inner : outer).push(`t.status = '${status}'`);
  }
  if (projectId !== undefined) {
    (isPending || userHash !== undefined ? outer : inner).push(
      `t.project_id = ${parameter(projectId)}::bigint`,
    );
  }
  if (filter.idempotencyKey !== undefined) {
    const key = `t.idempotency_key = ${parameter(filter.idempotencyKey)}`;
    return { inner: [key], outer: [...outer, ...inner], time };
  }
  return { inner, outer, time };
}

/**
 * Builds the statement for one page of a list from the filters that are present.
 *
 * It reads the first matching rows of each visible environment and merges them. It scans at most
 * `maxScanned` rows of each environment, even if few of them match. If an environment has more rows
 * but too few matches to fill the page, its result contains the time of the next row: the page must
 * end there.
 */
export function listQuery(environmentId: number, filter: ContributionFilter, range: ListRange) {
  const values: unknown[] = [environmentId];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const { inner, outer, time } = conditionsOf(filter, range, parameter);
  // Only the company that created a transaction sees these fields, so search only its own rows.
  const isOwnOnly = filter.userHash !== undefined || filter.idempotencyKey !== undefined;
  const ofCompany =
    filter.companyId === undefined ? '' : `WHERE company.company_id = ${parameter(filter.companyId)}::uuid`;
  const maxRows = parameter(range.maxRows);
  const maxScanned = parameter(range.maxScanned);
  const matching = ['t.environment_id = visible.environment_id', ...inner].join(' AND ');
  const text = `
    WITH visible AS MATERIALIZED (
      SELECT related.environment_id, related.since, company.company_id, company.name AS company_name
        FROM (SELECT $1::integer AS environment_id, timestamptz '-infinity' AS since${isOwnOnly ? '' : linkedEnvironments}) AS related
       CROSS JOIN LATERAL (
          SELECT c.company_id, c.name
            FROM environments e JOIN companies c USING (company_id)
           WHERE e.environment_id = related.environment_id
           LIMIT 1
       ) AS company
       ${ofCompany}
    )
    SELECT t.is_end, (extract(epoch FROM t.${time}) * 1000000)::bigint AS microseconds,
           t.company_id, t.company_name, ${transactionColumns}
      FROM (
        SELECT page.*, visible.company_id, visible.company_name
          FROM visible
         CROSS JOIN LATERAL (
            WITH matching AS MATERIALIZED (
              SELECT t.*
                FROM (
                  SELECT ${columns.map((column) => `t.${column}`).join(', ')}
                    FROM transactions t
                   WHERE ${matching}
                   ORDER BY t.${time}, t.transaction_id
                   LIMIT (SELECT ${maxScanned}::bigint)
                ) AS t
               WHERE ${outer.join(' AND ')}
               ORDER BY t.${time}, t.transaction_id
               LIMIT ${maxRows}
            )
            SELECT false AS is_end, matching.* FROM matching
             UNION ALL
            (SELECT true, ${columns.map((column) => (column === time ? `t.${time}` : 'NULL')).join(', ')}
               FROM transactions t
              WHERE ${matching} AND (SELECT count(*) FROM matching) < ${maxRows}
              ORDER BY t.${time}, t.transaction_id
             OFFSET (SELECT ${maxScanned}::bigint) LIMIT 1)
         ) AS page
         ORDER BY page.${time}, page.is_end DESC, page.transaction_id
         LIMIT ${maxRows}
      ) AS t LEFT ${withUser}
     ORDER BY t.${time}, t.is_end DESC, t.transaction_id`;
  return { text, values };
}

/** The columns that a page shows, and those that decide whether the caller may see the row. */
const columns = [
  'environment_id',
  'transaction_id',
  'user_id',
  'status',
  'project_id',
  'amount_cents',
  'currency',
  'created_at',
  'completed_at',
  'completed_by_environment_id',
  'bank_reference',
  'value_date',
  'idempotency_key',
];

/** The environments whose bank the caller is or was, and the start of the first link to each. */
const linkedEnvironments = `
                UNION ALL
                SELECT l.environment_id, min(l.linked_at) FROM bank_links l
                 WHERE l.bank_environment_id = $1 GROUP BY l.environment_id`;
