import type { Statements } from '../db/operator-transaction';
import { createCatalogueChangesStore } from '../modules/catalogue/catalogue-changes.store';
import { type CatalogueService, createCatalogueService } from '../modules/catalogue/catalogue.service';
import { createCatalogueStore } from '../modules/catalogue/catalogue.store';
import { createImportService, type ImportService } from '../modules/catalogue/import.service';
import {
  type CompaniesOverviewStore,
  createCompaniesOverviewStore,
} from '../modules/companies/companies-overview.store';
import { type CompaniesService, createCompaniesService } from '../modules/companies/companies.service';
import { createCompaniesStore } from '../modules/companies/companies.store';
import { createKeyRotationService, type KeyRotationService } from '../modules/companies/key-rotation.service';
import { createKeyRotationStore } from '../modules/companies/key-rotation.store';
import type { Peppers } from '../modules/companies/credentials';
import { createLedgerStore, type LedgerStore } from '../modules/ledger/ledger.store';
import { createMismatchesService, type MismatchesService } from '../modules/ledger/mismatches.service';
import { createMismatchesStore } from '../modules/ledger/mismatches.store';
import {
  createOperatorActionsStore,
  type OperatorActionsStore,
} from '../modules/operators/operator-actions.store';
import { createRecountStore, type RecountStore } from '../modules/project-figures/recount.store';
import { createUsersService, type UsersService } from '../modules/users/users.service';
import { createUsersStore } from '../modules/users/users.store';

/** Everything an operator's command can do, within one transaction. */
export interface Operations {
  companies: CompaniesService;
  companiesOverview: CompaniesOverviewStore;
  keyRotation: KeyRotationService;
  ledger: LedgerStore;
  mismatches: MismatchesService;
  catalogue: CatalogueService;
  catalogueImport: ImportService;
  projectFigures: RecountStore;
  users: UsersService;
  actions: OperatorActionsStore;
}

/** The only wiring of the commands. */
export function createOperations(statements: Statements, peppers: Peppers): Operations {
  const catalogueStore = createCatalogueStore(statements);
  return {
    companies: createCompaniesService(createCompaniesStore(statements), peppers),
    keyRotation: createKeyRotationService(createKeyRotationStore(statements), peppers),
    catalogue: createCatalogueService(catalogueStore, createCatalogueChangesStore(statements)),
    catalogueImport: createImportService(catalogueStore),
    companiesOverview: createCompaniesOverviewStore(statements),
    ledger: createLedgerStore(statements),
    projectFigures: createRecountStore(statements),
    mismatches: createMismatchesService(createMismatchesStore(statements)),
    users: createUsersService(createUsersStore(statements)),
    actions: createOperatorActionsStore(statements),
  };
}
