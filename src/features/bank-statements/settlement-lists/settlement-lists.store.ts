import type { Database } from '../../../db/pool/database';
import { query } from '../../../db/query';

/** The contributions that one transfer pays. */
export interface SettlementList {
  reference: string;
  sha256: Buffer;
  lines: readonly { transactionId: string; cents: bigint }[];
}

// $1 environment_id, $2 reference, $3 digest of the lines, $4 lines, $5 API key
const putSettlementList = query(
  'put_settlement_list',
  `
  SELECT is_stored FROM put_settlement_list($1::integer, $2::text, $3::bytea, $4::jsonb, $5::text) AS is_stored
  `,
  { writes: true },
);

export interface SettlementListsStore {
  /** @returns false if the newest list of the reference has the same lines */
  put(environmentId: number, apiKey: string, list: SettlementList): Promise<boolean>;
}

export function createSettlementListsStore(database: Pick<Database, 'run'>): SettlementListsStore {
  return {
    async put(environmentId, apiKey, { reference, sha256, lines }) {
      const [row] = await database.run<{ is_stored: boolean }>(putSettlementList, [
        environmentId,
        reference,
        sha256,
        JSON.stringify(
          lines.map(({ transactionId, cents }) => ({
            transaction_id: transactionId,
            amount_cents: cents.toString(),
          })),
        ),
        apiKey,
      ]);
      return row?.is_stored ?? false;
    },
  };
}
