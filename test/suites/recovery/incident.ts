import { setTimeout as delay } from 'node:timers/promises';

import type { Tenants } from '../faults/clients/environments';
import { createHttpClient } from '../faults/clients/http';
import { until } from '../../support/until';
import { type Clients, createClients, startLoad } from './clients';
import type { Production } from './production';
import type { History, Mark } from './history';
import { startService } from './service';

/**
 * A point to restore to. A completion was acknowledged just before it, and another was sent just
 * after it.
 */
export interface Point {
  /** The time, or the name of the restore point. */
  readonly name: string;
  readonly mark: Mark;
}

/** The position of the log at a moment of the clients. */
export interface Observation {
  readonly mark: Mark;
  readonly segment: string;
}

/** The records from before the server was lost. */
export interface Notes {
  readonly backup: string;
  readonly time: Point;
  readonly restorePoint: Point;
  /** Oldest first. */
  readonly observations: readonly Observation[];
  readonly lostAtMs: number;
  /** What would remain if the log were on a separate disk. */
  readonly survivingLog: string;
}

const restorePointName = 'before the incident';
/** After the last segment was archived, so that some changes are missing in the archive. */
const lostWorkMs = 700;

/**
 * A running server: a base backup under load, two points, more work, and then the loss of the
 * server.
 */
export async function simulateIncident(
  production: Production,
  tenants: Tenants,
  history: History,
): Promise<Notes> {
  const { server } = production;
  const { service, port } = await startService(server);
  const http = createHttpClient(port);
  const clients = createClients(http, history, tenants);
  const load = startLoad(clients);
  const isDone = (completions: number) => () => history.countAcknowledged().completions >= completions;
  const work = (): Promise<void> =>
    until('the clients work', isDone(history.countAcknowledged().completions + 50));
  await work();
  const { result: backup, mark } = await history.mark(() => production.backUp());
  if (!history.contributions.some(({ create }) => create.sent > mark.before && create.sent < mark.after))
    throw new Error('no client sent requests during the base backup');
  await work();
  const time = await pointBetween(clients, history, async () => {
    const rows = await server.query<{ now: string }>(
      `SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || '+00' AS now`,
    );
    return rows[0]?.now ?? '';
  });
  await work();
  const restorePoint = await pointBetween(clients, history, async () => {
    await server.query('SELECT pg_create_restore_point($1)', [restorePointName]);
    return restorePointName;
  });
  await work();
  const observations = await observeUntilArchived(production, history);
  await delay(lostWorkMs);
  const lostAtMs = Date.now();
  const survivingLog = await production.lose();
  await load.stop();
  http.close();
  await service.signal('SIGTERM');
  return { backup, time, restorePoint, observations, lostAtMs, survivingLog };
}

/**
 * Completes a contribution, records the point, and completes another one, while the load continues.
 */
async function pointBetween(clients: Clients, history: History, note: () => Promise<string>): Promise<Point> {
  const [lastBefore, firstAfter] = [await clients.create(), await clients.create()];
  if (!lastBefore || !firstAfter || !(await clients.complete(lastBefore)))
    throw new Error('there are no contributions around the point');
  const { result: name, mark } = await history.mark(note);
  if (!(await clients.complete(firstAfter))) throw new Error('there is no completion after the point');
  return { name, mark };
}

/** Records the current segment repeatedly, until two recorded ones are in the archive. */
async function observeUntilArchived(production: Production, history: History): Promise<Observation[]> {
  const observations: Observation[] = [];
  const archivedOnes = async (): Promise<number> => {
    const archived = new Set(await production.segments());
    return new Set(observations.map(({ segment }) => segment).filter((name) => archived.has(name))).size;
  };
  await until('two more segments are archived', async () => {
    const { mark, result } = await history.mark(() =>
      production.server.query<{ segment: string }>(
        'SELECT pg_walfile_name(pg_current_wal_insert_lsn()) AS segment',
      ),
    );
    observations.push({ mark, segment: result[0]?.segment ?? '' });
    await delay(50);
    return (await archivedOnes()) >= 2;
  });
  return observations;
}
