import type { Database } from '../../../../db/pool/database';
import { query } from '../../../../db/query';
import type { LineSource, ReportLine } from './report-line';

/** The number of contributions of a line that are shown. A transfer can pay more. */
const allocationsOfLine = 100;
const statementsOfVersion = 20;
const sourcesOfLine = 100;

const ofStatement = `s.file_id, s.statement_id, s.format, s.bank_id AS bank_statement_id, s.number::text AS statement_number`;
const ofOutcome = `o.entry_id, COALESCE(o.part, 0) AS part, l.day::text, l.own_day::text, l.return_code, l.code, o.state, o.outcome,
         o.reason, COALESCE(o.is_decided, false) AS is_decided, COALESCE(o.charges_cents, 0)::text AS charges_cents,
         o.term, COALESCE(o.term_cents, 0)::text AS term_cents, COALESCE(o.fee_cents, 0)::text AS fee_cents`;
const ofMoney = 'm.direction, m.amount_cents::text, m.reference';

const outcomeColumns = `r.part, r.state, r.entry_id, r.outcome, r.reason, r.is_decided, r.charges_cents, r.term, r.term_cents,
            r.fee_cents, r.direction, r.amount_cents, r.reference`;

const hasWork = (line: string): string => `(
           SELECT d.has_work FROM account_days d
            WHERE d.environment_id = $1 AND d.account_id = ${line}.account_id AND d.day = ${line}.day)`;

const allocations = `
         COALESCE((
           SELECT jsonb_agg(p ORDER BY p.transaction_id) FROM (
             SELECT a.transaction_id, a.kind, a.amount_cents::text, a.confidence, a.state FROM line_allocations a
              WHERE a.environment_id = $1 AND a.account_id = o.account_id AND a.day = o.day AND a.bucket = o.bucket
                AND a.entry_id = o.entry_id
              ORDER BY a.transaction_id LIMIT ${allocationsOfLine}) AS p), '[]') AS allocations`;

// Each line is looked up by itself, because the planner would read all lines of the account.
// $1 environment_id, $2 entry_ids
const readLines = query(
  'read_report_lines',
  `
  SELECT n.account_id, n.ending, n.name, ${ofStatement}, l.number, ${ofOutcome}, ${ofMoney.replaceAll('m.', 'o.')},
         ${hasWork('o')} AS is_pending, ${allocations}, NULL AS replaced_by
    FROM unnest($2::uuid[]) AS e (entry_id)
   CROSS JOIN LATERAL (
     SELECT r.account_id, r.day, r.bucket, r.statement_id, r.number, ${outcomeColumns} FROM line_outcomes r
      WHERE r.environment_id = $1 AND r.entry_id = e.entry_id LIMIT 1
   ) AS o
    JOIN statement_accounts n ON n.environment_id = $1 AND n.account_id = o.account_id
    JOIN bank_statements s ON s.environment_id = $1 AND s.statement_id = o.statement_id
    JOIN statement_lines l ON l.environment_id = $1 AND l.statement_id = o.statement_id AND l.number = o.number
  `,
);

// A line is replaced by a version, of its own day or of a near one, or by a statement: see
// `statementKey`.
const replacement = `
         CASE WHEN o.replaced_by IS NOT NULL THEN (
           SELECT jsonb_build_object('statement_ids', COALESCE(jsonb_agg(b.statement_id ORDER BY b.statement_id), '[]'),
                                     'file_ids', COALESCE(jsonb_agg(DISTINCT b.file_id), '[]'))
             FROM (
               SELECT v.statement_id, v.file_id FROM bank_statements v
                WHERE v.environment_id = $1 AND v.statement_id IN (
                  SELECT split_part(o.replaced_by, ' ', 2)::uuid WHERE o.replaced_by LIKE '% %'
                   UNION
                  SELECT unnest(c.statement_ids) FROM account_days c
                   WHERE c.environment_id = $1 AND c.account_id = o.account_id AND c.day BETWEEN o.day - 7 AND o.day + 7
                     AND c.version = o.replaced_by)
                ORDER BY v.statement_id LIMIT ${statementsOfVersion}) AS b) END AS replaced_by`;

// Each line has at least one row, also before it was compared.
// $1 environment_id, $2 file_id, $3 after this statement, $4 line and $5 part, or null, $6 maximum
// of rows
const readLinesOfFile = query(
  'read_lines_of_file',
  `
  SELECT n.account_id, n.ending, n.name, ${ofStatement}, l.number, ${ofOutcome},
         COALESCE(o.direction, l.direction) AS direction, COALESCE(o.amount_cents, l.amount_cents)::text AS amount_cents,
         COALESCE(o.reference, l.reference) AS reference, o.state IS NULL OR ${hasWork('l')} AS is_pending, ${allocations},
         ${replacement}
    FROM (
     SELECT f.statement_id, f.file_id, f.account_id, f.format, f.bank_id, f.number FROM bank_statements f
      WHERE f.environment_id = $1 AND f.file_id = $2 AND f.voided_at IS NULL
        AND ($3::uuid IS NULL OR f.statement_id >= $3::uuid)
        AND EXISTS (SELECT FROM statement_lines e WHERE e.environment_id = $1 AND e.statement_id = f.statement_id)
      ORDER BY f.statement_id LIMIT $6::integer + 1
   ) AS s
   CROSS JOIN LATERAL (
     SELECT i.account_id, i.statement_id, i.number, i.day, i.bucket, i.own_day, i.return_code, i.code, i.direction, i.amount_cents,
            i.reference
       FROM statement_lines i
      WHERE i.environment_id = $1 AND i.statement_id = s.statement_id
        AND i.number >= CASE WHEN s.statement_id = $3::uuid THEN $4::integer ELSE 0 END
      ORDER BY i.number LIMIT $6::integer + 1
   ) AS l
    JOIN statement_accounts n ON n.environment_id = $1 AND n.account_id = s.account_id
    LEFT JOIN LATERAL (
     SELECT r.account_id, r.day, r.bucket, r.replaced_by, ${outcomeColumns} FROM line_outcomes r
      WHERE r.environment_id = $1 AND r.account_id = l.account_id AND r.day = l.day AND r.bucket = l.bucket
        AND r.statement_id = l.statement_id AND r.number = l.number
        AND (l.statement_id <> $3::uuid OR l.number <> $4::integer OR r.part > $5::integer OR $3::uuid IS NULL)
      ORDER BY r.part LIMIT $6::integer
    ) AS o ON true
   WHERE ($3::uuid IS NULL OR (s.statement_id, l.number) <> ($3::uuid, $4::integer) OR o.part IS NOT NULL)
   ORDER BY s.statement_id, l.number, COALESCE(o.part, 0) LIMIT $6::integer
  `,
);

// Equal lines of all statements share a bucket. $1 environment_id, $2 entry_id
const readSources = query(
  'read_sources_of_line',
  `
  SELECT ${ofStatement}, s.made_at, q.state, q.lines
    FROM (
      SELECT e.statement_id, e.state, count(*)::integer AS lines
        FROM (
          SELECT r.account_id, r.day, r.bucket, r.digest, r.direction, r.amount_cents, r.reference FROM line_outcomes r
           WHERE r.environment_id = $1 AND r.entry_id = $2 LIMIT 1
        ) AS o
        JOIN line_outcomes e
          ON e.environment_id = $1 AND e.account_id = o.account_id AND e.day = o.day AND e.bucket = o.bucket
       WHERE e.digest = o.digest AND e.direction = o.direction AND e.amount_cents = o.amount_cents
         AND e.reference IS NOT DISTINCT FROM o.reference
       GROUP BY e.statement_id, e.state
       ORDER BY e.statement_id, e.state LIMIT ${sourcesOfLine}
    ) AS q
    JOIN bank_statements s ON s.environment_id = $1 AND s.statement_id = q.statement_id
   ORDER BY s.statement_id, q.state
  `,
);

// $1 environment_id, $2 transaction_id, $3 maximum of rows
const listOfContribution = query(
  'list_lines_of_contribution',
  `
  SELECT a.entry_id AS "entryId" FROM line_allocations a
   WHERE a.environment_id = $1 AND a.transaction_id = $2
   ORDER BY a.day, a.entry_id LIMIT $3::integer
  `,
);

/** Where a line is in its file. */
export interface FilePlace {
  statementId: string;
  number: number;
  part: number;
}

/** Reads lines as people see them. */
export function createReportLinesStore(database: Pick<Database, 'run'>) {
  return {
    /** The lines that exist, in the order of the ids. */
    async lines(environmentId: number, entryIds: readonly string[]): Promise<ReportLine[]> {
      if (entryIds.length === 0) return [];
      const rows = await database.run<ReportLine>(readLines, [environmentId, entryIds]);
      const byId = new Map(rows.map((row) => [row.entry_id, row]));
      return entryIds.flatMap((id) => byId.get(id) ?? []);
    },
    /** The lines of the statements of a file that is not voided, in their order. */
    ofFile: (
      environmentId: number,
      fileId: string,
      after: FilePlace | undefined,
      limit: number,
    ): Promise<ReportLine[]> =>
      database.run(readLinesOfFile, [
        ...[environmentId, fileId, after?.statementId ?? null, after?.number ?? null, after?.part ?? null],
        limit,
      ]),
    /** The statements that have the line, at most 100. */
    sources: (environmentId: number, entryId: string): Promise<LineSource[]> =>
      database.run(readSources, [environmentId, entryId]),
    /** The ids of the lines that pay or return a contribution, or may do. */
    async ofContribution(environmentId: number, transactionId: string, limit: number): Promise<string[]> {
      const values = [environmentId, transactionId, limit];
      const rows = await database.run<{ entryId: string }>(listOfContribution, values);
      return rows.map(({ entryId }) => entryId);
    },
  };
}

export type ReportLinesStore = ReturnType<typeof createReportLinesStore>;
