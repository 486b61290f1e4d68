import type { Database } from '../../db/pool/database';
import { statement } from '../../db/statement';
import { visibilityHorizon } from '../contributions/visibility-horizon.statement';

export interface CountContributionsStore {
  /** Adds the events of the feeds to the totals, unless another process is doing so. */
  addUp(): Promise<void>;
  /** The age of `complete_until` in seconds; 0 before the first count. */
  ageSeconds: () => Promise<number>;
}

/** Limits a statement to a fraction of its timeout. */
const mostAtOnce = 2_000;
/** Limits a run to about a minute. */
const maxBatches = 250;

const readHorizon = statement('read_horizon_of_totals', visibilityHorizon);

const countContributions = statement(
  'count_contributions',
  `SELECT event_count FROM count_contributions($1, $2::timestamptz)`,
  { writes: true },
);

const readAge = statement(
  'read_age_of_totals',
  `
  SELECT extract(epoch FROM clock_timestamp() - t.complete_until)::float8 AS seconds
    FROM contribution_totals_turn t WHERE t.only_row
  `,
);

export function createCountContributionsStore(database: Pick<Database, 'run'>): CountContributionsStore {
  return {
    async addUp() {
      const [horizon] = await database.run<{ complete_until: Date }>(readHorizon, []);
      for (let batch = 0; batch < maxBatches; batch += 1) {
        const values = [mostAtOnce, horizon?.complete_until];
        const [row] = await database.run<{ event_count: number }>(countContributions, values);
        if (row === undefined || row.event_count < mostAtOnce) return;
      }
    },
    async ageSeconds() {
      const [row] = await database.run<{ seconds: number }>(readAge, []);
      return row?.seconds ?? 0;
    },
  };
}
