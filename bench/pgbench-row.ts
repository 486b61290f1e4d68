import type { Comparison } from './comparison';
import { findPgbench, runPgbench } from './measure/pgbench';
import { bestPoolSize } from './measure/pool-size';
import { summarize } from './measure/statistics';
import type { Operation } from './operations';
import type { ProgramResult } from './results';

/** pgbench as an additional row, for operations that write. */
export interface PgbenchRow {
  /**
   * Runs pgbench for one round. After a failure, pgbench is omitted and the other programs
   * continue.
   */
  round: () => Promise<void>;
  /** The row, or the reason for its absence; undefined if the user excluded pgbench. */
  result: () => ProgramResult | string | undefined;
}

/** @param onFailure called on the first failure */
export function pgbenchRow(
  { options, serviceUrl, world }: Comparison,
  { name }: Operation,
  onFailure: (error: unknown) => void,
): PgbenchRow {
  const isAsked = options.rivals === undefined || options.rivals.includes('pgbench');
  if (!isAsked || (name !== 'create' && name !== 'complete')) {
    return { round: () => Promise.resolve(), result: () => undefined };
  }
  const rates: number[] = [];
  let pool: Awaited<ReturnType<typeof bestPoolSize>> | undefined;
  let skipped: string | undefined;

  const measure = async (): Promise<void> => {
    const pgbench = await findPgbench();
    if (pgbench === undefined) {
      skipped = '(e) pgbench is not installed (Debian: postgresql-15 or newer)';
      return;
    }
    const run = (connections: number, most: number): Promise<number> => {
      const seconds = Math.ceil(Math.min(most, options.seconds));
      const count = seconds * 8_000;
      return runPgbench(pgbench, serviceUrl, world, name, {
        connections,
        seconds,
        count,
      });
    };
    pool ??= await bestPoolSize(options.poolSize, (size) =>
      Promise.resolve({ sample: () => run(size, 2), close: () => Promise.resolve() }),
    );
    rates.push(await run(pool.best, options.seconds));
  };

  return {
    async round() {
      if (skipped !== undefined) return;
      try {
        await measure();
      } catch (error) {
        skipped = '(e) pgbench failed';
        onFailure(error);
      }
    },
    result: () =>
      skipped ?? {
        name: 'pgbench',
        title: '(e) pgbench, no HTTP',
        poolSize: pool?.best ?? null,
        triedPoolSizes: pool?.tried ?? {},
        rounds: [],
        requestsPerSecond: summarize(rates),
        p50: { median: NaN, minimum: NaN, maximum: NaN },
        nodeMilliseconds: null,
        postgresMilliseconds: null,
      },
  };
}
