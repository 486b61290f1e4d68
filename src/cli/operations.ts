import type { Statements } from '../db/operator-transaction';
import { type CompaniesService, createCompaniesService } from '../modules/companies/companies.service';
import { createCompaniesStore } from '../modules/companies/companies.store';
import { createKeyRotationService, type KeyRotationService } from '../modules/companies/key-rotation.service';
import { createKeyRotationStore } from '../modules/companies/key-rotation.store';
import type { Peppers } from '../modules/companies/credentials';
import {
  createOperatorActionsStore,
  type OperatorActionsStore,
} from '../modules/operators/operator-actions.store';

/** Everything an operator's command can do, within one transaction. */
export interface Operations {
  companies: CompaniesService;
  keyRotation: KeyRotationService;
  actions: OperatorActionsStore;
}

/** The only wiring of the commands. */
export function createOperations(statements: Statements, peppers: Peppers): Operations {
  return {
    companies: createCompaniesService(createCompaniesStore(statements), peppers),
    keyRotation: createKeyRotationService(createKeyRotationStore(statements), peppers),
    actions: createOperatorActionsStore(statements),
  };
}
