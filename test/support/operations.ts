import {
  inOperatorTransaction,
  type Statements,
  type TransactionMode,
} from '../../src/db/operator-transaction';
import type { Peppers } from '../../src/modules/key-pairs/credentials';
import { createRetiredEnvironmentsStore } from '../../src/modules/sandbox/retired-environments.store';
import { createOperations } from '../../src/operator/cli/operations';
import { createStatementOperations } from '../../src/operator/cli/statements.operations';
import { createWebhookOperations } from '../../src/operator/cli/webhooks.operations';
import { createCorrectionsStore } from '../../src/operator/contribution-lookup/corrections.store';
import { createFailedEventsStore } from '../../src/operator/contribution-lookup/failed-events.store';
import { createTotalsLookupStore } from '../../src/operator/contribution-lookup/totals-lookup.store';
import { createTransactionLookupStore } from '../../src/operator/contribution-lookup/transaction-lookup.store';
import type { TestDatabase } from './database';
import { testPeppers } from './service';

/** What the commands of the core and of the features use. */
const createAll = (statements: Statements, peppers: Peppers) => ({
  ...createOperations(statements, peppers),
  ...createStatementOperations(statements, peppers),
  ...createWebhookOperations(statements),
  corrections: createCorrectionsStore(statements, createTransactionLookupStore(statements)),
  failedEvents: createFailedEventsStore(statements),
  retiredEnvironments: createRetiredEnvironmentsStore(statements),
  totals: createTotalsLookupStore(statements),
});

export type AllOperations = ReturnType<typeof createAll>;

/** Does what an operator's command does, in one transaction and as an operator. */
export function operate<T>(
  database: Pick<TestDatabase, 'operatorUrl'>,
  work: (operations: AllOperations) => Promise<T>,
  mode: TransactionMode = 'write',
  peppers: Peppers = testPeppers,
): Promise<T> {
  return inOperatorTransaction(database.operatorUrl, mode, (statements) =>
    work(createAll(statements, peppers)),
  );
}
