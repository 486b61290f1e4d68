import type {
  BankLinkEventType,
  ContributionEventType,
  EventType,
  SandboxEventType,
  WebhookDeliveryEventType,
  WebhookEndpointEventType,
} from './event-type.field';

interface Event<Type extends EventType, Data> {
  eventId: string;
  sequence: number;
  type: Type;
  recordedAt: Date;
  data: Data;
}

export interface ContributionEvent extends Event<ContributionEventType, ContributionEventData> {
  transactionId: string;
}

/** An event that concerns no contribution. */
export type EnvironmentEvent = { transactionId: null } & (
  | Event<BankLinkEventType, BankLinkEventData>
  | Event<WebhookEndpointEventType, WebhookEndpointEventData>
  | Event<WebhookDeliveryEventType, WebhookDeliveryEventData>
  | Event<SandboxEventType, SandboxEventData>
);

/** An event in the feed of one environment. */
export type FeedEvent = ContributionEvent | EnvironmentEvent;

/** The data that this environment may see. A member is absent if it has no value or is hidden. */
export interface ContributionEventData {
  company_id: string;
  project_id: number;
  amount_cents: number;
  stated_amount_cents?: number;
  bank_reference?: string;
  value_date?: string;
  return_id?: string;
  undoes?: string;
  kind?: string;
  code?: string;
  idempotency_key?: string | null;
}

/** The data of a link event. It is stored with the names that partners see. */
export interface BankLinkEventData {
  company_id: string;
  bank_company_id: string;
  linked_at: string;
  unlinked_at: string | null;
  /** Only for a link that was voided. */
  mistake?: true;
}

/** A reset of a company's test environment, for its bank. */
export interface SandboxEventData {
  company_id: string;
  bank_company_id: string;
  reset_at: string;
  generation: number;
}

export interface WebhookEndpointEventData {
  endpoint_id: string;
  failing_since: string | null;
  disables_at: string | null;
  disabled_reason: string | null;
}

export interface WebhookDeliveryEventData {
  endpoint_id: string;
  event_id: string;
  event_type: string;
  transaction_id: string | null;
  attempts: number;
  failure: string;
  status: number | null;
}

/** The columns of an event, the row `e` of the feed. */
export const eventColumns = `e.event_id AS "eventId", e.sequence, e.type, e.recorded_at AS "recordedAt",
  e.transaction_id AS "transactionId", e.data`;

/** A row of the feed. Times within JSON are text. */
export type EventRow = Omit<FeedEvent, 'sequence' | 'recordedAt'> & {
  sequence: number | string;
  recordedAt: Date | string;
};

/** The cast is safe, because the relay writes the data that belongs to the type. */
export const eventOf = ({ eventId, sequence, type, recordedAt, transactionId, data }: EventRow): FeedEvent =>
  ({
    ...{ eventId, sequence: Number(sequence), type, recordedAt: new Date(recordedAt), transactionId, data },
  }) as FeedEvent;

/**
 * The subject of an event: a contribution, an endpoint or a bank. Events of a subject keep their
 * order.
 */
export function subjectOf(event: FeedEvent): string {
  if (event.transactionId !== null) return event.transactionId;
  return 'endpoint_id' in event.data ? event.data.endpoint_id : event.data.bank_company_id;
}

/** The SQL expression for the subject. `row` is the alias of a row of the feed. */
export const subjectColumn = (row: string): string =>
  `COALESCE(${row}.transaction_id, ${row}.data ->> 'endpoint_id', ${row}.data ->> 'bank_company_id')`;
