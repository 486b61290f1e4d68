import type { Database } from '../../db/pool/database';
import { statement } from '../../db/statement';
import { isNotFrozen } from './not-frozen.statement';

export interface FailingEndpoints {
  /** Enabled endpoints whose deliveries are stopped. */
  endpoints: number;
  /** Companies with such an endpoint in production that began to fail less than a day ago. */
  companies: number;
}

/** What the metrics show about deliveries. Each reading covers all environments. */
export interface DeliveryReadingsStore {
  failing: () => Promise<FailingEndpoints>;
  /** The age of the oldest event that waits for an enabled endpoint that is not failing. */
  lagSeconds: () => Promise<number>;
}

const countFailing = statement(
  'count_failing_webhook_endpoints',
  `
  SELECT count(*)::integer AS endpoints,
         -- A company has one production environment.
         count(DISTINCT w.environment_id) FILTER (
           WHERE w.environment_kind = 'production' AND w.failing_since > statement_timestamp() - interval '1 day'
         )::integer AS companies
    FROM webhook_endpoints w
   WHERE w.next_probe_at IS NOT NULL AND w.disabled_at IS NULL ${isNotFrozen('w')}
  `,
);

const readLag = statement(
  'read_webhook_lag',
  `
  SELECT COALESCE(max(extract(epoch FROM statement_timestamp() - next.written_at)), 0)::float8 AS seconds
    FROM webhook_endpoints w
    JOIN feeds f ON f.environment_id = w.environment_id AND f.last_sequence > w.position
    JOIN LATERAL (
      SELECT e.written_at FROM feed_events e
       WHERE e.environment_id = w.environment_id AND e.sequence > w.position ORDER BY e.sequence LIMIT 1
    ) next ON true
   WHERE w.disabled_at IS NULL AND w.next_probe_at IS NULL AND w.verified_at IS NOT NULL ${isNotFrozen('w')}
  `,
);

export function createDeliveryReadingsStore(database: Pick<Database, 'run'>): DeliveryReadingsStore {
  return {
    async failing() {
      const [row] = await database.run<FailingEndpoints>(countFailing, []);
      return row ?? { endpoints: 0, companies: 0 };
    },
    async lagSeconds() {
      const [row] = await database.run<{ seconds: number }>(readLag, []);
      return Math.max(0, row?.seconds ?? 0);
    },
  };
}
