import type { Database } from '../../../../db/pool/database';
import { query } from '../../../../db/query';
import { groupBy } from '../../../../shared/group-by';
import { isToExplain } from '../lines/to-explain.query';
import type { ReturnedMoney } from './join-returns';

/** The sums of one contribution's money in the statements of a viewer. */
export interface MoneyRow {
  transactionId: string;
  /** The environment of the contribution. */
  environmentId: number;
  grossCents: bigint;
  returnedCents: bigint;
  otherGrossCents: bigint;
  otherReturnedCents: bigint;
  isDecided: boolean;
  /** When a person accepted the difference. */
  decidedAt: Date | null;
}

/** Entries that are proposed for a contribution. */
export interface ProposedEntries {
  payments: number;
  returns: number;
}

/** Entries that only a person can allocate, by the days on which they may be booked. */
export interface UnclearEntries {
  from: string;
  to: string;
  entries: number;
}

// $1 viewer, $2 transaction_ids
const readMoney = query(
  'read_contribution_money',
  `
  SELECT m.transaction_id, m.transaction_environment_id, m.gross_cents::text, m.returned_cents::text,
         m.other_gross_cents::text, m.other_returned_cents::text,
         m.accepted_at IS NOT NULL AS is_decided, m.accepted_at
    FROM contribution_money m
   WHERE m.environment_id = $1 AND m.transaction_id = ANY ($2::text[])
  `,
);

// The allocations of contributions with their lines. Each is looked up by itself, because the
// planner would read all lines. $1 viewer, $2 transaction_ids
const allocationsOf = (condition: string): string => `
         unnest($2::text[]) AS t (transaction_id)
   CROSS JOIN LATERAL (
     SELECT p.transaction_id, p.entry_id, p.kind, p.amount_cents FROM line_allocations p
      WHERE p.environment_id = $1 AND p.transaction_id = t.transaction_id AND ${condition} OFFSET 0
   ) AS a
   CROSS JOIN LATERAL (
     SELECT r.reference, r.is_decided FROM line_outcomes r
      WHERE r.environment_id = $1 AND r.entry_id = a.entry_id LIMIT 1
   ) AS o`;

// $1 viewer, $2 transaction_ids, $3 kind
const readStatedMoney = query(
  'read_stated_money_of_lines',
  `
  SELECT a.transaction_id, a.amount_cents::text AS cents, o.reference
    FROM ${allocationsOf(`p.kind = $3 AND p.state = 'confirmed'`)}
   ORDER BY a.entry_id
  `,
);

// $1 viewer, $2 transaction_ids
const countProposed = query(
  'count_proposed_lines',
  `
  SELECT a.transaction_id, (count(*) FILTER (WHERE a.kind = 'payment'))::integer AS payments,
         (count(*) FILTER (WHERE a.kind = 'return'))::integer AS returns
    FROM ${allocationsOf(`p.state = 'proposed'`)}
   WHERE NOT o.is_decided
   GROUP BY a.transaction_id
  `,
);

// $1 viewer, $2 first day, $3 last day
const countUnclear = query(
  'count_unclear_lines',
  `
  SELECT l.day::text AS "from", l.day::text AS "to", sum(l.lines)::integer AS entries
    FROM statement_accounts a
   CROSS JOIN LATERAL (
     SELECT o.day, count(*) AS lines FROM line_outcomes o
      WHERE o.environment_id = $1 AND o.account_id = a.account_id AND o.day BETWEEN $2::date AND $3::date
        AND ${isToExplain}
        AND (o.outcome IN ('unreadable', 'sums_differ')
          OR o.reason IN ('several_references', 'settlement_differs', 'wrong_check_character'))
        AND NOT o.is_decided
      GROUP BY o.day
   ) AS l
   WHERE a.environment_id = $1 AND a.complete_coverage
   GROUP BY l.day
  `,
);

// $1 viewer
const countDaysWithWork = query(
  'count_days_with_work',
  'SELECT count(*)::integer AS days FROM account_days d WHERE d.environment_id = $1 AND d.has_work',
);

interface MoneyOfContribution {
  transaction_id: string;
  transaction_environment_id: number;
  gross_cents: string;
  returned_cents: string;
  other_gross_cents: string;
  other_returned_cents: string;
  is_decided: boolean;
  accepted_at: Date | null;
}

const moneyOf = (row: MoneyOfContribution): MoneyRow => ({
  ...{ transactionId: row.transaction_id, environmentId: row.transaction_environment_id },
  ...{ grossCents: BigInt(row.gross_cents), returnedCents: BigInt(row.returned_cents) },
  otherGrossCents: BigInt(row.other_gross_cents),
  otherReturnedCents: BigInt(row.other_returned_cents),
  ...{ isDecided: row.is_decided, decidedAt: row.accepted_at },
});

/** What the lines of accounts say about the money of contributions. */
export function createAccountPositionsStore(database: Pick<Database, 'run'>) {
  return {
    async money(viewer: number, transactionIds: readonly string[]): Promise<Map<string, MoneyRow>> {
      const rows = await database.run<MoneyOfContribution>(readMoney, [viewer, transactionIds]);
      return new Map(rows.map((row) => [row.transaction_id, moneyOf(row)]));
    },
    /** The confirmed money, by transaction_id. */
    async stated(
      viewer: number,
      transactionIds: readonly string[],
      kind: 'payment' | 'return',
    ): Promise<Map<string, ReturnedMoney[]>> {
      const rows = await database.run<{ transaction_id: string; cents: string; reference: string | null }>(
        readStatedMoney,
        [viewer, transactionIds, kind],
      );
      const ofContributions = groupBy(rows, (row) => row.transaction_id);
      return new Map(
        [...ofContributions].map(([id, of]) => [
          id,
          of.map(({ cents, reference }) => ({ cents: BigInt(cents), reference })),
        ]),
      );
    },
    /** The number of proposed entries, by transaction_id. */
    async proposed(
      viewer: number,
      transactionIds: readonly string[],
    ): Promise<ReadonlyMap<string, ProposedEntries>> {
      const rows = await database.run<ProposedEntries & { transaction_id: string }>(countProposed, [
        viewer,
        transactionIds,
      ]);
      return new Map(rows.map((row) => [row.transaction_id, row]));
    },
    /** The unclear entries of these days in accounts with complete_coverage. */
    unclear: (viewer: number, from: string, to: string): Promise<UnclearEntries[]> =>
      database.run(countUnclear, [viewer, from, to]),
    /** The number of days whose lines are being compared. */
    async daysToCompare(viewer: number): Promise<number> {
      const [row] = await database.run<{ days: number }>(countDaysWithWork, [viewer]);
      return row?.days ?? 0;
    },
  };
}

export type AccountPositionsStore = ReturnType<typeof createAccountPositionsStore>;
