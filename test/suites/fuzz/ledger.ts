import type { Pool } from 'pg';

import type { ReceivedResponse } from './oracle/responses';

/**
 * Checks in batches that every 201 has exactly one row, so that the harness keeps no complete list.
 */
export interface Ledger {
  note(response: ReceivedResponse): void;
  /**
   * Checks the responses since the last call. Describes rows that are missing or existed before.
   */
  check(): Promise<string[]>;
  /** Contributions, returns and corrections that were acknowledged for the first time. */
  readonly acknowledged: number;
}

export function createLedger(admin: Pool): Ledger {
  let acknowledged = 0;
  let batch: string[] = [];
  let flaws: string[] = [];
  return {
    get acknowledged() {
      return acknowledged;
    },
    note(response) {
      if (response.status !== 201 || response.headers.has('idempotent-replayed')) return;
      const body = JSON.parse(response.body.toString('utf8')) as Record<string, unknown>;
      const id = body['undo_id'] ?? body['return_id'] ?? body['transaction_id'];
      if (typeof id !== 'string') flaws.push('a 201 names no transaction and no return');
      else batch.push([id, body['corrected_at']].join(' ').trim());
      acknowledged += 1;
    },
    async check() {
      const ids = batch;
      const found = flaws;
      [batch, flaws] = [[], []];
      const { rows } = await admin.query<{ transaction_id: string }>(
        `SELECT transaction_id FROM transactions WHERE transaction_id = ANY ($1)
          UNION ALL SELECT return_id::text FROM money_returns WHERE return_id::text = ANY ($1)
          UNION ALL
         SELECT transaction_id || ' ' || to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
           FROM corrections WHERE transaction_id = ANY ($2)`,
        [ids, ids.map((id) => id.split(' ')[0])],
      );
      const there = new Set(rows.map((row) => row.transaction_id));
      if (new Set(ids).size !== ids.length)
        found.push('two first responses name the same transaction, return or correction');
      return [
        ...found,
        ...ids.filter((id) => !there.has(id)).map((id) => `${id} was acknowledged and has no row`),
      ];
    },
  };
}
