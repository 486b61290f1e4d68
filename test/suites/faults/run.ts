import { setTimeout as delay } from 'node:timers/promises';

import { checkJournal } from './journal/check';
import { explainDisturbances, type Window } from './explain';
import type { FaultKind } from './kinds/kind';
import { createRandom } from './random';
import type { ScheduledFault } from './schedule';
import type { LoadWorld } from './load-world';

const faultsPerRound = 24;
const recoveryWithinMs = 30_000;
const mostPauseMs = 1_500;

/** The results of one kind of fault. */
export interface KindResult {
  injected: number;
  skipped: string | undefined;
  /** Milliseconds from the damage to the first acknowledged write that was sent after it. */
  recoveriesMs: number[];
  /** Requests that got an error or no response because of it. */
  disturbed: number;
}

export interface RunOptions<World> {
  schedule: Iterator<ScheduledFault>;
  kinds: readonly FaultKind<World>[];
  /** The run ends when all three are reached, or at the first violation. */
  minFaults: number;
  minWrites: number;
  minMs: number;
  /** Checks the database on its own, without the clients' responses, and returns its findings. */
  verify: (world: World) => Promise<string[]>;
  onProgress: (line: string) => void;
}

/**
 * Injects faults in rounds while partners and banks work, and checks everything after each round.
 */
export async function runFaults<World extends LoadWorld>(
  world: World,
  options: RunOptions<World>,
): Promise<Map<string, KindResult>> {
  const { journal, load } = world;
  const results = new Map<string, KindResult>(
    options.kinds.map((kind) => [
      kind.name,
      { injected: 0, skipped: kind.whyUnavailable?.(world), recoveriesMs: [], disturbed: 0 },
    ]),
  );
  const startedAt = Date.now();
  let injected = 0;
  const isEnough = (): boolean =>
    journal.violations.length > 0 ||
    (injected >= options.minFaults &&
      journal.counts.mutatingRequests >= options.minWrites &&
      Date.now() - startedAt >= options.minMs);
  while (!isEnough()) {
    load.resume();
    await delay(300);
    const windows: Window[] = [];
    let mustCheckEverything = false;
    for (let count = 0; count < faultsPerRound && !isEnough();) {
      const fault = options.schedule.next().value as ScheduledFault;
      const kind = options.kinds.find(({ name }) => name === fault.kind);
      const result = results.get(fault.kind);
      if (!kind || !result || result.skipped !== undefined) continue;
      const { checkEverything } = await injectOne(world, kind, fault, result, windows);
      mustCheckEverything ||= checkEverything;
      count += 1;
      injected += 1;
    }
    await load.pause();
    await world.untilIdle();
    for (const [kind, count] of explainDisturbances(journal, windows)) {
      const result = results.get(kind);
      if (result) result.disturbed += count;
    }
    await check(world, options, mustCheckEverything || isEnough() ? 'all' : 'touched');
    const { mutatingRequests } = journal.counts;
    options.onProgress(
      `${injected} faults, ${mutatingRequests} mutating requests, ${world.readers.eventCount()} events read, ${world.receivers.acceptedCount()} delivered, ${journal.violations.length} violations, ${Math.round((Date.now() - startedAt) / 1000)} s`,
    );
  }
  return results;
}

async function injectOne<World extends LoadWorld>(
  world: World,
  kind: FaultKind<World>,
  fault: ScheduledFault,
  result: KindResult,
  windows: Window[],
): Promise<{ checkEverything: boolean }> {
  const random = createRandom(fault.seed);
  const from = Date.now();
  const { hitAt, mend, checkEverything = false } = await kind.inject(world, random);
  const recovery = await world.journal.nextAcknowledged(recoveryWithinMs);
  if (recovery) result.recoveriesMs.push(recovery.receivedAt - hitAt);
  else world.journal.violate('unexplained', `no write within 30 s after fault ${fault.number}, ${kind.name}`);
  // Copying the primary for a new standby is part of a failover and slows the machine down.
  await mend?.();
  windows.push({ from, to: mend ? Date.now() : (recovery?.receivedAt ?? Date.now()), kind: kind.name });
  result.injected += 1;
  // Undisturbed work, so that the next fault affects requests of every age.
  await delay(random.integer(0, mostPauseMs));
  return { checkEverything };
}

async function check<World extends LoadWorld>(
  world: World,
  options: RunOptions<World>,
  scope: 'touched' | 'all',
): Promise<void> {
  const { query, journal, tenants, service, delivery, readers, receivers } = world;
  await checkJournal(journal, query, tenants.environments, scope);
  await readers.check(query, scope);
  await receivers.check(query);
  for (const finding of await options.verify(world)) journal.violate('illegal', `verify: ${finding}`);
  for (const line of [...service.alarms.splice(0), ...delivery.alarms.splice(0)])
    journal.violate('illegal', `a process calls: ${line}`);
}
