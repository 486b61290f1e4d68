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
  'contributions:return': 'completions',
  'contributions:create': 'creates',
};

/** The class of requests with this scope, unless their contract sets another. */
export const classOfScope = (scope: Scope | null): TrafficClass =>
  (scope === null ? undefined : classes[scope]) ?? 'others';

/** The properties of an operation that decide its rate limit. */
export interface RatedOperation {
  /** Null if every pair may use the operation. */
  readonly scope: Scope | null;
  /** Present if the operation takes a file. */
  readonly upload?: object;
}

/** The rate limits of an environment. Each operation counts for one. */
export type RatePolicy = 'requests' | 'completions' | 'batches';

/** The rate limit that an operation shares with others. */
export function ratePolicyOf(operation: RatedOperation | undefined): RatePolicy {
  if (operation?.upload) return 'batches';
  return operation && classOfScope(operation.scope) === 'completions' ? 'completions' : 'requests';
}
