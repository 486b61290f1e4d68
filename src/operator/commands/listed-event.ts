import type { ListedEvent } from '../contribution-lookup/event-lookup.store';

export const prefix = 'contribution.';

/** The type without the common prefix. */
export const shortType = (type: string): string =>
  type.startsWith(prefix) ? type.slice(prefix.length) : type;

export const eventAsJson = (event: ListedEvent): Record<string, unknown> => ({
  event_id: event.eventId,
  type: event.type,
  recorded_at: event.recordedAt,
  company: event.company,
  environment: event.kind,
  transaction_id: event.transactionId,
  actor: event.actor,
  actor_api_key: event.actorApiKey,
  evidence: event.evidence,
});
