import type { Pool } from 'pg';

import type { Client } from './client';

/** An event as partners read it. */
export interface ReadEvent {
  id: string;
  sequence: number;
  type: string;
  timestamp: string;
  environment: string;
  data: Record<string, unknown> & { transaction_id: string };
}

export interface ReadPage {
  data: ReadEvent[];
  has_more: boolean;
  next_after: number;
  last_sequence: number;
}

/** Writes all queued events to the feeds. */
export async function relayAll(database: Pool): Promise<void> {
  for (;;) {
    const { rows } = await database.query<{ event_count: number }>(
      'SELECT event_count FROM relay_events(1000)',
    );
    if (rows[0]?.event_count === 0) return;
  }
}

export async function readFeed(client: Client, query = ''): Promise<ReadPage> {
  const { body } = await client.get(`/company/integration/events?limit=1000${query}`).expect(200);
  return body as ReadPage;
}
