import type { Scope } from './scopes';

/** Classes of requests, by urgency and by how much is known about the sender. */
export const trafficClasses = [
  'completions',
  'creates',
  'health',
  'others',
  'lists',
  'unverified',
  'anonymous',
] as const;
export type TrafficClass = (typeof trafficClasses)[number];

const classes: Partial<Record<Scope, TrafficClass>> = {
  'contributions:complete': 'completions',
  'contributions:create': 'creates',
};

/** The class of an operation: that of its scope, unless its contract sets another. */
export const classOf = ({ scope, trafficClass }: RatedOperation): TrafficClass =>
  trafficClass ?? (scope === null ? undefined : classes[scope]) ?? 'others';

/** The properties of an operation that decide its rate limit. */
export interface RatedOperation {
  /** Null if every pair may use the operation. */
  readonly scope: Scope | null;
  /** Overrides the class that follows from the scope. */
  readonly trafficClass?: TrafficClass;
  /** Present if the operation takes a file. */
  readonly upload?: object;
}

/** The rate limits of an environment. Each operation counts for one. */
export type RatePolicy = 'requests' | 'completions' | 'batches';

/** The rate limit that an operation shares with others. */
export function ratePolicyOf(operation: RatedOperation | undefined): RatePolicy {
  if (operation?.upload) return 'batches';
  return operation && classOf(operation) === 'completions' ? 'completions' : 'requests';
}
