import type { Database } from '../../db/database';
import type { VerificationCheck } from './verification-check';

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
}

export interface VerificationStore {
  /** Every environment there is. */
  listEnvironments(): Promise<number[]>;
  find(
    check: VerificationCheck,
    environmentId: number | undefined,
    limit: number,
  ): Promise<{ total: number; first: Violation[] }>;
}

export function createVerificationStore(database: Database): VerificationStore {
  return {
    async listEnvironments() {
      const rows = await database.runUnprepared<{ environment_id: number }>(
        'SELECT environment_id FROM environments ORDER BY environment_id',
        [],
      );
      return rows.map((row) => row.environment_id);
    },

    async find(check, environmentId, limit) {
      const parameters = environmentId === undefined ? [] : [environmentId];
      const rows = await database.runUnprepared<Violation & { total: string }>(
        `SELECT count(*) OVER () AS total, found.* FROM (${check.text}) AS found LIMIT ${limit}`,
        parameters,
      );
      return {
        total: Number(rows[0]?.total ?? 0),
        first: rows.map((row) => {
          const violation: Violation & { total?: string } = row;
          delete violation.total;
          return violation;
        }),
      };
    },
  };
}
