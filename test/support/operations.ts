import { inOperatorTransaction, type Queries, type TransactionMode } from '../../src/db/operator-transaction';
import type { Peppers } from '../../src/core/key-pairs/credentials';
import { createRetiredEnvironmentsStore } from '../../src/features/sandbox/retired-environments.store';
import { createOperations } from '../../src/operator/commands/operations';
import { createStatementOperations } from '../../src/features/bank-statements/cli/statements.operations';
import { createWebhookOperations } from '../../src/features/webhooks/cli/webhooks.operations';
import { createCorrectionsStore } from '../../src/features/returns/cli/corrections.store';
import { createFailedEventsStore } from '../../src/features/events/cli/failed-events.store';
import { createTotalsLookupStore } from '../../src/features/totals/cli/totals-lookup.store';
import { createTransactionLookupStore } from '../../src/operator/contribution-lookup/transaction-lookup.store';
import type { TestDatabase } from './database';
import { testPeppers } from './service';

/** What the commands of the core and of the features use. */
const createAll = (queries: Queries, peppers: Peppers) => ({
  ...createOperations(queries, peppers),
  ...createStatementOperations(queries, peppers),
  ...createWebhookOperations(queries),
  corrections: createCorrectionsStore(queries, createTransactionLookupStore(queries)),
  failedEvents: createFailedEventsStore(queries),
  retiredEnvironments: createRetiredEnvironmentsStore(queries),
  totals: createTotalsLookupStore(queries),
});

export type AllOperations = ReturnType<typeof createAll>;

/** Does what an operator's command does, in one transaction and as an operator. */
export function operate<T>(
  database: Pick<TestDatabase, 'operatorUrl'>,
  work: (operations: AllOperations) => Promise<T>,
  mode: TransactionMode = 'write',
  peppers: Peppers = testPeppers,
): Promise<T> {
  return inOperatorTransaction(database.operatorUrl, mode, (queries) => work(createAll(queries, peppers)));
}
