import type { WebhookEndpoint } from './webhook-endpoint';
import type { WebhookStatus } from './webhook-status.field';

const time = (at: Date | null): string | null => at?.toISOString() ?? null;

export function statusOf(endpoint: WebhookEndpoint): WebhookStatus {
  if (endpoint.disabledAt) return 'disabled';
  if (!endpoint.verifiedAt) return 'unverified';
  return endpoint.nextProbeAt ? 'failing' : 'enabled';
}

export const presentEndpoint = (endpoint: WebhookEndpoint) => ({
  endpoint_id: endpoint.endpointId,
  url: endpoint.url,
  types: endpoint.types,
  description: endpoint.description,
  status: statusOf(endpoint),
  disabled_reason: endpoint.disabledReason,
  disabled_at: time(endpoint.disabledAt),
  failing_since: time(endpoint.failingSince),
  next_attempt_at: time(endpoint.nextProbeAt),
  position: endpoint.position,
  last_delivered_at: time(endpoint.deliveredAt),
  secret_version: endpoint.secretVersion,
  previous_secret_expires_at: time(endpoint.previousSecretUntil),
  created_at: endpoint.createdAt.toISOString(),
  updated_at: endpoint.updatedAt.toISOString(),
});
