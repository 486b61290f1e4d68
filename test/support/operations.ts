import { createOperations, type Operations } from '../../src/cli/operations';
import { inOperatorTransaction, type TransactionMode } from '../../src/db/operator-transaction';
import type { Peppers } from '../../src/modules/companies/credentials';
import type { TestDatabase } from './database';
import { testPeppers } from './service';

/** What an operator's command does, without the command: in one transaction, as the owner. */
export function operate<T>(
  database: TestDatabase,
  work: (operations: Operations) => Promise<T>,
  mode: TransactionMode = 'write',
  peppers: Peppers = testPeppers,
): Promise<T> {
  return inOperatorTransaction(database.ownerUrl, mode, (statements) =>
    work(createOperations(statements, peppers)),
  );
}
