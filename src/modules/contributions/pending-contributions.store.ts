import type { Database } from '../../db/pool/database';
import { statement } from '../../db/statement';
import type { EnvironmentKind } from '../../shared/scopes';

/** The number of pending contributions of all companies, by age. */
export interface PendingContributions {
  readonly kind: EnvironmentKind;
  readonly under1Hour: number;
  /** The number that is older than 1 hour, but not overdue. */
  readonly over1Hour: number;
  readonly overdue: number;
}

export interface PendingContributionsStore {
  /** One row for each kind of environment with pending contributions. Reads only pending rows. */
  count: () => Promise<PendingContributions[]>;
}

// $1 the age in hours at which a contribution is overdue, at least 1. The partial index
// transactions_pending_by_creation contains exactly the rows that this statement reads.
const countPendingContributions = statement(
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

export function createPendingContributionsStore(
  database: Database,
  overdueAfterHours: number,
): PendingContributionsStore {
  return {
    async count() {
      const rows = await database.run<CountRow>(countPendingContributions, [overdueAfterHours]);
      return rows.map((row) => ({
        kind: row.kind,
        under1Hour: row.under_1_hour,
        over1Hour: row.over_1_hour,
        overdue: row.overdue,
      }));
    },
  };
}
