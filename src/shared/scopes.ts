/**
 * What a key pair may do. The order is the canonical one in which the database keeps a set of them.
 */
export const scopes = [
  'projects:read',
  'contributions:create',
  'contributions:read',
  'contributions:complete',
] as const;

export type Scope = (typeof scopes)[number];

/** The two environments that every company has (specification 5.2). */
export const environmentKinds = ['production', 'test'] as const;

export type EnvironmentKind = (typeof environmentKinds)[number];

/** What an operator has set for one environment; null where the service's own setting counts. */
export interface RateLimits {
  readonly requestsPerSecond: number | null;
  readonly completionsPerSecond: number | null;
}

/** Who sends a request: what a verified key pair says about its owner. */
export interface Principal {
  readonly apiKey: string;
  readonly environmentId: number;
  readonly environmentKind: EnvironmentKind;
  readonly transactionTag: string;
  readonly scopes: readonly Scope[];
  readonly rateLimits: RateLimits;
}
