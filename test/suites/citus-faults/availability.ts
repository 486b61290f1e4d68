import { setTimeout as delay } from 'node:timers/promises';

import type { TenantEnvironment } from '../faults/clients/environments';
import type { CitusWorld } from './world';

/** The requests of one group of tenants in one phase. */
interface Sample {
  sent: number;
  succeeded: number;
  /** By status, and by error code. */
  responses: Map<string, number>;
  medianMs: number;
  p99Ms: number;
}

export interface Availability {
  before: Sample;
  /** While the worker is dead: tenants of other nodes, and its own. */
  elsewhere: Sample;
  affected: Sample;
}

/** Clients that wait for each response: enough to keep the machine busy without overload. */
const clientsPerTenant = 2;

/** Measures creates of tenants while a worker runs, and while it is dead. */
export async function measureAvailability(world: CitusWorld, seconds: number): Promise<Availability> {
  const [worker] = world.workers;
  const { environments } = world.tenants;
  const rows = await world.query<{ id: number; port: number }>(
    `SELECT t.id, s.nodeport AS port FROM unnest($1::integer[]) AS t (id)
       JOIN citus_shards s ON s.shardid = get_shard_id_for_distribution_column('users', t.id)`,
    [environments.map(({ environmentId }) => environmentId)],
  );
  const own = new Set(rows.filter(({ port }) => port === worker.port).map(({ id }) => id));
  const affected = environments.filter(({ environmentId }) => own.has(environmentId));
  const elsewhere = environments.filter(({ environmentId }) => !own.has(environmentId));
  if (affected.length === 0 || elsewhere.length === 0) throw new Error('all tenants are on one worker');
  const play = (tenants: readonly TenantEnvironment[]) => send(world, tenants, seconds * 1_000);
  await play(environments);
  // The tenants of the worker send requests in both phases, so that the load is the same.
  const [before] = await Promise.all([play(elsewhere), play(affected)]);
  worker.kill();
  const [during, dead] = await Promise.all([play(elsewhere), play(affected)]);
  await worker.start();
  return { before, elsewhere: during, affected: dead };
}

async function send(
  { http, tenants }: CitusWorld,
  environments: readonly TenantEnvironment[],
  forMs: number,
): Promise<Sample> {
  const times: number[] = [];
  const responses = new Map<string, number>();
  const end = Date.now() + forMs;
  const client = async (environment: TenantEnvironment): Promise<void> => {
    while (Date.now() < end) {
      const sentAt = performance.now();
      const body = { project_id: tenants.activeProjects[0], amount: '5000.00', user_hash: 'availability' };
      const call = { method: 'PUT', path: 'contributions/create', pair: environment.company, body } as const;
      const { response } = await http.send(call);
      const status = response?.status ?? 0;
      const code = response?.body['code'];
      const kind = typeof code === 'string' ? `${status} ${code}` : String(status);
      responses.set(kind, (responses.get(kind) ?? 0) + 1);
      times.push(performance.now() - sentAt);
      if (status !== 201) await delay(20);
    }
  };
  await Promise.all(
    environments.flatMap((environment) =>
      Array.from({ length: clientsPerTenant }, () => client(environment)),
    ),
  );
  times.sort((a, b) => a - b);
  return {
    sent: times.length,
    succeeded: responses.get('201') ?? 0,
    responses,
    medianMs: times[Math.floor(times.length / 2)] ?? 0,
    p99Ms: times[Math.floor(times.length * 0.99)] ?? 0,
  };
}

export function describeAvailability({ before, elsewhere, affected }: Availability): string {
  const line = (name: string, { sent, succeeded, responses, medianMs, p99Ms }: Sample): string =>
    `${name}: ${succeeded} of ${sent} succeeded (${((100 * succeeded) / sent).toFixed(2)} %), median ${medianMs.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms; ${[...responses].map(([kind, count]) => `${kind}: ${count}`).join(', ')}`;
  return [
    line('creates before', before),
    line('tenants elsewhere while a worker is dead', elsewhere),
    line('its own tenants meanwhile', affected),
  ].join('\n');
}
