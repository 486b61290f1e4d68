import type { EventType } from '../../events/event-type.field';
import type { ReplayOnly, ReplayStatus } from './replay-status.field';

/** The part of a feed to repeat. */
export interface ReplayedPart {
  /** Sequence numbers of the first and the last event. Without events, the last one is lower. */
  fromSequence: number;
  toSequence: number;
  /** Empty for all types. */
  types: readonly EventType[];
  /** `exhausted`: only events that the service stopped retrying. */
  only: ReplayOnly;
}

/** A repeat of a part of a feed to one endpoint. */
export interface WebhookReplay extends ReplayedPart {
  environmentId: number;
  replayId: string;
  endpointId: string;
  status: ReplayStatus;
  /** The number of events that the replay had at its creation. */
  eventCount: number;
  /** Every event of the replay up to this number was delivered or skipped. */
  position: number;
  deliveredCount: number;
  skippedCount: number;
  createdAt: Date;
  endedAt: Date | null;
}

/** A replay covers at most this many sequence numbers of the feed. */
export const mostReplayed = 1_000_000;
