import { createOperations, type Operations } from '../../src/operator/cli/operations';
import { inOperatorTransaction, type TransactionMode } from '../../src/db/operator-transaction';
import type { Peppers } from '../../src/modules/key-pairs/credentials';
import type { TestDatabase } from './database';
import { testPeppers } from './service';

/** What an operator's command does, without the command: in one transaction, as an operator. */
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
