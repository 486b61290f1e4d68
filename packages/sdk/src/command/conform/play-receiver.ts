import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { ContributionError } from '../../errors.js';
import type { Event } from '../../generated/api.js';
import { UsageError } from '../command.js';
import { notReached, type Stage, type Verdict } from './case.js';
import type { Played, Setting } from './play.js';
import { Programs } from './program.js';
import { Receiver } from './receiver.js';
import { newSecret, type ReceiverCase } from './receiver-cases.js';

const feedWithinMs = 20_000;

/** Creates contributions and waits for their events in the feed. */
async function newEvents(stage: Stage, count: number): Promise<Event[]> {
  const { client, projectId } = stage;
  const ids = await Promise.all(
    Array.from({ length: count }, async () => {
      const order = { project_id: projectId, amount: '25.00', user_hash: stage.newUser() };
      return (await client.contributions.create(order, { idempotencyKey: 'ephemeral' })).transaction_id;
    }),
  );
  const find = async (id: string): Promise<Event> => {
    for (const deadline = Date.now() + feedWithinMs; Date.now() < deadline;) {
      await delay(200);
      const { data } = await client.events.list({ transaction_id: id, limit: 1 });
      if (data[0]) return data[0];
    }
    throw new UsageError('The events of a new contribution did not appear in the feed within 20 seconds.');
  };
  const events = await Promise.all(ids.map(find));
  return events.sort((one, other) => one.sequence - other.sequence);
}

/** Plays one case of the profile receiver: starts the program, and sends webhooks to it. */
export async function playReceiver(
  { judge, ...each }: ReceiverCase,
  { command, timeoutMs, apiUrl, variables, stage }: Setting,
): Promise<Played> {
  const startedAt = performance.now();
  const programs = new Programs();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'conform-'));
  const receiver = new Receiver({ command, timeoutMs, variables, folder }, programs);
  const secret = newSecret();
  let verdict: Verdict;
  try {
    verdict = await judge({ stage, receiver, secret, newEvents: (count) => newEvents(stage, count) });
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof ContributionError)) throw error;
    verdict = notReached(`The kit could not prepare or check the case: ${error.message}`);
  } finally {
    await receiver.kill().catch(() => undefined);
    await programs.close();
    await rm(folder, { recursive: true, force: true });
  }
  return {
    ...each,
    ...verdict,
    guide: `${new URL(apiUrl).origin}/docs/${each.guide}`,
    exchanges: receiver.exchanges,
    runs: receiver.runs,
    seconds: Number(((performance.now() - startedAt) / 1_000).toFixed(1)),
  };
}
