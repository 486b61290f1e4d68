import type { Queries } from '../../../db/operator-transaction';
import type { EnvironmentKind } from '../../../shared/scopes';

/** A queued event that the relay could not write to the feeds. */
export interface FailedEvent {
  eventId: string;
  /** Null if the event does not exist. */
  type: string | null;
  company: string;
  kind: EnvironmentKind;
  transactionId: string | null;
  queuedAt: Date;
  failures: number;
  /** Null if it is set aside: the relay attempts it no more. */
  retryAt: Date | null;
  /** The code of the last failure in PostgreSQL, and the constraint. */
  problem: string;
}

export function createFailedEventsStore(database: Pick<Queries, 'runUnprepared'>) {
  async function environmentOf(eventId: string): Promise<number> {
    const [found] = await database.runUnprepared<{ environment_id: number }>(
      'SELECT q.environment_id FROM event_queue q WHERE q.event_id = $1 AND q.retry_at IS NOT NULL',
      [eventId],
    );
    return found?.environment_id ?? 0;
  }

  return {
    /** Oldest first. */
    list: (limit: number, skip: number) =>
      database.runUnprepared<FailedEvent>(
        `SELECT q.event_id AS "eventId", COALESCE(v.type, n.type) AS type, c.name AS company, e.kind,
                v.transaction_id AS "transactionId", q.queued_at AS "queuedAt", q.failure_count AS failures,
                NULLIF(q.retry_at, 'infinity') AS "retryAt", q.problem
           FROM event_queue q
           JOIN environments e ON e.environment_id = q.environment_id
           JOIN companies c ON c.company_id = e.company_id
           LEFT JOIN events v ON v.environment_id = q.environment_id AND v.event_id = q.event_id
           LEFT JOIN environment_events n ON n.environment_id = q.environment_id AND n.event_id = q.event_id
          WHERE q.retry_at IS NOT NULL
          ORDER BY q.queued_at, q.event_id LIMIT $1::bigint OFFSET $2::bigint`,
        [limit, skip],
      ),
    /** Makes the relay attempt a failed event now. False if no failed event has this id. */
    async retry(eventId: string) {
      const changed = await database.runUnprepared(
        `UPDATE event_queue q SET failure_count = 0, retry_at = NULL, problem = NULL
          WHERE q.environment_id = $1 AND q.event_id = $2 AND q.retry_at IS NOT NULL
         RETURNING q.event_id`,
        [await environmentOf(eventId), eventId],
      );
      return changed.length > 0;
    },
    /**
     * Deletes a failed event, whether it waits or is set aside. False if there is none with this
     * id, or if it concerns a contribution.
     */
    async drop(eventId: string) {
      const [row] = await database.runUnprepared<{ is_dropped: boolean }>(
        'SELECT drop_queued_event($1, $2) AS is_dropped',
        [await environmentOf(eventId), eventId],
      );
      return row?.is_dropped === true;
    },
  };
}
