import { setTimeout } from 'node:timers/promises';

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

/** Writes all queued events to the feeds. Waits while the service's own relay is running. */
export async function relayAll(database: Pool): Promise<void> {
  for (;;) {
    const { rows } = await database.query<{ has_turn: boolean; event_count: number }>(
      'SELECT has_turn, event_count FROM relay_events(1000)',
    );
    const [{ has_turn: hasTurn, event_count: eventCount }] = rows as [(typeof rows)[0]];
    if (hasTurn && eventCount === 0) return;
    if (!hasTurn) await setTimeout(5);
  }
}

export async function readFeed(client: Client, query = ''): Promise<ReadPage> {
  const { body } = await client.get(`/company/integration/events?limit=1000${query}`).expect(200);
  return body as ReadPage;
}
