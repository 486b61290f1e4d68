import type { Database } from '../../db/pool/database';
import { query } from '../../db/query';

/** Unreadable entries, and entries whose parts differ, by the days on which they may be booked. */
export interface UnclearEntries {
  from: string;
  to: string;
  entries: number;
}

// $1 viewer, $2 transaction_ids
const countProposed = query(
  'count_proposed_entries',
  `
  SELECT a.transaction_id, count(*) FILTER (WHERE a.kind = 'payment')::integer AS payments,
         count(*) FILTER (WHERE a.kind = 'return')::integer AS returns
    FROM allocations a
    JOIN statement_entries e ON e.environment_id = $1 AND e.entry_id = a.entry_id
   WHERE a.environment_id = $1 AND a.transaction_id = ANY ($2::text[]) AND a.state = 'proposed'
     AND e.standing <> 'absent' AND NOT e.is_decided
   GROUP BY a.transaction_id
  `,
);

// An entry without a date has the days of the statements that contain it. $1 viewer, $2 first day,
// $3 last day
const listUnclear = query(
  'list_unclear_entries',
  `
  SELECT COALESCE(e.booking_date, p.period_from)::text AS "from", COALESCE(e.booking_date, p.period_to)::text AS "to",
         count(*)::integer AS entries
    FROM statement_entries e
    JOIN statement_accounts a ON a.environment_id = $1 AND a.account_id = e.account_id
    LEFT JOIN LATERAL (
      SELECT min(s.period_from) AS period_from, max(s.period_to) AS period_to
        FROM entry_sources o
        JOIN statements s ON s.environment_id = $1 AND s.file_id = o.file_id AND s.number = o.statement_number
       WHERE e.booking_date IS NULL AND o.environment_id = $1 AND o.class_key = e.class_key
    ) AS p ON true
   WHERE e.environment_id = $1 AND e.outcome IN ('unreadable', 'sums_differ') AND NOT e.is_decided
     AND e.standing <> 'absent' AND a.complete_coverage
     AND COALESCE(e.booking_date, p.period_from, '-infinity') <= $3::date
     AND COALESCE(e.booking_date, p.period_to, 'infinity') >= $2::date
   GROUP BY 1, 2
  `,
);

/** Entries that are proposed for a contribution. */
export interface ProposedEntries {
  payments: number;
  returns: number;
}

/** Finds entries that may be money of a contribution, but do not count. */
export interface PossiblePaymentsStore {
  /** The number of proposed entries, by transaction_id. */
  proposed(viewer: number, transactionIds: readonly string[]): Promise<ReadonlyMap<string, ProposedEntries>>;
  /** The unclear entries of these days in accounts with complete_coverage. */
  unclear(viewer: number, from: string, to: string): Promise<UnclearEntries[]>;
}

export function createPossiblePaymentsStore(database: Pick<Database, 'run'>): PossiblePaymentsStore {
  return {
    async proposed(viewer, transactionIds) {
      const rows = await database.run<ProposedEntries & { transaction_id: string }>(countProposed, [
        viewer,
        transactionIds,
      ]);
      return new Map(rows.map((row) => [row.transaction_id, row]));
    },
    async unclear(viewer, from, to) {
      const rows = await database.run<{ from: string | null; to: string | null; entries: number }>(
        listUnclear,
        [viewer, from, to],
      );
      // Nothing shows the day of such an entry.
      return rows.map((row) => ({ ...row, from: row.from ?? from, to: row.to ?? to }));
    },
  };
}
