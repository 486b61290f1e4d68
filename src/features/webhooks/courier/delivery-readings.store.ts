import type { Database } from '../../../db/pool/database';
import { query } from '../../../db/query';
import { type Reading, readNumber } from '../../../metrics/readings';
import { isNotFrozen } from '../endpoints/not-frozen.query';
import { createReplayLaneStore } from '../replays/replay-lane.store';

const countFailing = query(
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

const readLag = query(
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

/** What the metrics show about deliveries. Each reading covers all environments. */
export const createDeliveryReadings = (database: Pick<Database, 'run'>): Reading[] => [
  {
    gauges: [
      {
        name: 'contribution_failing_webhook_endpoints',
        help: 'Webhook endpoints of the installation with the status failing.',
      },
      {
        name: 'contribution_failing_webhook_companies',
        help: 'Companies with a webhook endpoint in production that began to fail less than a day ago.',
      },
    ],
    async read() {
      const [row] = await database.run<{ endpoints: number; companies: number }>(countFailing, []);
      return [[{ value: row?.endpoints ?? 0 }], [{ value: row?.companies ?? 0 }]];
    },
  },
  readNumber(
    'contribution_webhook_lag_seconds',
    'Age of the oldest event that waits for an enabled webhook endpoint that is not failing; 0 if there is none.',
    async () => {
      const [row] = await database.run<{ seconds: number }>(readLag, []);
      return Math.max(0, row?.seconds ?? 0);
    },
  ),
  readNumber(
    'contribution_webhook_replay_wait_seconds',
    'Longest time for which a running replay has sent nothing although it was due; 0 if there is none.',
    createReplayLaneStore(database).longestWaitSeconds,
  ),
];
