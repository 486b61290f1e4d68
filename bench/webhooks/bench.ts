import { setTimeout as delay } from 'node:timers/promises';

import { interruption } from '../interruption';
import type { LoadProcess } from '../load/load-process';
import type { RequestWorld } from '../operations';
import { requestsOf } from '../overload/cast';
import type { RunningProgram } from '../programs/program';
import type { Arrivals, ReceiverAddresses, ReceiverProcess } from './receiver-process';

export interface Bench {
  adminUrl: string;
  world: RequestWorld;
  program: RunningProgram;
  metricsUrl: string;
  receiver: ReceiverProcess;
  addresses: ReceiverAddresses;
  openLoop: ReturnType<typeof LoadProcess.openLoop>;
  seconds: number;
}

/** Waits for a number of deliveries at one path. */
export async function arrived(
  bench: Bench,
  place: string,
  count: number,
  seconds: number,
): Promise<Arrivals> {
  for (const deadline = Date.now() + seconds * 1_000; ;) {
    const found = (await bench.receiver.arrivals())[place];
    if (found && found.delay.count >= count) return found;
    if (Date.now() > deadline)
      throw new Error(`${found?.delay.count ?? 0} of ${count} deliveries to ${place} within ${seconds} s`);
    interruption.throwIfAborted();
    await delay(100);
  }
}

export async function until(what: string, condition: () => Promise<boolean>, seconds: number): Promise<void> {
  for (const deadline = Date.now() + seconds * 1_000; !(await condition());) {
    interruption.throwIfAborted();
    if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`);
    await delay(100);
  }
}

/** Creates contributions at a rate. Returns how many. */
export async function createAtRate(
  { world, program, openLoop, seconds }: Bench,
  requestsPerSecond: number,
): Promise<number> {
  const requests = await requestsOf('create', world, seconds * requestsPerSecond);
  const { sinceDue } = await openLoop.run({
    url: program.url,
    seconds,
    connections: 20,
    requests,
    once: false,
    requestsPerSecond,
  });
  return sinceDue['201']?.count ?? 0;
}
