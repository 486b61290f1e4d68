import type { Pool } from 'pg';

import type { Client } from './client';
import { relayAll } from './feed';

export interface ReadSums {
  contributions: number;
  amount: string;
  completed_contributions: number;
  completed_amount: string;
  returned_amount: string;
  corrected_amount: string;
  net_amount: string;
}

export interface ReadTotals {
  data: (ReadSums & Record<string, unknown>)[];
  total: ReadSums;
  currency: string;
  complete_until: string | null;
}

const dayOf = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** The parameters of a range that ends tomorrow. */
export const recentDays = (): string => `from=${dayOf(-360)}&to=${dayOf(2)}`;

/** Counts all events, also those of the last seconds. */
export async function countAll(database: Pool, mostAtOnce = 1_000): Promise<void> {
  await relayAll(database);
  for (;;) {
    const { rows } = await database.query<{ ids: number[] }>(
      `SELECT array_agg(f.environment_id) AS ids FROM feeds f`,
    );
    const { rows: counts } = await database.query<{ counted: number }>(
      `SELECT count_contributions_of(f.id, 'infinity', $2) AS counted FROM unnest($1::integer[]) AS f (id)`,
      [rows[0]?.ids ?? [], mostAtOnce],
    );
    if (counts.every(({ counted }) => counted === 0)) return;
  }
}

export async function readTotals(client: Client, query: string): Promise<ReadTotals> {
  const { body } = await client.get(`/company/integration/contributions/summary?${query}`).expect(200);
  return body as ReadTotals;
}
