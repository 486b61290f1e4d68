import type { EnvironmentKind, Scope } from '../../../src/shared/scopes';

/** The five environments of a sequence, which own transactions, users and key pairs. */
export const environments = ['owner', 'production', 'bank', 'second', 'stranger'] as const;
export type Environment = (typeof environments)[number];

export type Company = 'owner' | 'bank' | 'second' | 'stranger';

/** The company and the kind of each environment. */
export const companyOf: Record<Environment, Company> = {
  owner: 'owner',
  production: 'owner',
  bank: 'bank',
  second: 'second',
  stranger: 'stranger',
};
export const kindOf: Record<Environment, EnvironmentKind> = {
  owner: 'test',
  production: 'production',
  bank: 'test',
  second: 'test',
  stranger: 'test',
};

/**
 * The senders of requests. All requests are about the owner's test environment. `restricted` is a
 * key pair of that environment with fewer scopes; `other` is the owner's key pair of the other
 * environment.
 */
export const principals = ['owner', 'bank', 'restricted', 'stranger', 'other'] as const;

/** These, and the second bank, which only contests completions. */
export type Principal = (typeof principals)[number] | 'second';

export const environmentOf: Record<Principal, Environment> = {
  owner: 'owner',
  bank: 'bank',
  second: 'second',
  restricted: 'owner',
  stranger: 'stranger',
  other: 'production',
};

const everything: readonly Scope[] = [
  'projects:read',
  'contributions:create',
  'contributions:read',
  'contributions:complete',
  'contributions:return',
];

/** The scopes of a principal's key pairs. */
export const scopesOf: Record<Principal, readonly Scope[]> = {
  owner: everything,
  bank: everything,
  second: everything,
  restricted: ['projects:read', 'contributions:create'],
  stranger: everything,
  other: everything,
};
