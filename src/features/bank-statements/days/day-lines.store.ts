import type { Database } from '../../../db/pool/database';
import { query } from '../../../db/query';
import type { EntryDecision } from '../statement.fields';
import type { LineDecision } from '../rules/counting/decisions';
import { bucketKey, type DayLine, type NearLine } from '../rules/counting/near-lines';
import type { StatementHead } from '../rules/reading/statement';
import type { LineException } from '../rules/versions/choose-version';
import { batchHash, moneyHash } from '../statements/line-hashes';
import { statementLineOf, type StatementLineRow } from '../statements/statement-rows';
import type { AccountDay } from './account-day';
import { seriesIn } from './buckets';
import { createKeptLinesStore } from './kept-lines.store';
import { createStoredVersionStore } from './stored-version.store';

/** Lines are compared with those of this number of days before and after. */
const windowDays = 28;

/** The day of the line is in the period that is compared. */
const isOfNearDay = `l.day BETWEEN $3::date - ${windowDays} AND $3::date + ${windowDays}`;
const columns = `l.statement_id, l.number, l.day::text, l.bucket, l.direction, l.amount_cents, l.charges_cents,
         l.stated_cents, l.reference, l.ids, l.problem, l.content, l.digest, l.own_day::text, l.return_code, l.code, l.search,
         l.batch_cents, l.is_part, s.digest AS statement_digest, s.format, s.is_final`;

// $1 environment_id, $2 account_id, $3 day, $4 buckets
const countLines = query(
  'count_lines_of_buckets',
  `
  WITH counting AS MATERIALIZED (
    SELECT t.statement_id FROM statement_days t
      JOIN bank_statements s ON s.environment_id = $1 AND s.statement_id = t.statement_id
     WHERE t.environment_id = $1 AND t.account_id = $2 AND t.day = $3::date AND s.voided_at IS NULL
  )
  SELECT c.bucket, sum(c.lines)::integer AS lines, sum(c.outcomes)::integer AS outcomes
    FROM (
      SELECT l.bucket, count(*) AS lines, 0 AS outcomes FROM statement_lines l
       WHERE l.environment_id = $1 AND l.account_id = $2 AND l.day = $3::date AND l.bucket = ANY ($4::smallint[])
         AND l.statement_id IN (SELECT n.statement_id FROM counting n)
       GROUP BY l.bucket
       UNION ALL
      SELECT o.bucket, 0, count(*) FROM line_outcomes o
       WHERE o.environment_id = $1 AND o.account_id = $2 AND o.day = $3::date AND o.bucket = ANY ($4::smallint[])
       GROUP BY o.bucket
    ) c
   GROUP BY c.bucket ORDER BY c.bucket
  `,
);

// Finds the lines first. Otherwise, the planner may read all lines of the statements.
// $1 environment_id, $2 account_id, $3 day, $4 buckets
const readLines = query(
  'read_lines_of_buckets',
  `
  WITH found AS MATERIALIZED (
    SELECT l.* FROM statement_lines l
     WHERE l.environment_id = $1 AND l.account_id = $2 AND l.day = $3::date AND l.bucket = ANY ($4::smallint[])
  )
  SELECT ${columns}, x.kind AS exception
    FROM found l
    JOIN bank_statements s ON s.environment_id = $1 AND s.statement_id = l.statement_id
    JOIN account_days d ON d.environment_id = $1 AND d.account_id = $2 AND d.day = $3::date
    LEFT JOIN line_exceptions x
      ON x.environment_id = $1 AND x.account_id = $2 AND x.day = $3::date
     AND x.generation = d.chosen_in AND x.statement_id = l.statement_id AND x.number = l.number
   WHERE s.voided_at IS NULL
   ORDER BY l.statement_id, l.number
  `,
);

const ofNearLine = `l.statement_id, l.number, l.day, l.bucket, l.direction, l.amount_cents, l.reference, l.ids, l.digest,
                l.content, l.batch_cents, l.is_part, l.problem`;

// The hashes have the account. A loop over them, because the planner would read all lines instead.
// $1 environment_id, $2 account_id, $3 day, $4 hashes
const readNearLines = query(
  'read_near_lines',
  `
  SELECT n.*, count(*)::integer AS count
    FROM (
      SELECT l.day::text, l.direction, l.amount_cents, l.reference, l.ids, l.digest, l.content, l.batch_cents,
             l.is_part, s.format, s.digest || ' ' || s.statement_id AS statement,
             CASE WHEN s.is_final OR (d.opening_cents IS NOT NULL AND d.closing_cents IS NOT NULL) THEN d.version END AS version,
             k.is_kept,
             CASE WHEN NOT s.is_final THEN CASE WHEN m.month IS NULL OR k.is_kept THEN 'reported' END
                  WHEN x.kind = 'additional' THEN 'additional'
                  WHEN x.kind IS DISTINCT FROM 'repeated' AND l.statement_id = ANY (d.statement_ids) THEN 'chosen' END AS role
        FROM unnest($4::bigint[]) AS h (hash)
       CROSS JOIN LATERAL (
         SELECT ${ofNearLine} FROM statement_lines l
          WHERE l.environment_id = $1 AND l.money_hash = h.hash AND ${isOfNearDay}
          UNION ALL
         SELECT ${ofNearLine} FROM statement_lines l
          WHERE l.environment_id = $1 AND l.batch_hash = h.hash AND ${isOfNearDay}
            AND l.money_hash <> ALL ($4::bigint[])
       ) l
        JOIN bank_statements s ON s.environment_id = $1 AND s.statement_id = l.statement_id
        JOIN account_days d ON d.environment_id = $1 AND d.account_id = $2 AND d.day = l.day
        LEFT JOIN line_exceptions x
          ON x.environment_id = $1 AND x.account_id = $2 AND x.day = l.day
         AND x.generation = d.chosen_in AND x.statement_id = l.statement_id AND x.number = l.number
        LEFT JOIN closed_months m
          ON m.environment_id = $1 AND m.month = date_trunc('month', l.day::timestamp)::date
       CROSS JOIN LATERAL (
         SELECT m.month IS NOT NULL AND EXISTS (
           SELECT FROM line_outcomes o
            WHERE o.environment_id = $1 AND o.account_id = $2 AND o.day = l.day AND o.bucket = l.bucket
              AND o.statement_id = l.statement_id AND o.number = l.number AND o.state = 'counted') AS is_kept
       ) k
       WHERE s.voided_at IS NULL AND l.problem IS DISTINCT FROM 'not_booked' AND l.problem IS DISTINCT FROM 'unreadable'
    ) n
   WHERE n.role IS NOT NULL
   GROUP BY n.day, n.direction, n.amount_cents, n.reference, n.ids, n.digest, n.content, n.batch_cents, n.is_part,
            n.format, n.statement, n.version, n.role, n.is_kept
  `,
);

// $1 environment_id, $2 day, $3 hashes, $4 whether also those of voided statements
const readReportedParts = query(
  'read_reported_parts',
  `
  SELECT ${columns}, NULL AS exception
    FROM statement_lines l
    JOIN bank_statements s ON s.environment_id = l.environment_id AND s.statement_id = l.statement_id
   WHERE l.environment_id = $1 AND l.day BETWEEN $2::date - 7 AND $2::date + 7
     AND l.batch_hash = ANY ($3::bigint[]) AND l.is_part AND NOT s.is_final AND (s.voided_at IS NULL OR $4)
   ORDER BY l.statement_id, l.number
  `,
);

// $1 environment_id, $2 day, $3 hashes
const readDecisions = query(
  'read_near_decisions',
  `
  SELECT n.* FROM (
    SELECT DISTINCT ON (l.entry_id)
           l.day::text, l.direction, l.amount_cents, l.reference, l.digest, l.content, l.occurrence,
           l.can_move AS "canMove", l.action, l.allocations
      FROM line_decisions l
     WHERE l.environment_id = $1 AND l.day BETWEEN $2::date - ${windowDays} AND $2::date + ${windowDays}
       AND l.money_hash = ANY ($3::bigint[]) AND l.action IN ('link', 'split', 'unlink', 'ignore', 'undo')
     ORDER BY l.entry_id, l.number DESC
  ) n
   WHERE n.action <> 'undo'
  `,
);

interface DayLineRow extends StatementLineRow {
  bucket: number;
  statement_digest: string;
  format: StatementHead['format'];
  is_final: boolean;
  exception: LineException | null;
}

interface NearLineRow {
  day: string;
  direction: NearLine['direction'];
  amount_cents: string;
  reference: string | null;
  ids: string;
  digest: string;
  content: string;
  batch_cents: string | null;
  is_part: boolean;
  format: StatementHead['format'];
  statement: string;
  version: string | null;
  role: NearLine['role'];
  is_kept: boolean;
  count: number;
}

interface DecisionRow {
  day: string;
  direction: NearLine['direction'];
  amount_cents: string;
  reference: string | null;
  digest: string;
  content: string;
  occurrence: number;
  canMove: boolean;
  action: EntryDecision['action'];
  allocations: { transaction_id: string; cents: string }[];
}

/** The numbers of lines of a bucket that count or may count, and of stored outcomes. */
export interface BucketCount {
  lines: number;
  outcomes: number;
}

/** A line of a day, and whether it differs from the rest of its statement. */
export type LineToJudge = DayLine & { exception: LineException | null };

function dayLineOf(row: DayLineRow): LineToJudge {
  const line = statementLineOf(row);
  const { statement_digest: digest, format, is_final: isFinal, bucket, exception } = row;
  const series = seriesIn(bucket, bucketKey(line));
  return { ...line, statement: { digest, format, isFinal }, bucket, series, exception };
}

const nearLineOf = ({
  amount_cents: cents,
  batch_cents: batch,
  is_part: isPart,
  is_kept: isKept,
  ...row
}: NearLineRow): NearLine => ({
  ...row,
  cents: BigInt(cents),
  batchCents: batch === null ? null : BigInt(batch),
  isPart,
  isKept,
});

const decisionOf = ({ amount_cents: cents, allocations, ...row }: DecisionRow): LineDecision => ({
  ...row,
  cents: BigInt(cents),
  allocations: allocations.map((one) => ({ transactionId: one.transaction_id, cents: BigInt(one.cents) })),
});

/**
 * The keys under which near lines are compared with these lines. A line of a statement without a
 * reference is compared with others only if it was moved.
 */
export const hashesOf = (accountId: string, lines: readonly DayLine[]): string[] => [
  ...new Set(
    lines
      .filter(
        ({ reference, ownDay, statement }) => reference !== null || ownDay !== null || !statement.isFinal,
      )
      .flatMap((line) => [moneyHash(accountId, line), batchHash(accountId, line)]),
  ),
];

/** Reads the lines of a day that are judged together, and what they depend on. */
export function createDayLinesStore(database: Pick<Database, 'run'>) {
  const keyOf = ({ environmentId, accountId, day }: AccountDay) => [environmentId, accountId, day];
  return {
    ...createKeptLinesStore(database),
    ...createStoredVersionStore(database),
    /** The lines and the earlier outcomes of each bucket that has some. */
    async countIn(day: AccountDay, buckets: readonly number[]): Promise<Map<number, BucketCount>> {
      const values = [...keyOf(day), buckets];
      const rows = await database.run<BucketCount & { bucket: number }>(countLines, values);
      return new Map(rows.map(({ bucket, ...count }) => [bucket, count]));
    },
    async linesIn(day: AccountDay, buckets: readonly number[]): Promise<LineToJudge[]> {
      return (await database.run<DayLineRow>(readLines, [...keyOf(day), buckets])).map(dayLineOf);
    },
    /** The lines of near days with this money: see `hashesOf`. */
    async near(day: AccountDay, hashes: readonly string[]): Promise<NearLine[]> {
      if (hashes.length === 0) return [];
      return (await database.run<NearLineRow>(readNearLines, [...keyOf(day), hashes])).map(nearLineOf);
    },
    /** The decisions about lines of near days with the money of these lines. */
    async decisions(day: AccountDay, lines: readonly DayLine[]): Promise<LineDecision[]> {
      const hashes = [...new Set(lines.map((line) => moneyHash(day.accountId, line)))];
      const rows = await database.run<DecisionRow>(readDecisions, [day.environmentId, day.day, hashes]);
      return rows.map(decisionOf);
    },
    /** The parts in reports and notifications of batch entries among these lines. */
    async reportedParts(day: AccountDay, lines: readonly DayLine[], withVoided: boolean): Promise<DayLine[]> {
      const batches = lines.filter(
        (line) => line.batchCents !== null && !line.isPart && line.statement.isFinal,
      );
      if (batches.length === 0) return [];
      const hashes = [...new Set(batches.map((line) => batchHash(day.accountId, line)))];
      const values = [day.environmentId, day.day, hashes, withVoided];
      return (await database.run<DayLineRow>(readReportedParts, values)).map(dayLineOf);
    },
  };
}

export type DayLinesStore = ReturnType<typeof createDayLinesStore>;
