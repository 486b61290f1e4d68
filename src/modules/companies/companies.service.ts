import { type EnvironmentKind, type RateLimits, type Scope, scopes as allScopes } from '../../shared/scopes';
import { ConstraintViolation } from '../../db/errors';
import { OperatorError } from '../../shared/operator-error';
import type { CompaniesStore, Company } from './companies.store';
import { currentPepperVersion, drawKeyPair, hashSecret, type KeyPair, type Peppers } from './credentials';

export { OperatorError };

export interface CompaniesService {
  /** @throws OperatorError when the name is taken */
  create(name: string): Promise<Company>;
  /**
   * Issues a key pair. Its secret is in the answer and nowhere else.
   *
   * @throws OperatorError when the company is unknown, or has two live pairs with these scopes
   */
  issueKeyPair(order: {
    company: string;
    kind: EnvironmentKind;
    scopes: readonly Scope[];
    expiresAt: Date | undefined;
  }): Promise<KeyPair>;
  /** @throws OperatorError when there is no such live pair */
  revokeKeyPair(apiKey: string): Promise<void>;
  /**
   * Sets the rate limits of one environment, as far as they are given; null is the service's own setting.
   *
   * @throws OperatorError when the company is unknown, or nothing is given
   */
  setRateLimits(kind: EnvironmentKind, company: string, limits: Partial<RateLimits>): Promise<RateLimits>;
  /**
   * @returns whether it was not linked before
   * @throws OperatorError when one of the two is unknown, or both are the same
   */
  linkBank(kind: EnvironmentKind, company: string, bank: string): Promise<boolean>;
  /** @throws OperatorError when one of the two is unknown, or there is no such link */
  unlinkBank(kind: EnvironmentKind, company: string, bank: string): Promise<void>;
}

export function createCompaniesService(store: CompaniesStore, peppers: Peppers): CompaniesService {
  async function companyNamed(name: string): Promise<Company> {
    const company = await store.findByName(name);
    if (!company) throw new OperatorError(`There is no company named "${name}". Create it first.`);
    return company;
  }

  return {
    async create(name) {
      const company = await store.create(name);
      if (!company) throw new OperatorError(`There is a company named "${name}" already.`);
      return company;
    },

    async issueKeyPair({ company: name, kind, scopes, expiresAt }) {
      const company = await companyNamed(name);
      const pair = drawKeyPair(kind);
      const pepperVersion = currentPepperVersion(peppers);
      const isAdded = await store.addKeyPair({
        apiKey: pair.apiKey,
        environmentId: company.environments[kind],
        secretHmac: hashSecret(pair.apiSecret, peppers, pepperVersion),
        pepperVersion,
        scopes: allScopes.filter((scope) => scopes.includes(scope)),
        expiresAt,
      });
      if (isAdded) return pair;
      throw new OperatorError(
        `The ${kind} environment of "${name}" has two live key pairs with these scopes. Revoke one first.`,
      );
    },

    async revokeKeyPair(apiKey) {
      if (!(await store.revokeKeyPair(apiKey)))
        throw new OperatorError('There is no live key pair with this API-Key.');
    },

    async setRateLimits(kind, companyName, limits) {
      if (limits.requestsPerSecond === undefined && limits.completionsPerSecond === undefined) {
        throw new OperatorError('Say which rate: --requests-per-second, --completions-per-second, or both.');
      }
      return store.setRateLimits(kind, await companyNamed(companyName), limits);
    },

    async linkBank(kind, companyName, bankName) {
      const [company, bank] = await Promise.all([companyNamed(companyName), companyNamed(bankName)]);
      try {
        return await store.linkBank(kind, company, bank);
      } catch (error) {
        if (error instanceof ConstraintViolation && error.constraint === 'bank_links_not_itself') {
          throw new OperatorError('Without a link a company is its own bank: there is nothing to link.');
        }
        throw error;
      }
    },

    async unlinkBank(kind, companyName, bankName) {
      const [company, bank] = await Promise.all([companyNamed(companyName), companyNamed(bankName)]);
      if (!(await store.unlinkBank(kind, company, bank))) {
        throw new OperatorError(`"${bankName}" is not linked to "${companyName}" for ${kind}.`);
      }
    },
  };
}
