import { setTimeout as delay } from 'node:timers/promises';

import type { Direction, TcpProxy } from '../network/tcp-proxy';
import type { Random } from '../random';
import type { World } from '../world';
import type { FaultKind } from './kind';

type Place = 'client' | 'database';

const proxyAt = (world: World, place: Place): TcpProxy =>
  place === 'client' ? world.clientProxy : world.databaseProxy;

/** Mostly short; sometimes longer than the service waits for a reply of the database (5 s). */
function draw(random: Random): number {
  return random.chance(0.25) ? random.integer(5_200, 6_500) : random.integer(100, 1_500);
}

export function connectionsCut(place: Place): FaultKind {
  return {
    name: `${place} connections cut`,
    async inject(world, random) {
      const hitAt = Date.now();
      for (let times = random.integer(1, 4); times > 0; times -= 1) {
        proxyAt(world, place).cut();
        await delay(random.integer(5, 100));
      }
      return { hitAt };
    },
  };
}

export function connectionsFrozen(place: Place, direction: Direction): FaultKind {
  return {
    name: `${place} ${direction} frozen`,
    async inject(world, random) {
      const hitAt = Date.now();
      const proxy = proxyAt(world, place);
      proxy.freeze(direction);
      await delay(draw(random));
      if (random.chance(0.5)) proxy.cut();
      proxy.unfreeze();
      return { hitAt };
    },
  };
}

export const databaseSlow: FaultKind = {
  name: 'database slow',
  async inject({ databaseProxy }, random) {
    const hitAt = Date.now();
    databaseProxy.slow(random.integer(20, 400));
    await delay(random.integer(500, 2_000));
    databaseProxy.slow(0);
    return { hitAt };
  },
};
