import type { Database } from '../../../db/pool/database';
import { query } from '../../../db/query';

// $1 environment_id, $2 account_id, $3 the account of the number, $4 reason, $5 who decided
const addNumber = query('add_account_number', 'SELECT add_account_number($1, $2, $3, $4, $5) AS outcome', {
  writes: true,
});

/**
 * What became of a further number. `has_statements`: void the statements of the other account
 * first, add the number, then upload them again. `upload_in_progress`: wait until all uploads are
 * read. `has_numbers`: one of the accounts stands for the other one or for a third one already.
 */
export type NumberOutcome =
  'added' | 'same' | 'no_account' | 'has_statements' | 'upload_in_progress' | 'has_numbers';

/** Further numbers of accounts. Later uploads under them belong to the account. */
export function createAccountNumbersStore(database: Pick<Database, 'run'>) {
  return {
    /** Says that the number of another account is a further number of this one. */
    async add(
      environmentId: number,
      { accountId, otherId }: { accountId: string; otherId: string },
      { reason, decidedBy }: { reason: string; decidedBy: string },
    ): Promise<NumberOutcome> {
      const values = [environmentId, accountId, otherId, reason, decidedBy];
      const [row] = await database.run<{ outcome: NumberOutcome }>(addNumber, values);
      return row?.outcome ?? 'no_account';
    },
  };
}

export type AccountNumbersStore = ReturnType<typeof createAccountNumbersStore>;
