import type { Database } from '../../db/pool/database';
import { query } from '../../db/query';
import type { Reading } from '../../metrics/readings';
import { type EnvironmentKind, environmentKinds } from '../../shared/scopes';

// $1 the age in hours at which a contribution is overdue, at least 1. The partial index
// transactions_pending_by_creation contains exactly the rows that this query reads.
const countPendingContributions = query(
  'count_pending_transactions',
  `SELECT e.kind,
          count(*) FILTER (WHERE aged.is_new)::integer AS under_1_hour,
          count(*) FILTER (WHERE NOT aged.is_overdue AND NOT aged.is_new)::integer AS over_1_hour,
          count(*) FILTER (WHERE aged.is_overdue)::integer AS overdue
     FROM environments e
     JOIN transactions t ON t.environment_id = e.environment_id
    CROSS JOIN LATERAL (
          SELECT t.created_at > now() - interval '1 hour' AS is_new,
                 t.created_at < now() - make_interval(hours => $1::integer) AS is_overdue) aged
    WHERE t.status = 'pending' AND e.retired_at IS NULL
    GROUP BY e.kind`,
);

interface CountRow {
  kind: EnvironmentKind;
  under_1_hour: number;
  over_1_hour: number;
  overdue: number;
}

/** Counts the pending contributions of all companies by age. Reads only pending rows. */
export const pendingContributionsReading = (database: Database, overdueAfterHours: number): Reading => ({
  gauges: [
    {
      name: 'contribution_pending_transactions',
      help: 'Pending contributions of the installation by age.',
      labelNames: ['environment_kind', 'age'],
    },
  ],
  async read() {
    const rows = await database.run<CountRow>(countPendingContributions, [overdueAfterHours]);
    return [
      environmentKinds.flatMap((kind) => {
        const { under_1_hour, over_1_hour, overdue } = rows.find((row) => row.kind === kind) ?? {
          under_1_hour: 0,
          over_1_hour: 0,
          overdue: 0,
        };
        return Object.entries({ under_1_hour, over_1_hour, overdue }).map(([age, value]) => ({
          labels: { environment_kind: kind, age },
          value,
        }));
      }),
    ];
  },
});
