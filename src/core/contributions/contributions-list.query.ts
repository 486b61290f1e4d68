import {
  linkedTransactionColumns,
  neededColumns,
  transactionColumns,
  withUser,
} from './contribution-columns.query';
import { maySee, maySeeEvidence } from './who-may-see';
import type { ContributionStatus } from './contribution-status.field';

/**
 * A place in a list: after the row with this time, in epoch microseconds, and this id. With an
 * empty id, the place is before all rows of that microsecond.
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
  bankReference?: string | undefined;
  /** The day of the bank's transfer, YYYY-MM-DD. */
  valueDate?: string | undefined;
  /**
   * `userHash` and `idempotencyKey` match only the caller's own transactions, because a bank sees
   * neither.
   */
  userHash?: string | undefined;
  idempotencyKey?: string | undefined;
}

/** The part of a list that one query reads. */
export interface ListRange {
  order: 'created' | 'completed';
  after: PageKey | undefined;
  /** Excludes rows at or after this time. */
  before: Date | undefined;
  /**
   * Excludes rows after this time, in epoch microseconds, because earlier rows already fill the
   * page.
   */
  until?: number | undefined;
  /** The maximum number of rows in the result. */
  maxRows: number;
  /**
   * The maximum number of rows to scan per environment. If an environment has more, the result
   * contains a row with `isEnd` for it.
   */
  maxScanned: number;
}

/** An environment whose bank the caller is or was. */
export interface LinkedEnvironment {
  environmentId: number;
  /** The start of the first link, as text. */
  since: string;
  /** When the caller was found to be its bank, as text; null if it no longer is. */
  activeAt: string | null;
}

const timeOf = (microseconds: string): string =>
  `timestamptz 'epoch' + ${microseconds}::bigint * interval '1 microsecond'`;

/**
 * The number of rows that a page reads, hidden from the planner. PostgreSQL then assumes that a
 * page reads a tenth of the rows, and never prefers to read and sort all of them. A subquery would
 * hide the number too, but a cluster would plan the query for each call.
 */
const hiddenLimit = (rows: string): string => `${rows}::bigint + floor(random())::bigint`;

/**
 * Splits the filters into inner conditions, which an index serves, and outer conditions, which are
 * checked on each scanned row. The inner conditions match exactly one index in the order of the
 * list, so the plan does not depend on PostgreSQL's estimates.
 *
 * @param rights the conditions that decide whether the caller may see a row
 * @param since the placeholder of the start of the first link; undefined for the caller's own rows
 * @param parameter adds a value and returns its placeholder
 */
function conditionsOf(
  filter: ContributionFilter,
  range: ListRange,
  rights: readonly string[],
  since: string | undefined,
  parameter: (value: unknown) => string,
) {
  const inner: string[] = [];
  const outer: string[] = [...rights];
  const { status, createdFrom, createdTo, completedFrom, completedTo, projectId, userHash } = filter;
  const { bankReference, valueDate } = filter;
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
  if (byCompletion && since !== undefined) inner.push(`t.completed_at >= ${since}::timestamptz`);
  if (completedFrom !== undefined) inner.push(`t.completed_at >= ${parameter(completedFrom)}::timestamptz`);
  if (completedTo !== undefined) inner.push(`t.completed_at < ${parameter(completedTo)}::timestamptz`);
  if (range.before) inner.push(`t.${time} < ${parameter(range.before)}::timestamptz`);
  if (range.until !== undefined) inner.push(`t.${time} <= ${timeOf(parameter(range.until))}`);
  if (range.after) {
    const [microseconds, transactionId] = range.after;
    const at = timeOf(parameter(microseconds));
    inner.push(`(t.${time}, t.transaction_id) > (${at}, ${parameter(transactionId)}::text)`);
  }

  // Prefer an index on the status or the user. Few contributions are pending or belong to one user,
  // but one project may have nearly all.
  if (userHash !== undefined) {
    const user = `(SELECT u.user_id FROM users u WHERE u.environment_id = $1 AND u.user_hash = ${parameter(userHash)})`;
    inner.push(`t.user_id = ${user}`);
  }
  // Only the indexes for lists by creation contain the evidence of a completion.
  const evidenceAt = userHash === undefined && !byCompletion ? inner : outer;
  if (bankReference !== undefined) evidenceAt.push(`t.bank_reference = ${parameter(bankReference)}::text`);
  if (valueDate !== undefined) {
    const isInner = bankReference === undefined;
    (isInner ? evidenceAt : outer).push(`t.value_date = ${parameter(valueDate)}::date`);
  }
  if ((bankReference ?? valueDate) !== undefined) outer.push(maySeeEvidence);
  const hasEvidence = evidenceAt === inner && (bankReference ?? valueDate) !== undefined;
  const isPending = status === 'pending';
  if (status !== undefined) {
    // A list by completion contains no pending contributions.
    if (isPending && byCompletion) inner.push('false');
    (isPending && userHash === undefined && !hasEvidence ? inner : outer).push(`t.status = '${status}'`);
  }
  if (projectId !== undefined) {
    (isPending || userHash !== undefined || hasEvidence ? outer : inner).push(
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
 * Builds the query for the rows that one environment contributes to a page, from the filters
 * that are present. It names one environment, so that a cluster sends it to one server.
 *
 * It scans at most `maxScanned` rows, even if few of them match. If the environment has more rows
 * but too few matches to fill the page, the result contains the time of the next row. The page must
 * end there.
 *
 * The bank of a company sees all its pending contributions, so their query does not check links
 * again. It excludes contributions that were created after the link was read.
 *
 * Without `linked`, it reads the caller's own rows, and a row for each environment that the caller
 * may see: its own and the linked ones.
 */
export function listQuery(
  callerId: number,
  filter: ContributionFilter,
  range: ListRange,
  linked?: LinkedEnvironment,
) {
  const values: unknown[] = [callerId];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const environment = linked ? parameter(linked.environmentId) : '$1';
  const since = linked && range.order === 'completed' ? parameter(linked.since) : undefined;
  const activeAt = filter.status === 'pending' ? (linked?.activeAt ?? null) : null;
  const rights = activeAt === null ? [maySee] : [];
  const { inner, outer, time } = conditionsOf(filter, range, rights, since, parameter);
  if (activeAt !== null) inner.push(`t.created_at < ${parameter(activeAt)}::timestamptz`);
  const maxRows = parameter(range.maxRows);
  const matching = [`t.environment_id = ${environment}`, ...inner].join(' AND ');
  if (outer.length === 0) return { text: textOfPending(matching, maxRows), values };
  const maxScanned = parameter(range.maxScanned);
  const text = `
    WITH matching AS MATERIALIZED (
      SELECT t.*
        FROM (
          SELECT ${neededColumns.map((column) => `t.${column}`).join(', ')}
            FROM transactions t
           WHERE ${matching}
           ORDER BY t.${time}, t.transaction_id
           LIMIT (SELECT ${maxScanned}::bigint)
        ) AS t
       WHERE ${outer.join(' AND ')}
       ORDER BY t.${time}, t.transaction_id
       LIMIT ${maxRows}
    ),
    page AS (
      SELECT false AS is_end, matching.* FROM matching
       UNION ALL
      (SELECT true, ${neededColumns.map((column) => (column === time ? `t.${time}` : 'NULL')).join(', ')}
         FROM transactions t
        WHERE ${matching} AND (SELECT count(*) FROM matching) < ${maxRows}
        ORDER BY t.${time}, t.transaction_id
       OFFSET (SELECT ${maxScanned}::bigint) LIMIT 1)
    )
    SELECT t.is_end AS "isEnd", (extract(epoch FROM t.${time}) * 1000000)::bigint AS microseconds,
           ${linked ? linkedTransactionColumns : transactionColumns},
           NULL::integer AS "environmentId", NULL::text AS since, NULL::uuid AS "companyId",
           NULL::text AS "companyName", NULL::text AS "activeAt"
      FROM page t
    ${linked ? '' : `  LEFT ${withUser} AND u.environment_id = ${environment} ${visibleEnvironments(filter)}`}`;
  return { text, values };
}

/**
 * The pending contributions of a company that its bank lists most. Every row that is read is shown,
 * so no limit of scanned rows is needed. A cluster plans such a query once per connection,
 * because it reads one table and has no subquery.
 */
const textOfPending = (matching: string, maxRows: string): string => `
    SELECT false AS "isEnd", (extract(epoch FROM t.created_at) * 1000000)::bigint AS microseconds,
           ${linkedTransactionColumns}
      FROM transactions t
     WHERE ${matching}
     ORDER BY t.created_at, t.transaction_id
     LIMIT ${hiddenLimit(maxRows)}`;

/** Whether only the caller's own rows can match, because banks do not see these fields. */
const isOwnOnly = ({ userHash, idempotencyKey }: ContributionFilter): boolean =>
  userHash !== undefined || idempotencyKey !== undefined;

/**
 * The rows of the environments that the caller may see. LIMIT 1 forces index lookups: PostgreSQL
 * would otherwise scan small tables completely.
 */
function visibleEnvironments(filter: ContributionFilter): string {
  const linked = `
              UNION ALL
             SELECT l.environment_id, min(l.linked_at)::text,
                    CASE WHEN bool_or(l.unlinked_at IS NULL) THEN statement_timestamp()::text END
               FROM bank_links l
              WHERE l.bank_environment_id = $1 GROUP BY l.environment_id`;
  return `
     UNION ALL
    SELECT ${'NULL, '.repeat(resultColumns)}related.environment_id, related.since, company.company_id, company.name,
           related.active_at
      FROM (SELECT $1::integer AS environment_id, NULL::text AS since, NULL::text AS active_at${isOwnOnly(filter) ? '' : linked}) AS related
     CROSS JOIN LATERAL (
        SELECT c.company_id, c.name
          FROM environments e JOIN companies c USING (company_id)
         WHERE e.environment_id = related.environment_id AND e.retired_at IS NULL
         LIMIT 1
     ) AS company`;
}

/** The number of columns in the result: `isEnd`, `microseconds` and `transactionColumns`. */
const resultColumns = 18;
