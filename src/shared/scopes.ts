/** The two environments that every company has (specification 5.2). */
export const environmentKinds = ['production', 'test'] as const;

export type EnvironmentKind = (typeof environmentKinds)[number];

/** What operators issue pairs for. */
export const purposes = ['sdk', 'bank', 'read-only', 'everything'] as const;

export type Purpose = (typeof purposes)[number];

/** Who gets a scope. */
export interface ScopeRules {
  /** A pair for `everything` gets it too, unless only an operator grants it. */
  readonly purposes: readonly Exclude<Purpose, 'everything'>[];
  /** Only pairs of this environment can have it. */
  readonly onlyIn?: EnvironmentKind;
  /** An operator names it when issuing a pair, because a leaked pair could do harm with it. */
  readonly isNamed?: boolean;
}

/** The permissions of key pairs for the core, in the order in which the database stores them. */
export const coreScopes = {
  'projects:read': { purposes: ['sdk', 'read-only'] },
  'contributions:create': { purposes: ['sdk'] },
  'contributions:read': { purposes: ['sdk', 'bank', 'read-only'] },
  'contributions:complete': { purposes: ['bank'] },
} as const satisfies Record<string, ScopeRules>;

/** The scopes that features add: the file of a feature extends this. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- it is extended elsewhere
export interface FeatureScopes {}

export type Scope = keyof typeof coreScopes | keyof FeatureScopes;

export interface Scopes {
  /** In the order in which the database stores them. */
  readonly all: readonly Scope[];
  /** All scopes that a pair of this kind can have. */
  readonly ofKind: (kind: EnvironmentKind) => Scope[];
  /** The scopes that a new pair of this kind gets by default. */
  readonly byDefault: (kind: EnvironmentKind) => Scope[];
  /** The scopes of a new pair for this purpose. */
  readonly for: (purpose: Purpose, kind: EnvironmentKind) => readonly Scope[];
}

/** @param ofFeatures the scopes that features add */
export function createScopes(ofFeatures: readonly Readonly<Record<string, ScopeRules>>[]): Scopes {
  const rules = Object.assign({}, coreScopes, ...ofFeatures) as Readonly<Record<Scope, ScopeRules>>;
  const all = Object.keys(rules) as Scope[];
  const ofKind = (kind: EnvironmentKind) => all.filter((scope) => (rules[scope].onlyIn ?? kind) === kind);
  const byDefault = (kind: EnvironmentKind) => ofKind(kind).filter((scope) => !rules[scope].isNamed);
  return {
    all,
    ofKind,
    byDefault,
    for: (purpose, kind) =>
      purpose === 'everything'
        ? byDefault(kind)
        : all.filter((scope) => rules[scope].purposes.includes(purpose)),
  };
}

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
