import type { ScopeRules } from '../../shared/scopes';

/** The permissions of key pairs for the operations of this feature. */
export const statementScopes = {
  'statements:read': { purposes: ['bank', 'read-only'] },
  'statements:write': { purposes: ['bank'] },
  'reconciliation:resolve': { purposes: ['bank'] },
} as const satisfies Record<string, ScopeRules>;

declare module '../../shared/scopes' {
  interface FeatureScopes extends Record<keyof typeof statementScopes, unknown> {}
}
