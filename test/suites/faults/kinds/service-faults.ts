import { setTimeout as delay } from 'node:timers/promises';

import type { LoadWorld } from '../load-world';
import type { Watcher } from '../network/tcp-proxy';
import type { World } from '../world';
import type { FaultKind } from './kind';

const readyForQueryBytes = 6;

/** The part of a world that is killed. */
type Process = 'service' | 'delivery';
const queriesOf: Readonly<Record<Process, readonly string[]>> = {
  service: ['create_transaction', 'complete_transaction'],
  // Only this process relays and delivers.
  delivery: ['relay_events', 'claim_webhook_endpoint', 'read_webhook_batch', 'settle_webhook_batch'],
};

/**
 * The longest wait for such a query. A delivery process that was killed earlier leaves its
 * leases. Nothing is delivered to these endpoints until the leases end after 30 seconds.
 */
const comesWithinMs: Readonly<Record<Process, number>> = { service: 10_000, delivery: 45_000 };

const ended = (process: Process, signal: 'SIGKILL' | 'SIGTERM'): FaultKind<LoadWorld> => ({
  name: `${process} ${signal === 'SIGKILL' ? 'killed' : 'terminated'}`,
  async inject(world) {
    const hitAt = Date.now();
    await world[process].end(signal);
    return { hitAt };
  },
});

export const serviceKilled = ended('service', 'SIGKILL');
export const serviceTerminated = ended('service', 'SIGTERM');
export const deliveryKilled = ended('delivery', 'SIGKILL');
export const deliveryTerminated = ended('delivery', 'SIGTERM');

/**
 * Kills the process when the watcher says so, at an exact point of its protocol exchange with the
 * database.
 */
async function killAt(
  world: World,
  process: Process,
  query: string,
  watch: (kill: () => void) => Watcher,
): Promise<number> {
  const { databaseProxy } = world;
  let hitAt: number | undefined;
  const hit = new Promise<void>((resolve) => {
    databaseProxy.watcher = watch(() => {
      hitAt = Date.now();
      databaseProxy.watcher = undefined;
      void world[process].end('SIGKILL').then(resolve);
    });
  });
  await Promise.race([hit, delay(comesWithinMs[process], undefined, { ref: false })]);
  databaseProxy.watcher = undefined;
  if (hitAt === undefined)
    throw new Error(`no ${query} of the ${process} came by within ${comesWithinMs[process] / 1_000} s`);
  return hitAt;
}

const killedBeforeQuery = (process: Process): FaultKind => ({
  name: `${process} killed before the statement`,
  async inject(world, random) {
    const query = random.pick(queriesOf[process]);
    const hitAt = await killAt(world, process, query, (kill) => (direction, data) => {
      if (direction !== 'requests' || !data.includes(query)) return 'pass';
      kill();
      return 'drop';
    });
    return { hitAt };
  },
});

const killedBeforeResponse = (process: Process): FaultKind => ({
  name: `${process} killed between commit and response`,
  async inject(world, random) {
    const query = random.pick(queriesOf[process]);
    const hitAt = await killAt(world, process, query, (kill) => {
      const asked = new Set<object>();
      return (direction, data, connection) => {
        if (direction === 'requests' && data.includes(query)) asked.add(connection);
        // "Ready for query" means that the query is committed.
        const isReady = data.at(-readyForQueryBytes) === 'Z'.charCodeAt(0);
        if (direction !== 'responses' || !asked.has(connection) || !isReady) return 'pass';
        kill();
        return 'drop';
      };
    });
    return { hitAt };
  },
});

export const serviceKilledBeforeQuery = killedBeforeQuery('service');
export const serviceKilledBeforeResponse = killedBeforeResponse('service');
export const deliveryKilledBeforeQuery = killedBeforeQuery('delivery');
export const deliveryKilledBeforeResponse = killedBeforeResponse('delivery');

const hourMs = 3_600_000;

export const clockStepped: FaultKind = {
  name: "service's clock stepped",
  inject({ service }, random) {
    const hitAt = Date.now();
    service.stepClock(
      random.pick([0, 1, 24, 24 * 365, -1, -24, -24 * 365]) * hourMs + random.integer(0, hourMs),
    );
    return Promise.resolve({ hitAt });
  },
};
