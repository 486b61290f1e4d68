/** The permissions of key pairs, in the order in which the database stores them. */
export const scopes = [
  'projects:read',
  'contributions:create',
  'contributions:read',
  'contributions:complete',
  'contributions:return',
  'events:read',
  'webhooks:manage',
  'statements:read',
  'statements:write',
  'reconciliation:resolve',
  'sandbox',
] as const;

export type Scope = (typeof scopes)[number];

/** The two environments that every company has (specification 5.2). */
export const environmentKinds = ['production', 'test'] as const;

export type EnvironmentKind = (typeof environmentKinds)[number];

/** The scopes that only pairs of the test environment can have. */
const testScopes: readonly Scope[] = ['sandbox'];

/** All scopes that a pair of this kind can have. */
export const scopesOfKind = (kind: EnvironmentKind): Scope[] =>
  scopes.filter((scope) => kind === 'test' || !testScopes.includes(scope));

/**
 * The scopes that a new pair of this kind gets by default. A leaked pair must not be able to send
 * events to another address. Therefore, only an operator grants `webhooks:manage`.
 */
export const defaultScopes = (kind: EnvironmentKind): Scope[] =>
  scopesOfKind(kind).filter((scope) => scope !== 'webhooks:manage');

/** What operators issue pairs for. */
export const purposes = ['sdk', 'bank', 'read-only', 'everything'] as const;

export type Purpose = (typeof purposes)[number];

const scopesByPurpose: Record<Exclude<Purpose, 'everything'>, readonly Scope[]> = {
  sdk: ['projects:read', 'contributions:create', 'contributions:read', 'events:read'],
  bank: [
    'contributions:read',
    'contributions:complete',
    'contributions:return',
    'events:read',
    'statements:read',
    'statements:write',
    'reconciliation:resolve',
  ],
  'read-only': ['projects:read', 'contributions:read', 'events:read', 'statements:read'],
};

/** The scopes of a new pair for this purpose. */
export const scopesFor = (purpose: Purpose, kind: EnvironmentKind): readonly Scope[] =>
  purpose === 'everything' ? defaultScopes(kind) : scopesByPurpose[purpose];

/** An operator's limits for one environment; null where the service's settings apply. */
export interface RateLimits {
  readonly requestsPerSecond: number | null;
  readonly completionsPerSecond: number | null;
}

/** The verified sender of a request. */
export interface Principal {
  readonly apiKey: string;
  readonly environmentId: number;
  readonly environmentKind: EnvironmentKind;
  readonly transactionTag: string;
  readonly scopes: readonly Scope[];
  readonly rateLimits: RateLimits;
  /**
   * The operations that had armed faults when the key pair was read. Always empty in production.
   */
  readonly faultyOperations: readonly string[];
  /** Whether its company was frozen when the key pair was read. */
  readonly isFrozen: boolean;
}
