import type { EventType } from './event-type.field';

/** An event in the feed of one environment. */
export interface FeedEvent {
  eventId: string;
  sequence: number;
  type: EventType;
  recordedAt: Date;
  transactionId: string;
  data: FeedEventData;
}

/** What this environment may see. Absent members have no value, or are not for this environment. */
export interface FeedEventData {
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

/** A row of the feed. Times within JSON are texts. */
export interface EventRow {
  event_id: string;
  sequence: number | string;
  type: EventType;
  recorded_at: Date | string;
  transaction_id: string;
  data: FeedEventData;
}

export const eventOf = (row: EventRow): FeedEvent => ({
  eventId: row.event_id,
  sequence: Number(row.sequence),
  type: row.type,
  recordedAt: new Date(row.recorded_at),
  transactionId: row.transaction_id,
  data: row.data,
});
