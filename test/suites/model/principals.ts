import type { EnvironmentKind, Scope } from '../../../src/shared/scopes';

/** Whose transactions, users and key pairs: the five environments that one sequence plays in. */
export const environments = ['owner', 'production', 'bank', 'second', 'stranger'] as const;
export type Environment = (typeof environments)[number];

export type Company = 'owner' | 'bank' | 'second' | 'stranger';

/** Which company an environment belongs to, and of which kind it is. */
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
 * Who sends requests. All of them are about the transactions of the owner's test environment.
 * `restricted` is a pair of the same environment with fewer scopes, `other` the owner's pair of the
 * other environment.
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
];

/** What the pairs of a principal may do. */
export const scopesOf: Record<Principal, readonly Scope[]> = {
  owner: everything,
  bank: everything,
  second: everything,
  restricted: ['projects:read', 'contributions:create'],
  stranger: everything,
  other: everything,
};
