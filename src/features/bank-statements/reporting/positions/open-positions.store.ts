import type { Database } from '../../../../db/pool/database';
import { allEnvironments, type IsRead, query } from '../../../../db/query';
import type { Reading } from '../../../../metrics/readings';
import { type EnvironmentKind, environmentKinds } from '../../../../shared/scopes';

/** Open positions by the age of their contribution. */
export interface AgedOpenPositions {
  from7To14Days: number;
  from14To30Days: number;
  over30Days: number;
}

export interface OpenPositionsStore {
  /**
   * Claims an environment with statements whose count is due. No other process gets it for a while.
   */
  claim(): Promise<number | undefined>;
  finish(environmentId: number, counts: AgedOpenPositions): Promise<void>;
}

/**
 * Six hours suffice: positions change when a statement or a completion arrives, and they age
 * slowly.
 */
const hoursBetweenCounts = 6;
/** If a process stops during a count, another process counts again after this time. */
const claimMinutes = 30;

const findDueText = (isRead: IsRead): string => `
  SELECT p.environment_id FROM comparing_progress p
   WHERE p.positions_due_at < statement_timestamp() ${isRead('p')}
   ORDER BY p.positions_due_at LIMIT 1
  `;

const findDue = query('find_environment_to_count_positions', findDueText(allEnvironments), {
  textOf: findDueText,
});

// $1 environment_id
const claimCount = query(
  'claim_count_of_open_positions',
  `
  UPDATE comparing_progress p SET positions_due_at = statement_timestamp() + interval '${claimMinutes} minutes'
   WHERE p.environment_id = $1 AND p.positions_due_at < statement_timestamp()
  RETURNING p.environment_id
  `,
);

// $1 environment_id, $2 to $4 the counts
const storeCount = query(
  'store_count_of_open_positions',
  `
  UPDATE comparing_progress p
     SET open_7_to_14_days = $2, open_14_to_30_days = $3, open_over_30_days = $4,
         positions_due_at = statement_timestamp() + interval '${hoursBetweenCounts} hours'
   WHERE p.environment_id = $1
  `,
);

const sumCounts = query(
  'sum_open_positions',
  `
  SELECT e.kind, sum(p.open_7_to_14_days)::integer AS "7_to_14_days", sum(p.open_14_to_30_days)::integer AS "14_to_30_days",
         sum(p.open_over_30_days)::integer AS over_30_days
    FROM environments e
    JOIN comparing_progress p ON p.environment_id = e.environment_id
   WHERE e.retired_at IS NULL
   GROUP BY e.kind
  `,
);

interface SumRow {
  kind: EnvironmentKind;
  '7_to_14_days': number;
  '14_to_30_days': number;
  over_30_days: number;
}

const ages = ['7_to_14_days', '14_to_30_days', 'over_30_days'] as const;

/** Adds up the stored counts. */
export const openPositionsReading = (database: Pick<Database, 'run'>): Reading => ({
  gauges: [
    {
      name: 'contribution_open_positions',
      help: 'Open positions of environments with bank statements, by the age of the contribution: 7_to_14_days, 14_to_30_days or over_30_days. Counted every 6 hours, up to 62 days back.',
      labelNames: ['environment_kind', 'age'],
    },
  ],
  async read() {
    const rows = await database.run<SumRow>(sumCounts, []);
    return [
      environmentKinds.flatMap((kind) => {
        const counts = rows.find((row) => row.kind === kind);
        return ages.map((age) => ({
          labels: { environment_kind: kind, age },
          value: counts?.[age] ?? 0,
        }));
      }),
    ];
  },
});

export function createOpenPositionsStore(database: Pick<Database, 'run'>): OpenPositionsStore {
  return {
    async claim() {
      const [due] = await database.run<{ environment_id: number }>(findDue, []);
      if (!due) return undefined;
      const [claimed] = await database.run<{ environment_id: number }>(claimCount, [due.environment_id]);
      return claimed?.environment_id;
    },
    async finish(environmentId, { from7To14Days, from14To30Days, over30Days }) {
      await database.run(storeCount, [environmentId, from7To14Days, from14To30Days, over30Days]);
    },
  };
}
