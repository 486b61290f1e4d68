import { type List, rowAsJson } from '../cli/output';
import type { ListedEvent } from '../contribution-lookup/event-lookup.store';

export const prefix = 'contribution.';

/** The type without the common prefix. */
export const shortType = (type: string): string =>
  type.startsWith(prefix) ? type.slice(prefix.length) : type;

export const listedEvents: List<ListedEvent> = {
  name: 'events',
  fields: [
    ['recorded_at', (event) => event.recordedAt, 'WHEN', 'whole'],
    ['type', (event) => event.type],
    [undefined, (event) => shortType(event.type), 'TYPE', 'whole'],
    ['transaction_id', (event) => event.transactionId, 'TRANSACTION_ID', 'whole'],
    ['event_id', (event) => event.eventId],
    ['actor', (event) => event.actor, 'BY'],
    ['actor_api_key', (event) => event.actorApiKey],
    ['evidence', (event) => event.evidence],
    [undefined, (event) => JSON.stringify(event.evidence), 'EVIDENCE'],
    ['company', (event) => event.company, 'COMPANY'],
    ['environment', (event) => event.kind, 'ENVIRONMENT'],
  ],
  whenEmpty: 'No events found.',
};

export const eventAsJson = (event: ListedEvent): Record<string, unknown> => rowAsJson(listedEvents, event);
