import type { EnvironmentKind, RateLimits } from '../../shared/scopes';
import { ConstraintViolation, violates } from '../../db/errors';
import { OperatorError } from '../../shared/operator-error';
import { isUuid } from '../../shared/uuid';
import type { CompaniesStore, Company } from './companies.store';
import type { RateLimitsStore } from '../key-pairs/rate-limits.store';

export type CompaniesService = ReturnType<typeof createCompaniesService>;

/** Why a company cannot be deleted, and what to do instead, by the constraint that rejected it. */
function reasonOf({ constraint }: ConstraintViolation): string {
  if (constraint === 'delete_company_live_key_pairs')
    return 'it has live key pairs. Run companies revoke-keys, then delete it.';
  const instead =
    'Run companies suspend and companies revoke-keys instead, and rename it if another company needs the name.';
  return constraint.startsWith('bank_links_')
    ? `it has or had a bank link, which the other company's records name. ${instead}`
    : `it has contributions, users or events. ${instead}`;
}

export function createCompaniesService(store: CompaniesStore, rateLimits: RateLimitsStore) {
  function rejectUnknown(name: string): never {
    const what = isUuid(name) ? 'with the company_id' : 'named';
    throw new OperatorError(
      `There is no company ${what} "${name}". Run companies list to see all companies.`,
    );
  }

  /**
   * Finds a company by its name or company_id.
   *
   * @throws OperatorError if there is none
   */
  const find = async (name: string): Promise<Company> => (await store.find(name)) ?? rejectUnknown(name);

  /** @throws OperatorError that names the company whose name counts as equal */
  async function rejectTaken(name: string): Promise<never> {
    const { name: taken } = await find(name);
    const why =
      taken === name ? '' : ' Names must differ in more than case, spaces and invisible characters.';
    throw new OperatorError(`A company named "${taken}" already exists.${why}`);
  }

  return {
    /** @throws OperatorError if the name is taken */
    async create(name: string) {
      return (await store.create(name)) ?? rejectTaken(name);
    },

    find,

    /**
     * @returns the former name
     * @throws OperatorError if there is no such company, or another one has the new name
     */
    async rename(name: string, newName: string) {
      try {
        return (await store.rename(name, newName)) ?? rejectUnknown(name);
      } catch (error) {
        if (!(error instanceof ConstraintViolation && error.constraint.startsWith('companies_name_')))
          throw error;
        return rejectTaken(newName);
      }
    },

    /**
     * Deletes a company without contributions.
     *
     * @throws OperatorError if there is no such company, or something refers to it
     */
    async delete(name: string) {
      try {
        return (await store.delete(name)) ?? rejectUnknown(name);
      } catch (error) {
        if (!(error instanceof ConstraintViolation)) throw error;
        throw new OperatorError(`The company "${name}" cannot be deleted: ${reasonOf(error)}`);
      }
    },

    /**
     * Sets the given rate limits of one environment; null restores the service's setting.
     *
     * @throws OperatorError if the company is unknown, or no limit is given
     */
    async setRateLimits(kind: EnvironmentKind, companyName: string, limits: Partial<RateLimits>) {
      if (limits.requestsPerSecond === undefined && limits.completionsPerSecond === undefined) {
        throw new OperatorError('Specify --requests-per-second, --completions-per-second, or both.');
      }
      const { environments } = await find(companyName);
      return rateLimits.set(environments[kind], limits);
    },

    /**
     * @returns false if they were already linked
     * @throws OperatorError if one of the two is unknown, or both are the same
     */
    async linkBank(kind: EnvironmentKind, companyName: string, bankName: string) {
      const [company, bank] = await Promise.all([find(companyName), find(bankName)]);
      try {
        return await store.linkBank(kind, company, bank);
      } catch (error) {
        if (violates(error, 'bank_links_not_itself')) {
          throw new OperatorError(
            'A company cannot be linked to itself. Without a link, it completes its own contributions.',
          );
        }
        throw error;
      }
    },

    /** @throws OperatorError if one of the two is unknown, or there is no such link */
    async unlinkBank(kind: EnvironmentKind, companyName: string, bankName: string) {
      const [company, bank] = await Promise.all([find(companyName), find(bankName)]);
      if (!(await store.unlinkBank(kind, company, bank))) {
        throw new OperatorError(`"${bankName}" is not linked to "${companyName}" for ${kind}.`);
      }
    },
  };
}
