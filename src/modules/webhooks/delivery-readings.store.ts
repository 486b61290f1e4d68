import type { Database } from '../../db/pool/database';
import { statement } from '../../db/statement';

/** What the metrics show about deliveries. Each reading covers all environments. */
export interface DeliveryReadingsStore {
  /** The number of enabled endpoints whose deliveries are stopped. */
  failingCount: () => Promise<number>;
  /** The age of the oldest event that waits for an enabled endpoint that is not failing. */
  lagSeconds: () => Promise<number>;
}

const countFailing = statement(
  'count_failing_webhook_endpoints',
  `
  SELECT count(*)::integer AS count FROM webhook_endpoints w
   WHERE w.environment_id = w.environment_id AND w.next_probe_at IS NOT NULL AND w.disabled_at IS NULL
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
   WHERE w.disabled_at IS NULL AND w.next_probe_at IS NULL AND w.verified_at IS NOT NULL
  `,
);

export function createDeliveryReadingsStore(database: Pick<Database, 'run'>): DeliveryReadingsStore {
  return {
    async failingCount() {
      return (await database.run<{ count: number }>(countFailing, []))[0]?.count ?? 0;
    },
    async lagSeconds() {
      const [row] = await database.run<{ seconds: number }>(readLag, []);
      return Math.max(0, row?.seconds ?? 0);
    },
  };
}
