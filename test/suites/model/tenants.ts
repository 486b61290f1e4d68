import { companyOf, type Company, environments, kindOf, type Environment } from './principals';
import type { Shared } from './service-under-test';

/** The four companies of one sequence, which no other sequence uses. */
export interface Tenants {
  readonly names: Readonly<Record<Company, string>>;
  /** The environment_id of each environment. */
  readonly ids: Readonly<Record<Environment, number>>;
}

let count = 0;

/** Creates the companies, without key pairs and links. */
export async function createTenants({ companies }: Shared): Promise<Tenants> {
  count += 1;
  const names = {
    owner: `Owner ${count}`,
    bank: `Bank ${count}`,
    second: `Second ${count}`,
    stranger: `Stranger ${count}`,
  };
  const [owner, bank, second, stranger] = await Promise.all([
    companies.create(names.owner),
    companies.create(names.bank),
    companies.create(names.second),
    companies.create(names.stranger),
  ]);
  const made = { owner, bank, second, stranger };
  const ids = environments.map((environment) => [
    environment,
    made[companyOf[environment]].environments[kindOf[environment]],
  ]);
  return { names, ids: Object.fromEntries(ids) as Record<Environment, number> };
}
