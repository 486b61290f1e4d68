import type { Database } from '../../../../db/pool/database';
import { query } from '../../../../db/query';

/** What the lines of a day add up to. Signed cents as text. */
export interface DaySums {
  day: string;
  counted_cents: string;
  counted_entries: number;
  proposed_cents: string;
  proposed_entries: number;
  lines: number;
}

/** A statement, without its lines. */
export interface ReportStatement {
  statement_id: string;
  file_id: string;
  format: string;
  is_final: boolean;
  bank_statement_id: string | null;
  number: string | null;
  made_at: string | null;
}

const statementsOfDay = 50;

// Reads at most $5 lines, so the last day may be incomplete. Lines that belong to no balance have
// no term.
// $1 environment_id, $2 account_id, $3 first day, $4 last day, $5 maximum number of lines or null
const sumLines = query(
  'sum_lines_of_days',
  `
  SELECT n.day::text, count(*)::integer AS lines,
         COALESCE(sum(n.cents) FILTER (WHERE n.state = 'counted'), 0)::text AS counted_cents,
         (count(*) FILTER (WHERE n.state = 'counted' AND n.term IS NOT NULL))::integer AS counted_entries,
         COALESCE(sum(n.cents) FILTER (WHERE n.state = 'proposed'), 0)::text AS proposed_cents,
         (count(*) FILTER (WHERE n.state = 'proposed' AND n.term IS NOT NULL))::integer AS proposed_entries
    FROM (
      SELECT o.day, o.state, o.term, o.term_cents + o.fee_cents AS cents FROM line_outcomes o
       WHERE o.environment_id = $1 AND o.account_id = $2 AND o.day BETWEEN $3::date AND $4::date
       ORDER BY o.day LIMIT $5::integer
    ) AS n
   GROUP BY n.day ORDER BY n.day
  `,
);

const ofStatement = `s.statement_id, s.file_id, s.format, s.is_final, s.bank_id AS bank_statement_id, s.number::text, s.made_at`;

// $1 environment_id, $2 account_id, $3 days
const readSources = query(
  'read_statements_of_days',
  `
  SELECT n.day::text, q.* FROM unnest($3::date[]) AS n (day)
   CROSS JOIN LATERAL (
     SELECT ${ofStatement}
       FROM statement_days d
       JOIN bank_statements s ON s.environment_id = $1 AND s.statement_id = d.statement_id
      WHERE d.environment_id = $1 AND d.account_id = $2 AND d.day = n.day AND s.voided_at IS NULL
      ORDER BY d.statement_id LIMIT ${statementsOfDay}
   ) AS q
   ORDER BY n.day, q.statement_id
  `,
);

// $1 environment_id, $2 account_id, $3 days
const readChanges = query(
  'read_changes_of_days',
  `
  SELECT c.day::text, max(c.changed_at) AS "changedAt" FROM version_changes c
   WHERE c.environment_id = $1 AND c.account_id = $2 AND c.day = ANY ($3::date[]) GROUP BY c.day
  `,
);

// $1 environment_id, $2 statement_ids
const readStatements = query(
  'read_statements_of_versions',
  `SELECT ${ofStatement} FROM bank_statements s WHERE s.environment_id = $1 AND s.statement_id = ANY ($2::uuid[])`,
);

/** The statements of days, and the sums of their lines. */
export function createDayFactsStore(database: Pick<Database, 'run'>) {
  return {
    /**
     * The sums of the days that have lines, in order. Together they have at most `most` lines, so
     * the last one may be incomplete.
     */
    sums: (
      environmentId: number,
      accountId: string,
      { from, to }: { from: string; to: string },
      most: number | null,
    ): Promise<DaySums[]> => database.run(sumLines, [environmentId, accountId, from, to, most]),
    /** The first 50 statements of each day. */
    sources: (
      environmentId: number,
      accountId: string,
      days: readonly string[],
    ): Promise<(ReportStatement & { day: string })[]> =>
      database.run(readSources, [environmentId, accountId, days]),
    /** When another version last replaced that of a day, with other lines. */
    changes: (
      environmentId: number,
      accountId: string,
      days: readonly string[],
    ): Promise<{ day: string; changedAt: Date }[]> =>
      database.run(readChanges, [environmentId, accountId, days]),
    async statements(environmentId: number, ids: readonly string[]): Promise<Map<string, ReportStatement>> {
      if (ids.length === 0) return new Map();
      const rows = await database.run<ReportStatement>(readStatements, [environmentId, ids]);
      return new Map(rows.map((row) => [row.statement_id, row]));
    },
  };
}

export type DayFactsStore = ReturnType<typeof createDayFactsStore>;
