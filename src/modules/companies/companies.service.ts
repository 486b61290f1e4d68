import type { EnvironmentKind, RateLimits } from '../../shared/scopes';
import { ConstraintViolation } from '../../db/errors';
import { OperatorError } from '../../shared/operator-error';
import type { CompaniesStore, Company } from './companies.store';
import type { RateLimitsStore } from '../key-pairs/rate-limits.store';

export interface CompaniesService {
  /** @throws OperatorError if the name is taken */
  create(name: string): Promise<Company>;
  /** @throws OperatorError if no company has this name */
  find(name: string): Promise<Company>;
  /**
   * @returns whether the new name differs from the old one
   * @throws OperatorError if no company has the old name, or another one has the new name
   */
  rename(name: string, newName: string): Promise<boolean>;
  /**
   * Sets the given rate limits of one environment; null restores the service's setting.
   *
   * @throws OperatorError if the company is unknown, or no limit is given
   */
  setRateLimits(kind: EnvironmentKind, company: string, limits: Partial<RateLimits>): Promise<RateLimits>;
  /**
   * @returns false if they were already linked
   * @throws OperatorError if one of the two is unknown, or both are the same
   */
  linkBank(kind: EnvironmentKind, company: string, bank: string): Promise<boolean>;
  /** @throws OperatorError if one of the two is unknown, or there is no such link */
  unlinkBank(kind: EnvironmentKind, company: string, bank: string): Promise<void>;
}

export function createCompaniesService(store: CompaniesStore, rateLimits: RateLimitsStore): CompaniesService {
  async function find(name: string): Promise<Company> {
    const company = await store.findByName(name);
    if (!company)
      throw new OperatorError(
        `There is no company named "${name}". Run companies list to see all companies.`,
      );
    return company;
  }

  return {
    async create(name) {
      const company = await store.create(name);
      if (!company) throw new OperatorError(`A company named "${name}" already exists.`);
      return company;
    },

    find,

    async rename(name, newName) {
      try {
        if (await store.rename(name, newName)) return name !== newName;
      } catch (error) {
        if (!(error instanceof ConstraintViolation && error.constraint === 'companies_name_key')) throw error;
        throw new OperatorError(`A company named "${newName}" already exists.`);
      }
      throw new OperatorError(
        `There is no company named "${name}". Run companies list to see all companies.`,
      );
    },

    async setRateLimits(kind, companyName, limits) {
      if (limits.requestsPerSecond === undefined && limits.completionsPerSecond === undefined) {
        throw new OperatorError('Specify --requests-per-second, --completions-per-second, or both.');
      }
      const { environments } = await find(companyName);
      return rateLimits.set(environments[kind], limits);
    },

    async linkBank(kind, companyName, bankName) {
      const [company, bank] = await Promise.all([find(companyName), find(bankName)]);
      try {
        return await store.linkBank(kind, company, bank);
      } catch (error) {
        if (error instanceof ConstraintViolation && error.constraint === 'bank_links_not_itself') {
          throw new OperatorError(
            'A company cannot be linked to itself. Without a link, it completes its own contributions.',
          );
        }
        throw error;
      }
    },

    async unlinkBank(kind, companyName, bankName) {
      const [company, bank] = await Promise.all([find(companyName), find(bankName)]);
      if (!(await store.unlinkBank(kind, company, bank))) {
        throw new OperatorError(`"${bankName}" is not linked to "${companyName}" for ${kind}.`);
      }
    },
  };
}
