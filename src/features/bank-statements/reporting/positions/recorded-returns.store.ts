import type { Database } from '../../../../db/pool/database';
import { query } from '../../../../db/query';
import { groupBy } from '../../../../shared/group-by';
import type { RecordedReturn, ReturnedMoney } from './join-returns';

// $1 environment_id of the contributions, $2 transaction_ids, $3 the latest time for each of them
const readRecordedReturns = query(
  'read_recorded_returns',
  `
  SELECT r.transaction_id, r.amount_cents, r.bank_reference,
         COALESCE((
           SELECT jsonb_agg(jsonb_build_object('cents', u.amount_cents::text, 'reference', u.bank_reference))
             FROM money_returns u
            WHERE u.environment_id = $1 AND u.undoes = r.return_id AND u.recorded_at <= t.until), '[]') AS undone
    FROM unnest($2::text[], $3::timestamptz[]) AS t (transaction_id, until)
    JOIN money_returns r ON r.environment_id = $1 AND r.transaction_id = t.transaction_id
   WHERE r.undoes IS NULL AND r.recorded_at <= t.until
   ORDER BY r.return_id
  `,
);

export interface ReturnRow {
  transaction_id: string;
  amount_cents: string;
  bank_reference: string | null;
}

export const returnedMoney = (row: ReturnRow): ReturnedMoney => ({
  cents: BigInt(row.amount_cents),
  reference: row.bank_reference,
});

export const byTransaction = <Row extends ReturnRow, Value>(
  rows: readonly Row[],
  valueOf: (row: Row) => Value,
): Map<string, Value[]> =>
  new Map([...groupBy(rows, (row) => row.transaction_id)].map(([id, ofOne]) => [id, ofOne.map(valueOf)]));

/** Reads the returns that were recorded with the service. */
export interface RecordedReturnsStore {
  /**
   * The recorded returns, by transaction_id.
   *
   * @param environmentId the environment of the contributions, which the viewer may see
   * @param until for each contribution, excludes later returns; undefined excludes none
   */
  recordedReturns(
    environmentId: number,
    transactionIds: readonly string[],
    until: readonly (Date | undefined)[],
  ): Promise<Map<string, RecordedReturn[]>>;
}

export function createRecordedReturnsStore(database: Pick<Database, 'run'>): RecordedReturnsStore {
  return {
    async recordedReturns(environmentId, transactionIds, until) {
      const rows = await database.run<ReturnRow & { undone: { cents: string; reference: string | null }[] }>(
        readRecordedReturns,
        [environmentId, transactionIds, until.map((time) => time ?? 'infinity')],
      );
      return byTransaction(rows, (row) => ({
        ...returnedMoney(row),
        undone: row.undone.map(({ cents, reference }) => ({ cents: BigInt(cents), reference })),
      }));
    },
  };
}
