import type { ScopeRules } from '../../shared/scopes';

/** The permissions of key pairs for the operations of this feature. */
export const webhookScopes = {
  // A leaked pair must not be able to send events to another address.
  'webhooks:manage': { purposes: [], isNamed: true },
} as const satisfies Record<string, ScopeRules>;

declare module '../../shared/scopes' {
  interface FeatureScopes extends Record<keyof typeof webhookScopes, unknown> {}
}
