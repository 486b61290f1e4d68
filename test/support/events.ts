import type { Pool } from 'pg';

/** The events of a transaction after its creation, oldest first. */
export async function eventsAfterCreation(
  admin: Pool,
  transactionId: string,
): Promise<Record<string, unknown>[]> {
  const { rows } = await admin.query<Record<string, unknown>>(
    `SELECT type, evidence FROM events
      WHERE transaction_id = $1 AND type <> 'contribution.created' ORDER BY recorded_at, event_id`,
    [transactionId],
  );
  return rows;
}
