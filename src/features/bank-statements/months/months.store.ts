import type { Database } from '../../../db/pool/database';
import { query } from '../../../db/query';
import { type CalendarStore, createCalendarStore } from '../reporting/days/calendar.store';
import type { DaySummary } from '../rules/days/day-summary';
import { isToExplain } from '../reporting/lines/to-explain.query';

const lastOf = (month: string): string => `(${month}::date + interval '1 month - 1 day')::date`;

// The days of a month, with the last version before it and the first one after it.
// $1 environment_id, $2 first day of the month
const readDays = query(
  'read_days_of_month',
  `
  SELECT d.account_id, d.day::text, d.generation, d.has_work, d.failures, d.version, d.opening_cents, d.closing_cents,
         d.change_cents, d.summary, d.question, d.version IS NULL AND EXISTS (
           SELECT FROM line_outcomes o
            WHERE o.environment_id = $1 AND o.account_id = d.account_id AND o.day = d.day AND o.state <> 'replaced') AS is_reported
    FROM statement_accounts a
    JOIN account_days d ON d.environment_id = a.environment_id AND d.account_id = a.account_id
   WHERE a.environment_id = $1
     AND (d.day BETWEEN $2::date AND ${lastOf('$2')}
       OR d.day = (SELECT max(b.day) FROM account_days b
                    WHERE b.environment_id = $1 AND b.account_id = a.account_id AND b.day < $2::date
                      AND b.version IS NOT NULL)
       OR d.day = (SELECT min(n.day) FROM account_days n
                    WHERE n.environment_id = $1 AND n.account_id = a.account_id AND n.day > ${lastOf('$2')}
                      AND n.version IS NOT NULL))
   ORDER BY d.account_id, d.day
  `,
);

// $1 environment_id
const severalNumbers = query(
  'list_accounts_with_several_numbers',
  `
  SELECT DISTINCT d.account_id FROM account_days d
   WHERE d.environment_id = $1 AND d.summary -> 'isNumbered' = 'true'
     AND d.summary #>> '{first,digest}' <> d.summary #>> '{last,digest}'
  `,
);

// The lines to explain that are proposed, also links that do not count.
const isToDecide = `(NOT o.is_decided OR o.outcome = 'proposed') AND (o.state = 'proposed' OR o.outcome = 'proposed')`;

// Lines whose meaning the service asks about.
// $1 environment_id, $2 first day of the month
const linesToDecide = query(
  'count_lines_to_decide',
  `
  SELECT o.account_id, min(o.day)::text AS "from", max(o.day)::text AS "to", count(*)::integer AS lines
    FROM line_outcomes o
   WHERE o.environment_id = $1 AND o.day BETWEEN $2::date AND ${lastOf('$2')}
     AND ${isToExplain} AND ${isToDecide}
   GROUP BY o.account_id ORDER BY o.account_id
  `,
);

// The other lines to explain. Each account is counted by itself, with the index of these lines.
// $1 environment_id, $2 first day of the month
const linesToExplain = query(
  'count_lines_to_explain',
  `
  SELECT COALESCE(sum(l.lines), 0)::integer AS lines
    FROM statement_accounts a
   CROSS JOIN LATERAL (
     SELECT count(*) AS lines FROM line_outcomes o
      WHERE o.environment_id = $1 AND o.account_id = a.account_id AND o.day BETWEEN $2::date AND ${lastOf('$2')}
        AND ${isToExplain} AND NOT (${isToDecide})
   ) AS l
   WHERE a.environment_id = $1
  `,
);

// Lines of reports and notifications that may be in a version too. They count on days without a
// version, within seven days of one. Or they count on days whose version has no balances, by a
// decision from before it.
// $1 environment_id, $2 first day of the month
const reportedLines = query(
  'count_reported_lines',
  `
  SELECT d.account_id, min(d.day)::text AS "from", max(d.day)::text AS "to", count(*)::integer AS lines
    FROM account_days d
    JOIN line_outcomes o ON o.environment_id = d.environment_id AND o.account_id = d.account_id AND o.day = d.day
   WHERE d.environment_id = $1 AND d.day BETWEEN $2::date AND ${lastOf('$2')}
     AND (d.version IS NULL OR d.opening_cents IS NULL OR d.closing_cents IS NULL)
     AND o.state = 'counted' AND o.outcome <> 'ignored'
     AND CASE WHEN d.version IS NULL THEN EXISTS (
           SELECT FROM account_days v
            WHERE v.environment_id = $1 AND v.account_id = d.account_id AND v.version IS NOT NULL
              AND v.day BETWEEN d.day - 7 AND d.day + 7)
         ELSE o.is_decided AND EXISTS (
           SELECT FROM bank_statements r
             JOIN bank_statements v ON v.environment_id = $1 AND v.statement_id = ANY (d.statement_ids)
             LEFT JOIN statement_uploads u ON u.environment_id = $1 AND u.upload_id = v.file_id
            WHERE r.environment_id = $1 AND r.statement_id = o.statement_id AND NOT r.is_final
              AND NOT EXISTS (
                SELECT FROM line_decisions n
                 WHERE n.environment_id = $1 AND n.entry_id IN (o.entry_id, o.decision_entry_id)
                   AND n.decided_at > u.ended_at)) END
   GROUP BY d.account_id ORDER BY d.account_id
  `,
);

// $1 environment_id
const uploadsInProgress = query(
  'count_uploads_in_progress',
  `
  SELECT count(*)::integer AS uploads FROM statement_uploads u
   WHERE u.environment_id = $1 AND u.state IN ('received', 'reading')
  `,
);

// $1 environment_id, $2 first day of the month, $3 who, $4 reason, $5 the days that were seen
const closeMonth = query('close_month', 'SELECT close_month($1, $2::date, $3, $4, $5::jsonb) AS outcome', {
  writes: true,
});

// $1 environment_id, $2 first day of the month, $3 who, $4 reason
const reopenMonth = query('reopen_month', 'SELECT reopen_month($1, $2::date, $3, $4) AS outcome', {
  writes: true,
});

// $1 environment_id, $2 first day of the month
const readNumbers = query('month_numbers', 'SELECT month_numbers($1, $2::date) AS numbers');

// Newest first. $1 environment_id, $2 first day of the month
const listChanges = query(
  'list_month_changes',
  `
  SELECT c.number, c.kind, c.numbers, c.reason, c.changed_by, c.changed_at FROM month_changes c
   WHERE c.environment_id = $1 AND c.month = $2::date
   ORDER BY c.number DESC LIMIT 100
  `,
);

interface DayRow {
  account_id: string;
  day: string;
  generation: number;
  has_work: boolean;
  failures: number;
  version: string | null;
  opening_cents: string | null;
  closing_cents: string | null;
  change_cents: string | null;
  summary: StoredSummary | null;
  question: DaySummary['question'];
  is_reported: boolean;
}

/** `DaySummary` as it is stored: see `chosenRow`. */
interface StoredSummary extends Pick<
  DaySummary,
  'isNumbered' | 'hasGap' | 'isPeriodStated' | 'coversTo' | 'endsEarly'
> {
  first: Omit<DaySummary['first'], 'number'> & { number: string | null };
  last: Omit<DaySummary['last'], 'number'> & { number: string | null };
}

/** A day of an account as far as closing its month depends on it. */
export interface MonthDay {
  accountId: string;
  day: string;
  generation: number;
  hasWork: boolean;
  /** The attempts to compare it that have failed in a row. */
  failures: number;
  /** Null if no statement states the day. */
  summary: DaySummary | null;
  /** Whether it has no statement, and lines of reports or notifications. */
  isReported: boolean;
}

/** Lines of an account that somebody must look at. */
export interface OpenLines {
  account_id: string;
  from: string;
  to: string;
  lines: number;
}

/** Balances and terms of an account in signed cents, as text. */
export type AccountNumbers = Record<
  'matched' | 'returned' | 'charges' | 'ignored' | 'unexplained',
  string
> & { opening: string | null; closing: string | null };

/** `already_open`: it was reopened before. `not_closed`: it was never closed. */
export type ReopenOutcome = 'reopened' | 'already_open' | 'not_closed';

export interface MonthChange {
  number: number;
  kind: 'closed' | 'reopened';
  /** By account, at the time of the change. */
  numbers: Record<string, AccountNumbers>;
  reason: string;
  changed_by: string;
  changed_at: Date;
}

const integer = (text: string | null): bigint | null => (text === null ? null : BigInt(text));

function summaryOf({ day, version, summary, ...row }: DayRow): DaySummary | null {
  if (version === null || summary === null) return null;
  return {
    ...{ ...summary, day, version, question: row.question },
    first: { ...summary.first, number: integer(summary.first.number) },
    last: { ...summary.last, number: integer(summary.last.number) },
    ...{ openingCents: integer(row.opening_cents), closingCents: integer(row.closing_cents) },
    changeCents: BigInt(row.change_cents ?? 0),
  };
}

export function createMonthsStore(database: Pick<Database, 'run'>) {
  const calendar = createCalendarStore(database);
  return {
    async days(environmentId: number, month: string): Promise<MonthDay[]> {
      const rows = await database.run<DayRow>(readDays, [environmentId, month]);
      return rows.map((row) => ({
        ...{ accountId: row.account_id, day: row.day, generation: row.generation },
        ...{ hasWork: row.has_work, failures: row.failures, summary: summaryOf(row) },
        isReported: row.is_reported,
      }));
    },
    /** The number of uploads that are not read yet. */
    async uploadsInProgress(environmentId: number): Promise<number> {
      return (await database.run<{ uploads: number }>(uploadsInProgress, [environmentId]))[0]?.uploads ?? 0;
    },
    /** The accounts whose bank has numbered several statements of a day. */
    async severalNumbers(environmentId: number): Promise<Set<string>> {
      const rows = await database.run<{ account_id: string }>(severalNumbers, [environmentId]);
      return new Set(rows.map((row) => row.account_id));
    },
    accepted: (...given: Parameters<CalendarStore['accepted']>) => calendar.accepted(...given),
    linesToDecide: (environmentId: number, month: string): Promise<OpenLines[]> =>
      database.run(linesToDecide, [environmentId, month]),
    /** The number of lines to explain, without those to decide about. */
    async linesToExplain(environmentId: number, month: string): Promise<number> {
      return (await database.run<{ lines: number }>(linesToExplain, [environmentId, month]))[0]?.lines ?? 0;
    },
    reportedLines: (environmentId: number, month: string): Promise<OpenLines[]> =>
      database.run(reportedLines, [environmentId, month]),
    /** @param seen the days on which the decision to close is based */
    async close(
      environmentId: number,
      month: string,
      { reason, closedBy, seen }: { reason: string; closedBy: string; seen: readonly MonthDay[] },
    ): Promise<'closed' | 'already_closed' | 'changed_meanwhile'> {
      const rows = seen.map(({ accountId, day, generation }) => ({ account_id: accountId, day, generation }));
      const values = [environmentId, month, closedBy, reason, JSON.stringify(rows)];
      const [row] = await database.run<{ outcome: 'closed' | 'already_closed' }>(closeMonth, values);
      return row?.outcome ?? 'changed_meanwhile';
    },
    async reopen(
      environmentId: number,
      month: string,
      { reason, reopenedBy }: { reason: string; reopenedBy: string },
    ): Promise<ReopenOutcome> {
      const values = [environmentId, month, reopenedBy, reason];
      const [row] = await database.run<{ outcome: ReopenOutcome }>(reopenMonth, values);
      return row?.outcome ?? 'not_closed';
    },
    /** The numbers of now, by account. */
    async numbers(environmentId: number, month: string): Promise<Record<string, AccountNumbers>> {
      const [row] = await database.run<{ numbers: Record<string, AccountNumbers> }>(readNumbers, [
        environmentId,
        month,
      ]);
      return row?.numbers ?? {};
    },
    /** Newest first. */
    changes: (environmentId: number, month: string): Promise<MonthChange[]> =>
      database.run(listChanges, [environmentId, month]),
  };
}

export type MonthsStore = ReturnType<typeof createMonthsStore>;
