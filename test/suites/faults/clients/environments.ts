import type { KeyPair } from './http';

/** A company's environment as the clients see it. */
export interface TenantEnvironment {
  readonly environmentId: number;
  /** The client that creates. */
  readonly company: KeyPair;
  /** The client that completes: the bank, or the company itself if it has none. */
  readonly completer: KeyPair;
  readonly completerEnvironmentId: number;
  readonly hasBank: boolean;
  /** Another company, which must find none of this. */
  readonly stranger: KeyPair;
}

export interface Tenants {
  readonly environments: readonly TenantEnvironment[];
  readonly activeProjects: readonly number[];
}
