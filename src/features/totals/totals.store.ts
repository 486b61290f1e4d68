import type { Database } from '../../db/pool/database';
import { query, type Query } from '../../db/query';
import { maySee, maySeeEvidence } from '../../core/contributions/who-may-see';
import type { TotalsKey } from './totals.field';
import { type Sums as SumsOfGroup, totalOf, type Totals, type TotalsRequest, type TotalsRow } from './totals';

export type TotalsStore = ReturnType<typeof createTotalsStore>;

/** The environments whose contributions the caller ($1) may see, and `complete_until`. */
const readVisibleEnvironments = query(
  'read_environments_of_totals',
  `
  SELECT e.environment_id, c.company_id, c.name,
         (SELECT t.complete_until FROM contribution_totals_turn t WHERE t.only_row) AS complete_until
    FROM environments e
    JOIN companies c ON c.company_id = e.company_id
   WHERE e.retired_at IS NULL
     AND e.environment_id IN (
       SELECT $1::integer UNION ALL SELECT l.environment_id FROM bank_links l WHERE l.bank_environment_id = $1)
  `,
);

/**
 * Each row of `contribution_totals` stores the times of the last link changes before its
 * contributions, and infinity if their completion was corrected. Comparing these times with the
 * links gives the same result as comparing the times of the contributions.
 *
 * $1 the caller, $2 the environments, $3 basis, $4 first day, $5 day after the last
 */
const sumsBy = (name: string, key: string, environments: string): Query =>
  query(
    `sum_${name}`,
    `
  SELECT ${key} AS key, sum(t.contributions) AS contributions, sum(t.amount_cents) AS "amountCents",
         COALESCE(sum(t.contributions) FILTER (WHERE t.completed_by_environment_id IS NOT NULL), 0)
           AS "completedContributions",
         COALESCE(sum(t.amount_cents) FILTER (WHERE t.completed_by_environment_id IS NOT NULL), 0)
           AS "completedCents",
         sum(t.returned_cents) AS "returnedCents",
         COALESCE(sum(t.amount_cents) FILTER (WHERE t.corrected_at IS NOT NULL), 0) AS "correctedCents"
    FROM (
      SELECT s.environment_id, s.day, s.project_id, s.contributions, s.amount_cents, s.returned_cents,
             NULLIF(s.completed_by_environment_id, 0) AS completed_by_environment_id, s.created_since AS created_at,
             CASE WHEN s.completed_by_environment_id <> 0 THEN s.completed_since END AS completed_at,
             CASE WHEN s.completed_since = 'infinity' THEN s.completed_since END AS corrected_at
        FROM contribution_totals s
       WHERE s.environment_id ${environments} AND s.basis = $3
         AND s.day >= $4::date AND s.day < $5::date
    ) AS t
   WHERE ${maySee} AND ($3 <> 'value_date' OR ${maySeeEvidence})
   GROUP BY ${key}
  HAVING sum(t.contributions) > 0
   ORDER BY ${key}
  `,
  );

interface Sums {
  /** Sums over several environments. On a cluster, it reads all servers. */
  ofMany: Query;
  /** Sums over one environment, whose id is $2. On a cluster, it reads one server. */
  ofOne: Query;
}

const sumsOf = (name: TotalsKey, key: string): Sums => ({
  ofMany: sumsBy(`contributions_by_${name}`, key, '= ANY ($2::integer[])'),
  ofOne: sumsBy(`own_contributions_by_${name}`, key, '= $2::integer'),
});

const sums: Readonly<Record<TotalsKey, Sums>> = {
  day: sumsOf('day', 't.day::text'),
  project: sumsOf('project', 't.project_id'),
  company: sumsOf('company', 't.environment_id'),
  status: sumsOf(
    'status',
    `CASE WHEN t.completed_by_environment_id IS NULL THEN 'pending' ELSE 'completed' END`,
  ),
};

interface EnvironmentRow {
  environment_id: number;
  company_id: string;
  name: string;
  complete_until: Date | null;
}

/** PostgreSQL's sums are text. */
type SumRow = { key: string | number } & Record<keyof SumsOfGroup, string>;

function keyOf(by: TotalsKey, { key }: SumRow, environments: readonly EnvironmentRow[]): Partial<TotalsRow> {
  switch (by) {
    case 'day':
      return { day: String(key) };
    case 'project':
      return { projectId: Number(key) };
    case 'status':
      return { status: key === 'pending' ? 'pending' : 'completed' };
    case 'company': {
      const found = environments.find((environment) => environment.environment_id === Number(key));
      if (!found) throw new Error('a total belongs to no visible environment');
      return { company: { companyId: found.company_id, name: found.name } };
    }
  }
}

export function createTotalsStore(database: Pick<Database, 'run'>) {
  return {
    /** The sums of the contributions that the caller may see. */
    async read(environmentId: number, { from, to, by, basis }: TotalsRequest): Promise<Totals> {
      // Read `complete_until` first. The sums then include at least every change before it.
      const environments = await database.run<EnvironmentRow>(readVisibleEnvironments, [environmentId]);
      const ids = environments.map((row) => row.environment_id);
      const { ofMany, ofOne } = sums[by];
      const [read, scope] = ids.length === 1 ? [ofOne, ids[0]] : [ofMany, ids];
      const found = await database.run<SumRow>(read, [environmentId, scope, basis, from, to]);
      const rows = found.map((row): TotalsRow => ({
        ...keyOf(by, row, environments),
        contributions: Number(row.contributions),
        amountCents: BigInt(row.amountCents),
        completedContributions: Number(row.completedContributions),
        completedCents: BigInt(row.completedCents),
        returnedCents: BigInt(row.returnedCents),
        correctedCents: BigInt(row.correctedCents),
      }));
      const completeUntil = environments[0]?.complete_until ?? undefined;
      return { rows, total: totalOf(rows), completeUntil };
    },
  };
}
