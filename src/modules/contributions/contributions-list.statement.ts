import { transactionColumns, withUser } from './contribution-columns';
import { maySee } from './contribution-rights';
import type { ContributionStatus } from './contribution-status.field';

/**
 * A place in a list: after the row with this time, in microseconds since 1970, and this id. Without
 * an id it is the place before all rows of that microsecond.
 */
export type PageKey = readonly [microseconds: number, transactionId: string];

/** All times are UTC and half-open: from inclusive, to exclusive. */
export interface ContributionFilter {
  status?: ContributionStatus | undefined;
  createdFrom?: string | undefined;
  createdTo?: string | undefined;
  completedFrom?: string | undefined;
  completedTo?: string | undefined;
  projectId?: string | undefined;
  companyId?: string | undefined;
  /** These two find only the caller's own transactions: a bank knows neither. */
  userHash?: string | undefined;
  idempotencyKey?: string | undefined;
}

/** The part of a list that a statement reads. */
export interface ListRange {
  order: 'created' | 'completed';
  after: PageKey | undefined;
  /** Rows from this time on are left out. */
  before: Date | undefined;
  /** The most rows of the answer. */
  mostRows: number;
  /**
   * How many rows of each environment are looked at; an environment with more answers a row with
   * `is_end`.
   */
  mostScanned: number;
}

/**
 * Which filters the index serves and which are asked of each row that it gives. The index is chosen
 * here and not by PostgreSQL: the inner conditions fit one index of the table in the order of the
 * list, so PostgreSQL's estimates decide nothing.
 */
function conditionsOf(filter: ContributionFilter, range: ListRange, value: (given: unknown) => string) {
  const inner: string[] = [];
  const outer: string[] = [maySee];
  const { status, createdFrom, createdTo, completedFrom, completedTo, projectId, userHash } = filter;
  const byCompletion = range.order === 'completed';
  const time = byCompletion ? 'completed_at' : 'created_at';

  const ofCreation = byCompletion ? outer : inner;
  if (createdFrom !== undefined) {
    const from = value(createdFrom);
    ofCreation.push(`t.created_at >= ${from}::timestamptz`);
    // Nothing is completed before it is created.
    if (byCompletion) inner.push(`t.completed_at >= ${from}::timestamptz`);
  }
  if (createdTo !== undefined) ofCreation.push(`t.created_at < ${value(createdTo)}::timestamptz`);
  // A bank sees nothing that was completed before its first link, and the index need not be read
  // from its beginning.
  if (byCompletion) inner.push('t.completed_at >= visible.since');
  if (completedFrom !== undefined) inner.push(`t.completed_at >= ${value(completedFrom)}::timestamptz`);
  if (completedTo !== undefined) inner.push(`t.completed_at < ${value(completedTo)}::timestamptz`);
  if (range.before) inner.push(`t.${time} < ${value(range.before)}::timestamptz`);
  if (range.after) {
    const [microseconds, transactionId] = range.after;
    const at = `timestamptz 'epoch' + ${value(microseconds)}::bigint * interval '1 microsecond'`;
    inner.push(`(t.${time}, t.transaction_id) > (${at}, ${value(transactionId)}::text)`);
  }

  // Few contributions are pending, and a user has few; a project may have nearly all.
  if (userHash !== undefined) {
    const user = `(SELECT u.user_id FROM users u WHERE u.environment_id = $1 AND u.user_hash = ${value(userHash)})`;
    inner.push(`t.user_id = ${user}`);
  }
  const isPending = status === 'pending';
  if (status !== undefined) {
    // A list by completion has nothing that is pending.
    if (isPending && byCompletion) inner.push('false');
    (isPending && userHash === undefined ? inner : outer).push(`t.status = '${status}'`);
  }
  if (projectId !== undefined) {
    (isPending || userHash !== undefined ? outer : inner).push(`t.project_id = ${value(projectId)}::bigint`);
  }
  if (filter.idempotencyKey !== undefined) {
    const key = `t.idempotency_key = ${value(filter.idempotencyKey)}`;
    return { inner: [key], outer: [...outer, ...inner], time };
  }
  return { inner, outer, time };
}

/**
 * Puts the listing together from the filters that are present.
 *
 * Each environment that the caller may look into gives the first of its own rows, and the page is
 * made of those. Of an environment at most `mostScanned` rows are looked at, however few of them
 * fit. When that was too few for the page, the time of the next row is given instead: the page ends
 * there.
 */
export function listQuery(environmentId: number, filter: ContributionFilter, range: ListRange) {
  const values: unknown[] = [environmentId];
  const value = (given: unknown): string => `$${values.push(given)}`;
  const { inner, outer, time } = conditionsOf(filter, range, value);
  // What only its owner knows is looked for among the owner's own.
  const isOwnOnly = filter.userHash !== undefined || filter.idempotencyKey !== undefined;
  const ofCompany =
    filter.companyId === undefined ? '' : `WHERE company.company_id = ${value(filter.companyId)}::uuid`;
  const mostRows = value(range.mostRows);
  const mostScanned = value(range.mostScanned);
  const fitting = ['t.environment_id = visible.environment_id', ...inner].join(' AND ');
  const text = `
    WITH visible AS MATERIALIZED (
      SELECT related.environment_id, related.since, company.company_id, company.name AS company_name
        FROM (SELECT $1::integer AS environment_id, timestamptz '-infinity' AS since${isOwnOnly ? '' : linkedOnes}) AS related
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
            WITH fitting AS MATERIALIZED (
              SELECT t.*
                FROM (
                  SELECT ${columns.map((column) => `t.${column}`).join(', ')}
                    FROM transactions t
                   WHERE ${fitting}
                   ORDER BY t.${time}, t.transaction_id
                   LIMIT (SELECT ${mostScanned}::bigint)
                ) AS t
               WHERE ${outer.join(' AND ')}
               ORDER BY t.${time}, t.transaction_id
               LIMIT ${mostRows}
            )
            SELECT false AS is_end, fitting.* FROM fitting
             UNION ALL
            (SELECT true, ${columns.map((column) => (column === time ? `t.${time}` : 'NULL')).join(', ')}
               FROM transactions t
              WHERE ${fitting} AND (SELECT count(*) FROM fitting) < ${mostRows}
              ORDER BY t.${time}, t.transaction_id
             OFFSET (SELECT ${mostScanned}::bigint) LIMIT 1)
         ) AS page
         ORDER BY page.${time}, page.is_end DESC, page.transaction_id
         LIMIT ${mostRows}
      ) AS t LEFT ${withUser}
     ORDER BY t.${time}, t.is_end DESC, t.transaction_id`;
  return { text, values };
}

/** What a page needs of a row, and what tells whether the caller may see it. */
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

/** The environments whose bank the caller is, or was, and since when. */
const linkedOnes = `
                UNION ALL
                SELECT l.environment_id, min(l.linked_at) FROM bank_links l
                 WHERE l.bank_environment_id = $1 GROUP BY l.environment_id`;
