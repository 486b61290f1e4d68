import type { z } from 'zod';

import type { bankLinkData, deliveryData, endpointData, sandboxData, statementDayData } from './event.fields';
import type {
  BankLinkEventType,
  ContributionEventType,
  EventType,
  SandboxEventType,
  StatementDayEventType,
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
  | Event<StatementDayEventType, StatementDayEventData>
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

/** The function `environment_event_problem` ensures that the data has exactly these members. */
export type BankLinkEventData = Omit<z.output<typeof bankLinkData>, 'mistake'> & {
  /** Only for a link that was voided. */
  mistake?: true;
};
export type SandboxEventData = z.output<typeof sandboxData>;
export type StatementDayEventData = z.output<typeof statementDayData>;
export type WebhookEndpointEventData = z.output<typeof endpointData>;
export type WebhookDeliveryEventData = z.output<typeof deliveryData>;

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
 * The subject of an event: a contribution, an endpoint, an account or a bank. Events of a subject
 * keep their order.
 */
export function subjectOf(event: FeedEvent): string {
  if (event.transactionId !== null) return event.transactionId;
  const { data } = event;
  if ('endpoint_id' in data) return data.endpoint_id;
  return 'account_id' in data ? data.account_id : data.bank_company_id;
}

/** The SQL expression for the subject. `row` is the alias of a row of the feed. */
export const subjectColumn = (row: string): string =>
  `COALESCE(${row}.transaction_id, ${row}.data ->> 'endpoint_id', ${row}.data ->> 'account_id',
    ${row}.data ->> 'bank_company_id')`;
