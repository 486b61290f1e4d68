import type { QueryResultRow } from 'pg';

import { DatabaseFailure } from '../errors';
import type { Database } from '../pool/database';
import type { Query } from '../query';
import type { createReachableTenants } from './reachable-tenants';

type QueryOfAll = Query & Required<Pick<Query, 'textOf'>>;

const isOfAll = (query: Query): query is QueryOfAll => query.textOf !== undefined;

/**
 * After this time, all environments are tried again. While a worker is frozen, each try costs a
 * timeout.
 */
const reducedForMs = 10_000;

/**
 * Runs queries that read all environments, those with `textOf`. While a worker is lost, they
 * read only the environments of the other workers.
 */
export function runReachable(
  database: Pick<Database, 'run' | 'runUnprepared'>,
  findReachable: ReturnType<typeof createReachableTenants>,
): Database['run'] {
  let reduced: { environments: readonly number[]; until: number } | undefined;

  async function runFor<Row extends QueryResultRow>(
    environments: readonly number[],
    { textOf }: QueryOfAll,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const isRead = (row: string): string => `AND ${row}.environment_id IN (${environments.join(', ')})`;
    return database.runUnprepared<Row>(textOf(isRead), values);
  }

  async function runOfAll<Row extends QueryResultRow>(
    read: QueryOfAll,
    values: readonly unknown[],
  ): Promise<Row[]> {
    if (reduced !== undefined && performance.now() < reduced.until) {
      const current = reduced;
      // If this fails, another worker is lost too, and the next call detects it.
      reduced = undefined;
      const rows = await runFor<Row>(current.environments, read, values);
      reduced = current;
      return rows;
    }
    try {
      return await database.run<Row>(read, values);
    } catch (error) {
      if (!(error instanceof DatabaseFailure) || error.reason === 'pool_exhausted') throw error;
      const { environments = [] } = (await findReachable().catch(() => undefined)) ?? {};
      if (environments.length === 0) throw error;
      const rows = await runFor<Row>(environments, read, values);
      reduced = { environments, until: performance.now() + reducedForMs };
      return rows;
    }
  }

  return (query, values) => (isOfAll(query) ? runOfAll(query, values) : database.run(query, values));
}
