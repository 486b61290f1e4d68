import type { Queries } from '../../../db/operator-transaction';
import type { TotalsRange } from '../totals';
import type { TotalsKey } from '../totals.field';
import type { EnvironmentKind } from '../../../shared/scopes';

export interface TotalsFilter extends TotalsRange {
  by: TotalsKey;
  company?: string | undefined;
  kind?: EnvironmentKind | undefined;
}

/** Sums of one group and one kind of environment, as US dollars with two decimals. */
export interface TotalsLine {
  /** A day, a project_id, the name of a company, or a status. */
  key: string;
  kind: EnvironmentKind;
  contributions: number;
  amount: string;
  completedContributions: number;
  completedAmount: string;
  returnedAmount: string;
  correctedAmount: string;
  netAmount: string;
}

export type TotalsLookupStore = ReturnType<typeof createTotalsLookupStore>;

const keys: Readonly<Record<TotalsKey, string>> = {
  day: 's.day::text',
  project: 's.project_id',
  company: 'c.name',
  status: `CASE WHEN s.completed_by_environment_id = 0 THEN 'pending' ELSE 'completed' END`,
};

const dollars = (cents: string): string => `(COALESCE(${cents}, 0) / 100.0)::numeric(20, 2)::text`;
const isCompleted = 'FILTER (WHERE s.completed_by_environment_id <> 0)';
const completedCents = `sum(s.amount_cents) ${isCompleted}`;
const correctedCents = `COALESCE(sum(s.amount_cents) FILTER (WHERE s.completed_since = 'infinity'), 0)`;

export function createTotalsLookupStore(database: Queries) {
  async function completeUntil(): Promise<Date | null> {
    const [row] = await database.runUnprepared<{ complete_until: Date | null }>(
      `SELECT t.complete_until FROM contribution_totals_turn t`,
      [],
    );
    return row?.complete_until ?? null;
  }

  return {
    /**
     * Every contribution that was created earlier is visible. Null if the service never counted.
     */
    completeUntil,

    /** Excludes the environments that a reset retired. */
    async list({ from, to, basis, by, company, kind }: TotalsFilter) {
      // Read this first, so that the sums contain at least every change before it.
      const countedUntil = await completeUntil();
      const lines = await database.runUnprepared<TotalsLine>(
        `SELECT ${keys[by]}::text AS key, e.kind, sum(s.contributions)::integer AS contributions,
                ${dollars('sum(s.amount_cents)')} AS amount,
                COALESCE(sum(s.contributions) ${isCompleted}, 0)::integer AS "completedContributions",
                ${dollars(completedCents)} AS "completedAmount",
                ${dollars('sum(s.returned_cents)')} AS "returnedAmount",
                ${dollars(correctedCents)} AS "correctedAmount",
                ${dollars(`${completedCents} - sum(s.returned_cents) - ${correctedCents}`)} AS "netAmount"
           FROM contribution_totals s
           JOIN environments e ON e.environment_id = s.environment_id
           JOIN companies c ON c.company_id = e.company_id
          WHERE e.retired_at IS NULL AND s.basis = $1 AND s.day >= $2::date AND s.day < $3::date
            AND ($4::text IS NULL OR c.name = $4) AND ($5::text IS NULL OR e.kind = $5)
          GROUP BY ${keys[by]}, e.kind
         HAVING sum(s.contributions) > 0
          ORDER BY e.kind, ${keys[by]}`,
        [basis, from, to, company ?? null, kind ?? null],
      );
      return { lines, completeUntil: countedUntil };
    },
  };
}
