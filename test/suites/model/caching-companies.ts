import { createOperatorDatabase } from '../../../src/db/operator-database';
import {
  type CompaniesService,
  createCompaniesService,
} from '../../../src/modules/companies/companies.service';
import { type Company, createCompaniesStore } from '../../../src/modules/companies/companies.store';
import { createKeyPairLifecycleStore } from '../../../src/modules/key-pairs/key-pair-lifecycle.store';
import {
  createKeyPairsService,
  type KeyPairsService,
} from '../../../src/modules/key-pairs/key-pairs.service';
import { createListedKeyPairsStore } from '../../../src/modules/key-pairs/listed-key-pairs.store';
import { createRateLimitsStore } from '../../../src/modules/key-pairs/rate-limits.store';
import { testPeppers, type TestService } from '../../support/service';

/**
 * Caches companies by name for the operator's commands, which look them up every time. Companies
 * never change here, so the cache saves a third of all statements.
 */
export function createRememberingCompanies(service: TestService): {
  companies: CompaniesService;
  keyPairs: KeyPairsService;
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
  const companies = createCompaniesService(remembering, createRateLimitsStore(database));
  const keyPairs = createKeyPairsService({
    companies,
    lifecycle: createKeyPairLifecycleStore(database),
    listed: createListedKeyPairsStore(database),
    peppers: testPeppers,
  });
  return { companies, keyPairs, close: () => database.close() };
}
