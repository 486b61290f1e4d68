import type { Database } from '../../db/pool/database';
import { query } from '../../db/query';
import { dayMs } from '../../shared/clock';
import type { EntryBodyRow, FileBodyRow } from './statement-rows';

// Whether the statement that overlaps `s` and ends last states another balance for the start of
// `s`. A numbered statement, or one of half a day, can start within its day, so it is not compared.
const isContradicted = `COALESCE((
         SELECT o.opening_cents + COALESCE((
                  SELECT sum(d.value::bigint) FROM jsonb_each_text(o.daily_cents) AS d WHERE d.key::date < s.period_from
                ), 0) <> s.opening_cents
           FROM statements o
           JOIN statement_files f2 ON f2.environment_id = $1 AND f2.file_id = o.file_id
          WHERE o.environment_id = $1 AND o.account_id = s.account_id AND o.kind = 'final'
            AND (o.file_id, o.number) <> (s.file_id, s.number) AND o.opening_cents IS NOT NULL
            AND f2.voided_at IS NULL AND f2.state <> 'receiving'
            AND o.period_from <= s.period_from AND o.period_to >= s.period_from
            AND s.ends_at_ms - s.starts_at_ms > 1 AND o.ends_at_ms - o.starts_at_ms > 1
            AND CASE WHEN o.period_from < s.period_from THEN o.daily_cents IS NOT NULL AND s.starts_at_ms % ${dayMs} = 0
                     ELSE o.starts_at_ms = s.starts_at_ms END
          ORDER BY o.period_to DESC, o.period_from, o.file_id, o.number LIMIT 1
       ), false)`;

// Whether a number is missing between `s` and the statement `p` before it, although the balances
// are equal. Two numbered statements of a day have consecutive numbers. For different days, see
// `isGapHidden` and `isRestartMissing` in `numbered-days.ts`.
const isNumberMissing = `
  p.ends_at_ms - p.starts_at_ms = 1 AND s.ends_at_ms - s.starts_at_ms = 1
    AND (s.sequence BETWEEN 2 AND p.sequence
         OR s.sequence - p.sequence > 1
            AND (p.period_to = s.period_from
                 OR (p.opening_cents = p.closing_cents AND s.opening_cents = s.closing_cents
                     AND s.sequence - p.sequence <> s.period_from - p.period_to)))`;

const fileColumns = `
  f.file_id, CASE WHEN f.voided_at IS NULL THEN f.state ELSE 'voided' END AS state, f.format, f.version, f.received_at,
  f.entry_count, f.matched_count, CASE WHEN s.number > 1 THEN '[]' ELSE f.problems END AS problems, f.voided_at, f.void_reason,
  s.number, s.account_id, a.ending, s.bank_statement_id, s.kind, s.period_from::text, s.period_to::text,
  s.opening_cents, s.closing_cents, s.balance, s.entry_count AS statement_entries,
  CASE WHEN s.kind <> 'final' OR s.opening_cents IS NULL OR s.period_from IS NULL THEN 'not_checked'
       WHEN ${isContradicted} THEN 'broken'
       ELSE COALESCE((
         SELECT CASE WHEN p.closing_cents IS NULL THEN 'not_checked'
                     WHEN p.closing_cents <> s.opening_cents OR ${isNumberMissing} THEN 'broken'
                     ELSE 'continuous' END
           FROM statements p
           JOIN statement_files pf ON pf.environment_id = p.environment_id AND pf.file_id = p.file_id
          WHERE p.environment_id = $1 AND p.account_id = s.account_id AND p.kind = 'final'
            AND pf.voided_at IS NULL AND pf.state <> 'receiving'
            AND (p.period_to < s.period_from
                 OR (p.sequence < s.sequence AND p.period_from <= s.period_from AND p.period_to <= s.period_to))
          ORDER BY p.period_to DESC, p.sequence DESC NULLS LAST LIMIT 1
       ), 'first') END AS continuity`;

// With the environment's id instead of f.environment_id, a cluster reads one server instead of all.
const withStatements = `
  LEFT JOIN statements s ON s.environment_id = $1 AND s.file_id = f.file_id
  LEFT JOIN statement_accounts a ON a.environment_id = $1 AND a.account_id = s.account_id`;

// $1 environment_id, $2 file_id
const readFile = query(
  'read_statement_file',
  `
  SELECT ${fileColumns} FROM statement_files f ${withStatements}
   WHERE f.environment_id = $1 AND f.file_id = $2
   ORDER BY s.number
  `,
);

// Ids are ordered by time. $1 environment_id, $2 before this file_id or null, $3 maximum number of
// rows
const listFiles = query(
  'list_statement_files',
  `
  SELECT ${fileColumns}
    FROM (
      SELECT p.file_id, p.state, p.format, p.version, p.received_at, p.entry_count, p.matched_count, p.problems,
             p.voided_at, p.void_reason
        FROM statement_files p
       WHERE p.environment_id = $1 AND ($2::uuid IS NULL OR p.file_id < $2::uuid)
       ORDER BY p.file_id DESC LIMIT $3::integer
    ) AS f ${withStatements}
   ORDER BY f.file_id DESC, s.number
  `,
);

// $1 environment_id, $2 file_id, $3 outcome, $4 confidence, $5 after this entry_id, $6 maximum
// number of rows
const listEntries = query(
  'list_statement_entries',
  `
  SELECT e.entry_id, e.direction, e.amount_cents, e.charges_cents, e.currency, e.booking_date::text, e.bank_reference,
         e.return_code, e.outcome, e.reason, e.is_decided,
         a.transaction_id, a.kind, a.amount_cents AS allocated_cents, a.confidence, a.state
    FROM (
      SELECT n.entry_id, n.direction, n.amount_cents, n.charges_cents, n.currency, n.booking_date, n.bank_reference,
             n.return_code, n.outcome, n.reason, n.is_decided
        FROM statement_entries n
       WHERE n.environment_id = $1 AND n.standing <> 'absent'
         AND ($3::text IS NULL OR n.outcome = $3) AND ($5::uuid IS NULL OR n.entry_id > $5::uuid)
         AND EXISTS (SELECT FROM entry_sources o
                      WHERE o.environment_id = $1 AND o.file_id = $2 AND o.class_key = n.class_key)
         AND ($4::text IS NULL OR EXISTS (
           SELECT FROM allocations c WHERE c.environment_id = $1 AND c.entry_id = n.entry_id
              AND c.confidence = $4 AND c.state <> 'withdrawn'))
       ORDER BY n.entry_id LIMIT $6::integer
    ) AS e
    LEFT JOIN allocations a ON a.environment_id = $1 AND a.entry_id = e.entry_id AND a.state <> 'withdrawn'
   ORDER BY e.entry_id, a.transaction_id
  `,
);

// Queues the file again, so that its entries no longer count.
// $1 environment_id, $2 file_id, $3 reason
const voidFile = query(
  'void_statement_file',
  `
  UPDATE statement_files f
     SET voided_at = statement_timestamp(), void_reason = $3, state = 'stored', matched_count = 0, claimed_until = NULL
   WHERE f.environment_id = $1 AND f.file_id = $2 AND f.voided_at IS NULL
  `,
);

export type StatementFilesStore = ReturnType<typeof createStatementFilesStore>;

export function createStatementFilesStore(database: Pick<Database, 'run'>) {
  return {
    read: (environmentId: number, fileId: string): Promise<FileBodyRow[]> =>
      database.run(readFile, [environmentId, fileId]),
    /** One row for each statement of each file, newest first. */
    list: (environmentId: number, before: string | undefined, limit: number): Promise<FileBodyRow[]> =>
      database.run(listFiles, [environmentId, before ?? null, limit]),
    entries: (
      environmentId: number,
      fileId: string,
      { outcome, confidence }: { outcome: string | undefined; confidence: string | undefined },
      { after, limit }: { after: string | undefined; limit: number },
    ): Promise<EntryBodyRow[]> =>
      database.run(listEntries, [
        environmentId,
        fileId,
        outcome ?? null,
        confidence ?? null,
        after ?? null,
        limit,
      ]),
    /** Has no effect on a voided file. */
    async void(environmentId: number, fileId: string, reason: string) {
      await database.run(voidFile, [environmentId, fileId, reason]);
    },
  };
}
