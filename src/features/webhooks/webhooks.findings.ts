import type { Queries } from '../../db/operator-transaction';
import { type WebhookKeys, webhookKeysOf } from './endpoints/webhook-secrets';
import type { webhookSettings } from './webhooks.settings';
import { type Finding, finding, type Findings } from '../../operator/cli/doctor/finding';

export interface WebhookState {
  /** Webhook endpoints whose deliveries are stopped because they fail. */
  failingEndpoints: number;
  /** Endpoints that need a ping before they receive the events that wait for them. */
  unverifiedEndpoints: number;
  /** Other endpoints whose next event has been in the feed for a minute, the latest first. */
  lateEndpoints: string[];
  /** The versions of the master keys that the secrets of enabled endpoints need, in order. */
  webhookKeyVersions: number[];
  /** Running replays that have sent nothing for an hour, each with the reason. */
  stuckReplays: string[];
}

async function readWebhookState(database: Pick<Queries, 'runUnprepared'>): Promise<WebhookState> {
  const [endpoints] = await database.runUnprepared<{ failing: number; unverified: number }>(
    `SELECT (count(*) FILTER (WHERE w.next_probe_at IS NOT NULL))::integer AS failing,
            (count(*) FILTER (WHERE w.verified_at IS NULL AND f.last_sequence > w.position))::integer AS unverified
       FROM webhook_endpoints w LEFT JOIN feeds f ON f.environment_id = w.environment_id
      WHERE w.disabled_at IS NULL`,
    [],
  );
  const late = await database.runUnprepared<{ endpoint: string }>(
    `SELECT format('%s (%s events, %s s)', w.endpoint_id, f.last_sequence - w.position,
              round(extract(epoch FROM clock_timestamp() - next.written_at))) AS endpoint
       FROM webhook_endpoints w
       JOIN feeds f ON f.environment_id = w.environment_id AND f.last_sequence > w.position
       JOIN LATERAL (
         SELECT e.written_at FROM feed_events e
          WHERE e.environment_id = w.environment_id AND e.sequence > w.position ORDER BY e.sequence LIMIT 1
       ) next ON true
      WHERE w.disabled_at IS NULL AND w.next_probe_at IS NULL AND w.verified_at IS NOT NULL
        AND next.written_at < clock_timestamp() - interval '1 minute'
      ORDER BY next.written_at LIMIT 5`,
    [],
  );
  const keys = await database.runUnprepared<{ current: number; previous: number | null }>(
    `SELECT DISTINCT w.key_version AS current,
            CASE WHEN w.previous_secret_until > statement_timestamp() THEN w.previous_key_version END AS previous
       FROM webhook_endpoints w WHERE w.disabled_at IS NULL`,
    [],
  );
  const versions = new Set(keys.flatMap(({ current, previous }) => [current, previous ?? current]));
  const replays = await database.runUnprepared<{ replay: string }>(
    `SELECT format('%s of endpoint %s, whose %s', r.replay_id, r.endpoint_id,
              CASE WHEN w.disabled_at IS NOT NULL THEN 'endpoint is disabled'
                   WHEN w.next_probe_at IS NOT NULL THEN 'deliveries fail'
                   WHEN w.verified_at IS NULL THEN 'endpoint is unverified'
                   ELSE 'turn has not come' END) AS replay
       FROM webhook_replays r
       JOIN webhook_endpoints w ON w.environment_id = r.environment_id AND w.endpoint_id = r.endpoint_id
      WHERE r.ended_at IS NULL AND r.next_attempt_at < clock_timestamp() - interval '1 hour'
        AND (r.leased_until IS NULL OR r.leased_until < clock_timestamp())
      ORDER BY r.next_attempt_at LIMIT 5`,
    [],
  );
  return {
    failingEndpoints: endpoints?.failing ?? 0,
    unverifiedEndpoints: endpoints?.unverified ?? 0,
    lateEndpoints: late.map(({ endpoint }) => endpoint),
    webhookKeyVersions: [...versions].sort((one, other) => one - other),
    stuckReplays: replays.map(({ replay }) => replay),
  };
}

/** Whether partners receive their webhooks. */
export function judgeWebhooks({
  failingEndpoints,
  unverifiedEndpoints,
  lateEndpoints,
}: Pick<WebhookState, 'failingEndpoints' | 'unverifiedEndpoints' | 'lateEndpoints'>): Finding {
  const check = 'webhook endpoints';
  const problems = [
    ...(failingEndpoints === 0
      ? []
      : [
          `${failingEndpoints === 1 ? '1 endpoint fails' : `${failingEndpoints} endpoints fail`}: tell the partners of webhooks list --failing. webhooks enable ENDPOINT_ID retries an endpoint now`,
        ]),
    ...(unverifiedEndpoints === 0
      ? []
      : [
          `${unverifiedEndpoints === 1 ? '1 endpoint is unverified and has' : `${unverifiedEndpoints} endpoints are unverified and have`} waiting events: see webhooks list, and tell the partners to ping them`,
        ]),
    ...(lateEndpoints.length === 0
      ? []
      : [`these are more than a minute late: ${lateEndpoints.join(', ')}. See why with webhooks show`]),
  ];
  return problems.length === 0
    ? finding(check, 'ok', 'none is failing or late, and none waits for a ping')
    : finding(check, 'warning', problems.join('. '));
}

/**
 * Whether the secrets of the endpoints can sign.
 *
 * @param keys undefined if webhooks are disabled
 */
export function judgeWebhookKeys(
  keys: WebhookKeys | undefined,
  { webhookKeyVersions }: Pick<WebhookState, 'webhookKeyVersions'>,
): Finding {
  const check = 'webhook keys';
  if (keys === undefined)
    return finding(check, 'warning', 'WEBHOOK_SECRET_KEYS is not set, so no webhook is delivered');
  const lacking = webhookKeyVersions.filter((version) => !keys.has(version));
  return lacking.length === 0
    ? finding(check, 'ok', 'WEBHOOK_SECRET_KEYS has the key of every enabled endpoint')
    : finding(
        check,
        'problem',
        `enabled endpoints need key version ${lacking.join(', ')}, which is not in WEBHOOK_SECRET_KEYS: add it again, or let the partners rotate their secrets`,
      );
}

/** Whether replays make progress. */
export function judgeReplays({ stuckReplays }: Pick<WebhookState, 'stuckReplays'>): Finding {
  const check = 'webhook replays';
  return stuckReplays.length === 0
    ? finding(check, 'ok', 'none is stuck')
    : finding(
        check,
        'warning',
        `these have sent nothing for an hour: ${stuckReplays.join('; ')}. See alerts.md, ContributionReplayStuck`,
      );
}

/** Whether webhooks are delivered. */
export const webhookFindings: Findings<typeof webhookSettings> = {
  checks: ['webhook endpoints', 'webhook keys', 'webhook replays'],
  async examine(examined, settings) {
    const state = await examined.read(readWebhookState);
    return [
      judgeWebhooks(state),
      judgeWebhookKeys(webhookKeysOf(examined, settings), state),
      judgeReplays(state),
    ];
  },
};
