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
