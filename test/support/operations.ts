import { createOperations, type Operations } from '../../src/operator/cli/operations';
import { inOperatorTransaction, type TransactionMode } from '../../src/db/operator-transaction';
import type { Peppers } from '../../src/modules/key-pairs/credentials';
import type { TestDatabase } from './database';
import { testPeppers } from './service';

/** Does what an operator's command does, in one transaction and as an operator. */
export function operate<T>(
  database: Pick<TestDatabase, 'operatorUrl'>,
  work: (operations: Operations) => Promise<T>,
  mode: TransactionMode = 'write',
  peppers: Peppers = testPeppers,
): Promise<T> {
  return inOperatorTransaction(database.operatorUrl, mode, (statements) =>
    work(createOperations(statements, peppers)),
  );
}
