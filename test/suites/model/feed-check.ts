import type { Pool } from 'pg';

import { setTimeout as sleep } from 'node:timers/promises';

import type { Event, Model } from './model';
import { type Environment, environments } from './principals';
import { audienceOf } from './rights';
import type { Tenants } from './tenants';

/** The banks that get each event of a transaction, in the order of the model's events. */
export interface Audiences {
  /**
   * Decides the audience of the events that are new since the last call.
   *
   * @param isCertain whether the model has the links of the time of these events
   */
  note(model: Model, isCertain: boolean): void;
  /** The events that an environment must find in its feed; undefined if that is not certain. */
  expected(model: Model, transactionId: string, reader: Environment): readonly string[] | undefined;
}

export function createAudiences(): Audiences {
  const known = new Map<string, (readonly Environment[] | undefined)[]>();
  const describe = ({ type, completion }: Event): string => `${type} ${completion}`;
  return {
    note(model, isCertain) {
      for (const transaction of model.transactions.values()) {
        const audiences = known.get(transaction.id) ?? [];
        known.set(transaction.id, audiences);
        const audience = isCertain ? audienceOf(model, transaction) : undefined;
        while (audiences.length < transaction.events.length) audiences.push(audience);
      }
    },
    expected(model, transactionId, reader) {
      const { environment, events } = model.transactions.get(transactionId)!;
      if (environment === reader) return events.map(describe).sort();
      const audiences = known.get(transactionId)!;
      if (audiences.includes(undefined)) return undefined;
      // What was relayed before the void stays in the feed.
      const isVoided = model.links.some(
        (link) => link.environment === environment && link.bank === reader && link.isVoided,
      );
      if (isVoided) return undefined;
      return events
        .filter((_event, place) => audiences[place]?.includes(reader))
        .map(describe)
        .sort();
    },
  };
}

/**
 * Writes the events of these environments to the feeds, and counts them. Holds the turn, because
 * the service does the same.
 */
export async function relayAndCount(admin: Pool, tenants: Tenants): Promise<void> {
  const session = await admin.connect();
  try {
    for (const environment of environments) {
      for (;;) {
        const { rows } = await session.query<{ has_turn: boolean; event_count: number }>(
          'SELECT has_turn, event_count FROM relay_events(1000, $1)',
          [tenants.ids[environment]],
        );
        const [turn] = rows;
        if (turn?.has_turn && turn.event_count === 0) break;
        if (!turn?.has_turn) await sleep(5);
      }
      await session.query('BEGIN');
      await session.query('SELECT pg_advisory_xact_lock(1179010376, 3)');
      await session.query(`SELECT count_contributions_of($1, 'infinity', 10000)`, [tenants.ids[environment]]);
      await session.query('COMMIT');
    }
  } finally {
    session.release();
  }
}

/** The differences between the feeds and the model, as readable text. */
export async function differencesOfFeeds(
  admin: Pool,
  tenants: Tenants,
  model: Model,
  audiences: Audiences,
): Promise<string[]> {
  const { rows } = await admin.query<{ environment_id: number; transaction_id: string; events: string[] }>(
    `SELECT f.environment_id, f.transaction_id,
            array_agg(replace(e.type, 'contribution.', '') || ' ' || e.completion) AS events
       FROM feed_events f
       JOIN events e ON e.environment_id = f.owner_environment_id AND e.event_id = f.event_id
      WHERE f.environment_id = ANY ($1) AND f.transaction_id IS NOT NULL
      GROUP BY f.environment_id, f.transaction_id`,
    [environments.map((environment) => tenants.ids[environment])],
  );
  return environments.flatMap((reader) =>
    [...model.transactions.keys()].flatMap((id) => {
      const expected = audiences.expected(model, id, reader)?.join();
      const found = rows
        .find(({ environment_id: of, transaction_id: about }) => of === tenants.ids[reader] && about === id)
        ?.events.sort()
        .join();
      return expected === undefined || expected === (found ?? '')
        ? []
        : [`${reader} has of ${id}: ${found ?? ''}; expected: ${expected}`];
    }),
  );
}
