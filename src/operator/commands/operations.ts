import { listScopes } from '../../contracts';
import type { Queries } from '../../db/operator-transaction';
import { createBankLinksLookupStore } from '../../core/companies/bank-links-lookup.store';
import { createBankLinksService } from '../../core/companies/bank-links.service';
import { createBankLinksStore } from '../../core/companies/bank-links.store';
import { createCompaniesOverviewStore } from '../../core/companies/companies-overview.store';
import type { Peppers } from '../../core/key-pairs/credentials';
import { createKeyPairLifecycleStore } from '../../core/key-pairs/key-pair-lifecycle.store';
import { createKeyPairsService } from '../../core/key-pairs/key-pairs.service';
import { createListedKeyPairsStore } from '../../core/key-pairs/listed-key-pairs.store';
import { createRecountStore } from '../../core/project-figures/recount.store';
import { createUsersService } from '../../core/users/users.service';
import { createUsersStore } from '../../core/users/users.store';
import { createLoginStore } from '../audit/login.store';
import { createOperatorActionsStore } from '../audit/operator-actions.store';
import { createCatalogueProjectsStore } from '../catalogue-import/catalogue-projects.store';
import { createCatalogueStoriesStore } from '../catalogue-import/catalogue-stories.store';
import { createCatalogueService } from '../catalogue-import/catalogue.service';
import { createCatalogueStore } from '../catalogue-import/catalogue.store';
import { createImportService } from '../catalogue-import/import.service';
import { type DisputeKind, disputeKinds } from '../contribution-lookup/dispute-kinds';
import { createDisputesService } from '../contribution-lookup/disputes.service';
import { createDisputesStore } from '../contribution-lookup/disputes.store';
import { createEventLookupStore } from '../contribution-lookup/event-lookup.store';
import { createKeyActivityStore } from '../contribution-lookup/key-activity.store';
import { createTransactionExportStore } from '../contribution-lookup/transaction-export.store';
import { createTransactionSearchStore } from '../contribution-lookup/transaction-search.store';
import { createTransactionLookupStore } from '../contribution-lookup/transaction-lookup.store';
import { companiesOf } from '../cli/operator';
import { runWith } from '../cli/run-with';

function createDisputes(queries: Queries) {
  const of = (kind: DisputeKind) => createDisputesService(createDisputesStore(queries, kind), kind);
  const { mismatches, contested, repeated } = disputeKinds;
  return { mismatches: of(mismatches), contested: of(contested), repeated: of(repeated) };
}

export type Operations = ReturnType<typeof createOperations>;

/** Creates the services and stores of the core's commands. Those of features create their own. */
export function createOperations(queries: Queries, peppers: Peppers) {
  const companies = companiesOf(queries);
  const catalogueStore = createCatalogueStore(queries);
  return {
    companies,
    bankLinks: createBankLinksService(
      companies,
      createBankLinksStore(queries),
      createBankLinksLookupStore(queries),
    ),
    companiesOverview: createCompaniesOverviewStore(queries),
    keyPairs: createKeyPairsService({
      companies,
      lifecycle: createKeyPairLifecycleStore(queries),
      listed: createListedKeyPairsStore(queries),
      peppers,
      scopes: listScopes(),
    }),
    keyActivity: createKeyActivityStore(queries),
    catalogue: createCatalogueService(
      catalogueStore,
      createCatalogueProjectsStore(queries),
      createCatalogueStoriesStore(queries),
    ),
    catalogueImport: createImportService(catalogueStore),
    projectFigures: createRecountStore(queries),
    transactions: createTransactionLookupStore(queries),
    transactionSearch: createTransactionSearchStore(queries),
    transactionExport: createTransactionExportStore(queries),
    events: createEventLookupStore(queries),
    disputes: createDisputes(queries),
    users: createUsersService(companies, createUsersStore(queries)),
    actions: createOperatorActionsStore(queries),
    login: createLoginStore(queries),
  };
}

export const { runChange, runRead, runReadOf } = runWith(createOperations);
