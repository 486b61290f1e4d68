import { createOperatorDatabase } from '../../src/db/operator-database';
import { type CompaniesService, createCompaniesService } from '../../src/modules/companies/companies.service';
import { type Company, createCompaniesStore } from '../../src/modules/companies/companies.store';
import { testPeppers, type TestService } from '../support/service';

/**
 * The service behind the operator's commands. It looks companies up by name with every command; what a company is never
 * changes, so here that is remembered, which saves a third of all statements.
 */
export function createRememberingCompanies(service: TestService): {
  companies: CompaniesService;
  close(): Promise<void>;
} {
  const database = createOperatorDatabase(service.database.ownerUrl);
  const store = createCompaniesStore(database);
  const known = new Map<string, Company>();
  const remembering = {
    ...store,
    async create(name: string) {
      const company = await store.create(name);
      if (company) known.set(name, company);
      return company;
    },
    findByName: async (name: string) => known.get(name) ?? store.findByName(name),
  };
  return { companies: createCompaniesService(remembering, testPeppers), close: () => database.close() };
}
