import { setTimeout as delay } from 'node:timers/promises';

import type { Random } from '../random';
import type { World } from '../world';
import type { FaultKind } from './kind';
import { cancelStatements } from './postgres-faults';

/**
 * The standby dies, and every commit waits for it. If the wait is cancelled, a commit reports
 * success although only one machine has it. No client may learn of such a commit, neither from a
 * response nor from a retry that finds the row.
 */
async function loseStandby({ pair, journal }: World, random: Random): Promise<void> {
  await pair.standby.kill();
  const goneAt = Date.now();
  if (random.chance(0.6)) await cancelStatements(pair.primary, random.integer(300, 1_500));
  if (random.chance(0.3)) {
    await pair.primary.kill();
    await pair.primary.start();
  }
  await delay(random.chance(0.2) ? random.integer(5_000, 6_000) : random.integer(200, 1_500));
  if (journal.lastAcknowledged.sentAt > goneAt) {
    journal.violate('illegal', 'a write was acknowledged that no standby has');
  }
}

export const standbyLost: FaultKind = {
  name: 'standby lost',
  async inject(world, random) {
    const hitAt = Date.now();
    await loseStandby(world, random);
    await world.pair.standby.start();
    await world.pair.untilReplicating();
    return { hitAt };
  },
};

/**
 * A failover as a cluster manager does it: the standby becomes the primary, and the address moves
 * to it.
 */
async function failOver({ pair, databaseProxy }: World): Promise<void> {
  await pair.promoteStandby();
  databaseProxy.target = pair.primary.options.port;
  databaseProxy.cut();
}

export const failover: FaultKind = {
  name: 'failover to the standby',
  async inject(world) {
    const hitAt = Date.now();
    await world.pair.primary.kill();
    await failOver(world);
    return { hitAt, mend: () => world.pair.attachStandby(), checkEverything: true };
  },
};

export const failoverAfterLoss: FaultKind = {
  name: 'failover after the standby was lost',
  async inject(world, random) {
    const { pair } = world;
    await loseStandby(world, random);
    const hitAt = Date.now();
    await pair.primary.kill();
    await pair.standby.start();
    await failOver(world);
    return { hitAt, mend: () => pair.attachStandby(), checkEverything: true };
  },
};
