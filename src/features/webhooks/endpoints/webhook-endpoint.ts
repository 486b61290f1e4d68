import type { EnvironmentKind } from '../../../shared/scopes';
import type { EventType } from '../../events/event-type.field';
import type { DisabledReason } from './webhook-status.field';

/** An address to which a partner's events are delivered. */
export interface WebhookEndpoint {
  environmentId: number;
  environmentKind: EnvironmentKind;
  endpointId: string;
  url: string;
  /** Empty for all types. */
  types: EventType[];
  description: string | null;
  createdAt: Date;
  updatedAt: Date;
  /** An endpoint gets events only after a ping has succeeded. */
  verifiedAt: Date | null;
  disabledAt: Date | null;
  disabledReason: DisabledReason | null;
  secretVersion: number;
  keyVersion: number;
  previousKeyVersion: number | null;
  previousSecretUntil: Date | null;
  /** The sequence number of the last handled event in the environment's feed. */
  position: number;
  deliveredAt: Date | null;
  failingSince: Date | null;
  nextProbeAt: Date | null;
}

/** The maximum number of endpoints of an environment. */
export const mostEndpoints = 10;
