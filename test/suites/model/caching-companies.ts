import { listScopes } from '../../../src/contracts';
import { createOperatorDatabase } from '../../../src/db/operator-database';
import { inOperatorTransaction } from '../../../src/db/operator-transaction';
import { createBankLinksLookupStore } from '../../../src/core/companies/bank-links-lookup.store';
import { createBankLinksService, type NamedLink } from '../../../src/core/companies/bank-links.service';
import { createBankLinksStore } from '../../../src/core/companies/bank-links.store';
import { type CompaniesService, createCompaniesService } from '../../../src/core/companies/companies.service';
import {
  type CompaniesStore,
  type Company,
  createCompaniesStore,
} from '../../../src/core/companies/companies.store';
import { createKeyPairLifecycleStore } from '../../../src/core/key-pairs/key-pair-lifecycle.store';
import { createKeyPairsService, type KeyPairsService } from '../../../src/core/key-pairs/key-pairs.service';
import { createListedKeyPairsStore } from '../../../src/core/key-pairs/listed-key-pairs.store';
import { createRateLimitsStore } from '../../../src/core/key-pairs/rate-limits.store';
import { testPeppers, type TestService } from '../../support/service';

/**
 * Caches companies by name for the operator's commands, which look them up every time. Companies
 * never change here, so the cache saves a third of all statements.
 */
export function createRememberingCompanies(service: TestService): {
  companies: CompaniesService;
  voidLink: (link: NamedLink) => Promise<unknown>;
  keyPairs: KeyPairsService;
  close(): Promise<void>;
} {
  const database = createOperatorDatabase(service.database.ownerUrl);
  const store = createCompaniesStore(database);
  const known = new Map<string, Company>();
  // One transaction for each change of a link, like the operator's commands: its lock orders them.
  const inTransaction = <T>(work: (store: CompaniesStore) => Promise<T>): Promise<T> =>
    inOperatorTransaction(service.database.ownerUrl, 'write', (statements) =>
      work(createCompaniesStore(statements)),
    );
  const remembering: CompaniesStore = {
    ...store,
    async create(name: string) {
      const company = await store.create(name);
      if (company) known.set(name, company);
      return company;
    },
    find: async (name: string) => known.get(name) ?? store.find(name),
    linkBank: (...link) => inTransaction((inside) => inside.linkBank(...link)),
    unlinkBank: (...link) => inTransaction((inside) => inside.unlinkBank(...link)),
  };
  const companies = createCompaniesService(remembering, createRateLimitsStore(database));
  const keyPairs = createKeyPairsService({
    companies,
    lifecycle: createKeyPairLifecycleStore(database),
    listed: createListedKeyPairsStore(database),
    peppers: testPeppers,
    scopes: listScopes(),
  });
  const voidLink = (link: NamedLink): Promise<unknown> =>
    inOperatorTransaction(service.database.ownerUrl, 'write', (statements) =>
      createBankLinksService(
        companies,
        createBankLinksStore(statements),
        createBankLinksLookupStore(statements),
      ).void(link, undefined),
    );
  return { companies, voidLink, keyPairs, close: () => database.close() };
}
