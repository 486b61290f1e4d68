import type { ScopeRules } from '../../shared/scopes';

/** The permissions of key pairs for the operations of this feature. */
export const sandboxScopes = {
  sandbox: { purposes: [], onlyIn: 'test' },
} as const satisfies Record<string, ScopeRules>;

declare module '../../shared/scopes' {
  interface FeatureScopes extends Record<keyof typeof sandboxScopes, unknown> {}
}
