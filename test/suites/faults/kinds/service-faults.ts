import { setTimeout as delay } from 'node:timers/promises';

import type { Watcher } from '../network/tcp-proxy';
import type { LoadWorld } from '../load-world';
import type { World } from '../world';
import type { FaultKind } from './kind';

const statements = ['create_transaction', 'complete_transaction'];
const readyForQueryBytes = 6;

export const serviceKilled: FaultKind<LoadWorld> = {
  name: 'service killed',
  async inject({ service }) {
    const hitAt = Date.now();
    await service.end('SIGKILL');
    return { hitAt };
  },
};

export const serviceTerminated: FaultKind = {
  name: 'service terminated',
  async inject({ service }) {
    const hitAt = Date.now();
    await service.end('SIGTERM');
    return { hitAt };
  },
};

/**
 * Kills the service when the watcher says so, at an exact point of its protocol exchange with the
 * database.
 */
async function killAt(world: World, watch: (kill: () => void) => Watcher): Promise<number> {
  const { databaseProxy, service } = world;
  let hitAt: number | undefined;
  const hit = new Promise<void>((resolve) => {
    databaseProxy.watcher = watch(() => {
      hitAt = Date.now();
      databaseProxy.watcher = undefined;
      void service.end('SIGKILL').then(resolve);
    });
  });
  await Promise.race([hit, delay(10_000, undefined, { ref: false })]);
  databaseProxy.watcher = undefined;
  if (hitAt === undefined) throw new Error('no statement came by within 10 s');
  return hitAt;
}

export const serviceKilledBeforeStatement: FaultKind = {
  name: 'service killed before the statement',
  async inject(world, random) {
    const statement = random.pick(statements);
    const hitAt = await killAt(world, (kill) => (direction, data) => {
      if (direction !== 'requests' || !data.includes(statement)) return 'pass';
      kill();
      return 'drop';
    });
    return { hitAt };
  },
};

export const serviceKilledBeforeResponse: FaultKind = {
  name: 'service killed between commit and response',
  async inject(world, random) {
    const statement = random.pick(statements);
    const hitAt = await killAt(world, (kill) => {
      const asked = new Set<object>();
      return (direction, data, connection) => {
        if (direction === 'requests' && data.includes(statement)) asked.add(connection);
        // "Ready for query" means that the statement is committed.
        const isReady = data.at(-readyForQueryBytes) === 'Z'.charCodeAt(0);
        if (direction !== 'responses' || !asked.has(connection) || !isReady) return 'pass';
        kill();
        return 'drop';
      };
    });
    return { hitAt };
  },
};

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
