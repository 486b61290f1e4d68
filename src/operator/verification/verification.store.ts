import type { Database } from '../../db/pool/database';
import type { VerificationCheck, VerifiedTable } from './verification-check';

/** What broke a rule: the ids of the rows concerned, and what is wrong with them. */
export interface Violation {
  environment_id: number | null;
  problem: string;
  transaction_id?: string;
  event_id?: string;
  /** A bigint as text. */
  user_id?: string;
  project_id?: number;
  bank_environment_id?: number;
  /** Of an operator's action; a bigint as text. */
  position?: string;
}

interface Found extends Omit<Violation, 'event_id'> {
  total: string;
  event_id?: string | null;
}

/** Every call is one statement in a transaction of its own that cannot write. */
export interface VerificationStore {
  /** Every environment there is. */
  listEnvironments(): Promise<number[]>;
  countRows(table: VerifiedTable): Promise<number>;
  /**
   * The violations of one check, in the order of their ids.
   *
   * @param parameters of the check's text: the environment_id whose rows are looked at, for a
   *   check of that scope
   * @param limit the most that are given in full; all are counted
   */
  find(
    check: VerificationCheck,
    parameters: readonly unknown[],
    limit: number,
  ): Promise<{ total: number; first: Violation[] }>;
}

/**
 * Makes PostgreSQL read the tables. Without the first it would still prefer an index if the server
 * says so.
 */
const withoutIndexes = {
  enable_seqscan: 'on',
  enable_indexscan: 'off',
  enable_indexonlyscan: 'off',
  enable_bitmapscan: 'off',
} as const;

export function createVerificationStore(database: Pick<Database, 'runReadOnly'>): VerificationStore {
  return {
    async listEnvironments() {
      const rows = await database.runReadOnly<{ environment_id: number }>(
        'SELECT environment_id FROM environments ORDER BY environment_id',
        [],
        withoutIndexes,
      );
      return rows.map((row) => row.environment_id);
    },

    async countRows(table) {
      const [row] = await database.runReadOnly<{ count: string }>(`SELECT count(*) FROM ${table}`, []);
      return Number(row?.count);
    },

    async find(check, parameters, limit) {
      const rows = await database.runReadOnly<Found>(
        `SELECT count(*) OVER () AS total, found.* FROM (${check.text}) AS found
          WHERE found.problem <> '' ORDER BY 2, 3 LIMIT ${limit}`,
        parameters,
        check.readsTablesOnly ? withoutIndexes : {},
      );
      return {
        total: Number(rows[0]?.total ?? 0),
        first: rows.map((row) => {
          const { event_id: eventId, ...violation } = row as Omit<Found, 'total'> & { total?: string };
          delete violation.total;
          // There is none where the event is what is missing.
          return typeof eventId === 'string' ? { ...violation, event_id: eventId } : violation;
        }),
      };
    },
  };
}
