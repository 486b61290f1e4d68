import { changeOneServerAtATime } from '../../db/cluster';
import { lockRecount } from '../../db/operator-locks';
import type { Queries } from '../../db/operator-transaction';

export interface WaitingForPurge {
  /** The number of environments that can be purged now. */
  count: number;
  /** When the oldest of them was retired; null if there is none. */
  oldestRetiredAt: Date | null;
}

export interface Purged {
  environments: number;
  /** The number of deleted rows in all tables. */
  rows: number;
  /** The number of environments that remain for the next run. */
  left: number;
}

/**
 * The maximum number of rows that one query deletes, so that it stays far below its timeout.
 */
const mostRows = 20_000;

/**
 * A purged environment can get a feed again. It remains in the audience of events of contributions
 * that it saw as a bank.
 */
const waitingEnvironments = `
  SELECT e.environment_id, e.retired_at FROM environments e
   WHERE is_purgeable(e.retired_at)
     AND (e.purged_at IS NULL OR e.environment_id IN (SELECT f.environment_id FROM feeds f))`;

/** The operator's view of environments that were retired by resets. */
export function createRetiredEnvironmentsStore(database: Queries) {
  async function waiting(): Promise<WaitingForPurge> {
    const [row] = await database.runUnprepared<{ count: number; oldest: Date | null }>(
      `SELECT count(*)::integer AS count, min(w.retired_at) AS oldest FROM (${waitingEnvironments}) AS w`,
      [],
    );
    return { count: row?.count ?? 0, oldestRetiredAt: row?.oldest ?? null };
  }

  /** @returns the number of deleted rows */
  async function purgeOne(environmentId: number): Promise<number> {
    for (let rows = 0; ;) {
      const [row] = await database.runUnprepared<{ count: number }>(
        'SELECT purge_retired_environment($1, $2) AS count',
        [environmentId, mostRows],
      );
      if (!row || row.count === 0) return rows;
      rows += row.count;
    }
  }

  return {
    waiting,
    /**
     * Deletes the rows of environments that were retired at least seven days ago, oldest first. The
     * environments themselves stay, because rows of other environments refer to them.
     *
     * @param most the maximum number of environments
     */
    async purge(most: number): Promise<Purged> {
      await database.run(lockRecount, []);
      await database.runUnprepared(changeOneServerAtATime, []);
      const environments = await database.runUnprepared<{ environment_id: number }>(
        `SELECT w.environment_id FROM (${waitingEnvironments}) AS w ORDER BY w.retired_at, w.environment_id LIMIT $1`,
        [most],
      );
      // Count before the purge. On a cluster, this role may not read what the function changed as
      // its owner.
      const { count } = await waiting();
      let rows = 0;
      for (const { environment_id: environmentId } of environments) rows += await purgeOne(environmentId);
      return { environments: environments.length, rows, left: count - environments.length };
    },
  };
}
