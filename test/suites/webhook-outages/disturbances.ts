import { setTimeout as delay } from 'node:timers/promises';

import type { Random } from '../faults/random';
import type { OutageWorld } from './world';

/** Something that happens to the receiver. */
export interface Disturbance {
  name: string;
  /** Disturbs the receiver for some time, and then restores it. */
  run: (world: OutageWorld, random: Random, durationMs: number) => Promise<void>;
}

async function killed({ receiver }: OutageWorld, random: Random, durationMs: number): Promise<void> {
  await receiver().kill();
  // A process manager restarts it at once. Without one, a person does so later.
  if (random.chance(0.8)) await delay(durationMs);
  await receiver().launch();
}

/** Resets or rejects connections, sends nothing, or loses responses. */
async function cutOff({ receiver }: OutageWorld, random: Random, durationMs: number): Promise<void> {
  const { proxy } = receiver();
  const way = random.pick(['reset', 'refuse', 'silence', 'lose responses'] as const);
  if (way === 'refuse') {
    proxy.refuse(true);
    proxy.cut();
    await delay(durationMs);
    proxy.refuse(false);
    return;
  }
  if (way === 'silence' || way === 'lose responses') {
    proxy.freeze(way === 'silence' ? 'requests' : 'responses');
    await delay(durationMs);
    if (way === 'lose responses') proxy.cut();
    proxy.unfreeze();
    return;
  }
  for (const endsAt = Date.now() + durationMs; Date.now() < endsAt;) {
    proxy.cut();
    await delay(random.integer(20, 500));
  }
}

async function slow({ receiver }: OutageWorld, random: Random, durationMs: number): Promise<void> {
  if (random.chance(0.5)) {
    receiver().behave('slow');
    await delay(durationMs);
    receiver().behave('correct');
    return;
  }
  receiver().proxy.slow(random.integer(200, 1_500));
  await delay(durationMs);
  receiver().proxy.slow(0);
}

async function wrong({ receiver }: OutageWorld, _random: Random, durationMs: number): Promise<void> {
  receiver().behave('wrong');
  await delay(durationMs);
  receiver().behave('correct');
}

/** 410 disables an endpoint. The partner enables it again. */
async function gone({ receiver }: OutageWorld, _random: Random, durationMs: number): Promise<void> {
  receiver().behave('gone');
  await delay(durationMs);
  receiver().behave('correct');
}

/** The receiver gets another address. The partner stops the old one before or after. */
async function moved(world: OutageWorld, random: Random, durationMs: number): Promise<void> {
  const old = world.receiver();
  const stopsFirst = random.chance(0.5);
  if (stopsFirst) {
    await old.stop();
    await delay(durationMs);
  }
  const next = await world.startReceiver();
  for (const endpoint of world.endpoints) {
    await world.client.move(endpoint, next.urlOf(endpoint.environmentId));
    await world.client.verify(endpoint);
  }
  if (stopsFirst) return;
  await delay(random.integer(0, 2_000));
  await old.stop();
}

export const disturbances: readonly Disturbance[] = [
  { name: 'killed', run: killed },
  { name: 'cut off', run: cutOff },
  { name: 'slow', run: slow },
  { name: 'wrong', run: wrong },
  { name: 'gone', run: gone },
  { name: 'moved', run: moved },
];
