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
export const classOfScope = (scope: Scope): TrafficClass => classes[scope] ?? 'others';
