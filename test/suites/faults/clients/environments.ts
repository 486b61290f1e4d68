import type { KeyPair } from './http';

/** A company's environment as the clients see it. */
export interface TenantEnvironment {
  readonly environmentId: number;
  /** Who creates. */
  readonly company: KeyPair;
  /** Who completes: the bank, or the company itself when it has none. */
  readonly completer: KeyPair;
  readonly completerEnvironmentId: number;
  readonly hasBank: boolean;
  /** Somebody to whom nothing of this exists. */
  readonly stranger: KeyPair;
}

export interface Tenants {
  readonly environments: readonly TenantEnvironment[];
  readonly activeProjects: readonly number[];
}
