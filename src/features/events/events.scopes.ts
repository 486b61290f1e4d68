import type { ScopeRules } from '../../shared/scopes';

/** The permissions of key pairs for the operations of this feature. */
export const eventScopes = {
  'events:read': { purposes: ['sdk', 'bank', 'read-only'] },
} as const satisfies Record<string, ScopeRules>;

declare module '../../shared/scopes' {
  interface FeatureScopes extends Record<keyof typeof eventScopes, unknown> {}
}
