import type { Database } from '../../db/pool/database';
import { query } from '../../db/query';
import { createEnvironmentPasses } from '../../shared/environment-passes';
import { visibilityHorizon } from '../../core/contributions/visibility-horizon.query';

/** The number of events in one query. It limits a query to a fraction of its timeout. */
const mostAtOnce = 2_000;
/** The number of batches in one run. It limits a run to about a minute. */
const maxBatches = 250;

const readHorizon = query('read_horizon_of_totals', visibilityHorizon);

const countContributions = query(
  'count_contributions',
  `SELECT event_count FROM count_contributions($1, $2::timestamptz, $3)`,
  { writes: true },
);

const listEnvironments = query(
  'list_environments_of_totals',
  `SELECT e.environment_id FROM environments e WHERE e.environment_id > 0 ORDER BY e.environment_id`,
);

const readAge = query(
  'read_age_of_totals',
  `
  SELECT extract(epoch FROM clock_timestamp() - t.complete_until)::float8 AS seconds
    FROM contribution_totals_turn t WHERE t.only_row
  `,
);

export function createCountContributionsStore(database: Pick<Database, 'run'>) {
  const passes = createEnvironmentPasses();

  async function countAll(): Promise<void> {
    const [horizon] = await database.run<{ complete_until: Date }>(readHorizon, []);
    for (let batch = 0; batch < maxBatches; batch += 1) {
      const values = [mostAtOnce, horizon?.complete_until, null];
      const [row] = await database.run<{ event_count: number }>(countContributions, values);
      if (row === undefined || row.event_count < mostAtOnce) return;
    }
  }

  async function countOf(environmentId: number): Promise<number> {
    const values = [mostAtOnce, null, environmentId];
    const [row] = await database.run<{ event_count: number }>(countContributions, values);
    return row?.event_count ?? 0;
  }

  async function environments(): Promise<number[]> {
    const rows = await database.run<{ environment_id: number }>(listEnvironments, []);
    return rows.map((row) => row.environment_id);
  }

  return {
    /**
     * Adds the events of the feeds to the totals, unless another process is doing so.
     *
     * @throws DatabaseFailure if some environments failed. The others are counted, and
     *   `complete_until` stays the same
     */
    async addUp() {
      try {
        await countAll();
      } catch (error) {
        await passes.pass(environments, countOf);
        throw error;
      }
    },
    /** The age of `complete_until` in seconds; 0 before the first count. */
    ageSeconds: async () => {
      const [row] = await database.run<{ seconds: number }>(readAge, []);
      return row?.seconds ?? 0;
    },
  };
}
