import { setTimeout as delay } from 'node:timers/promises';

import type { FaultKind } from '../kinds/kind';
import { createRandom } from '../random';
import type { ScheduledFault } from '../schedule';
import { verify } from '../verify';
import { databaseName, type World } from '../world';
import { judge, type Row, storedIntents } from './judge';
import { Partners } from './partners';

const progressWithinMs = 60_000;
const finishWithinMs = 180_000;
const mostPauseMs = 1_000;

export interface SdkRunOptions {
  seed: number;
  schedule: Iterator<ScheduledFault>;
  kinds: readonly FaultKind[];
  minFaults: number;
  /** Creates and completions whose outcome the SDK reported. */
  minWrites: number;
  onProgress: (line: string) => void;
  /** Ends the programs, whatever they do. */
  interrupted: AbortSignal;
}

/**
 * Injects faults while programs built on the SDK create and complete contributions, and kills these
 * programs too. In the end everything is recovered and compared with the database.
 *
 * @returns the run in a few lines
 */
export async function runSdkFaults(world: World, options: SdkRunOptions): Promise<string> {
  const { journal, pair, service } = world;
  const random = createRandom(options.seed);
  const partners = new Partners(world);
  options.interrupted.addEventListener('abort', () => {
    partners.stop();
  });
  const startedAt = Date.now();
  let faults = 0;
  partners.start();
  try {
    await delay(2_000);
    while (journal.violations.length === 0 && !options.interrupted.aborted) {
      const count = faults + partners.kills;
      const writes = partners.settled();
      if (count >= options.minFaults && writes >= options.minWrites) break;
      if (count < options.minFaults)
        faults += await injectNext(world, partners, options, random.integer(0, mostPauseMs));
      else await delay(1_000);
      if (random.chance(0.6) && count < options.minFaults) await partners.killOne(random);
      options.onProgress(`${faults + partners.kills} faults, ${writes} creates and completions settled`);
    }
  } finally {
    if (!options.interrupted.aborted && !(await partners.finish(finishWithinMs)))
      journal.violate('unexplained', 'the intents did not end within 180 s');
    partners.stop();
  }
  const left = storedIntents(partners.folders);
  if (left.length > 0) journal.violate('lost', `${left.length} intents did not end`);
  const rows = await pair.primary.query<Row & Record<string, unknown>>(
    'SELECT transaction_id, idempotency_key, amount_cents, status, bank_reference FROM transactions',
    [],
    databaseName,
  );
  const lines = partners.lines();
  judge(journal, lines, rows);
  for (const finding of await verify(world)) journal.violate('illegal', `verify: ${finding}`);
  for (const line of service.alarms.splice(0)) journal.violate('illegal', `the service calls: ${line}`);
  if (partners.errors !== '')
    journal.violate('illegal', `a program failed: ${partners.errors.slice(0, 2_000)}`);
  const recovered = lines.reduce((sum, { count = 0 }) => sum + count, 0);
  const found = (['lost', 'doubled', 'illegal', 'unexplained'] as const).map(
    (kind) => `${kind} ${journal.violations.filter((violation) => violation.kind === kind).length}`,
  );
  return [
    `${faults + partners.kills} faults in ${Math.round((Date.now() - startedAt) / 1_000)} s: ${faults} of the service, ${partners.kills} programs killed`,
    `${rows.length} contributions; the SDK reported ${partners.settled()} creates and completions, ${recovered} of them by recover()`,
    found.join(', '),
  ].join('\n');
}

/** @returns 1 if a fault was injected */
async function injectNext(
  world: World,
  partners: Partners,
  options: SdkRunOptions,
  pauseMs: number,
): Promise<number> {
  const fault = options.schedule.next().value as ScheduledFault;
  const kind = options.kinds.find(({ name }) => name === fault.kind);
  if (!kind || kind.whyUnavailable?.(world) !== undefined) return 0;
  const { mend } = await kind.inject(world, createRandom(fault.seed));
  const before = partners.settled();
  const deadline = Date.now() + progressWithinMs;
  while (partners.settled() <= before && Date.now() < deadline) await delay(200);
  if (Date.now() >= deadline) world.journal.violate('unexplained', `nothing succeeds after ${kind.name}`);
  await mend?.();
  await delay(pauseMs);
  return 1;
}
