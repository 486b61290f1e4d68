import { setTimeout as delay } from 'node:timers/promises';

import { completeContribution } from '../faults/clients/bank';
import type { TenantEnvironment } from '../faults/clients/environments';
import { createContribution, type PartnerWorld } from '../faults/clients/partner';
import type { Completion } from '../faults/journal/journal';

/** The longest time between a create and its completion by the clients. */
const completesWithinMs = 5_000;

/** Creates contributions at a steady rate, and completes most of them. */
export function startPacedLoad(
  given: Omit<PartnerWorld, 'onCreated'>,
  contributionsPerSecond: number,
): { stop(): Promise<void> } {
  const { journal, random } = given;
  const running = new Set<Promise<void>>();
  const seen = new Set<string>();

  function run(work: Promise<void>): void {
    const ended = work
      .catch((error: unknown) => {
        journal.violate('illegal', `a client failed: ${error instanceof Error ? (error.stack ?? '') : ''}`);
      })
      .finally(() => running.delete(ended));
    running.add(ended);
  }

  async function complete(environment: TenantEnvironment, completion: Completion): Promise<void> {
    await delay(random.integer(0, completesWithinMs));
    await completeContribution(given, environment, completion);
  }

  const onCreated = (environment: TenantEnvironment, completion: Completion): void => {
    // One in ten stays pending.
    if (seen.has(completion.transactionId) || random.chance(0.1)) return;
    seen.add(completion.transactionId);
    run(complete(environment, completion));
  };
  const timer = setInterval(() => {
    run(createContribution({ ...given, onCreated }));
  }, 1_000 / contributionsPerSecond);
  return {
    async stop() {
      clearInterval(timer);
      while (running.size > 0) await Promise.all(running);
    },
  };
}
