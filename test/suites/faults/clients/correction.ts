import { setTimeout as delay } from 'node:timers/promises';

import type { Completion } from '../journal/journal';
import type { BankWorld } from './bank';
import type { TenantEnvironment } from './environments';
import type { Call } from './http';
import { judgeCompletion, judgeCorrection, judgeLateRepeat, type Verdict } from './judge';

/** Sends a request until there is a response. Returns whether it was acknowledged. */
export async function untilAcknowledged(
  { random }: Pick<BankWorld, 'random'>,
  attempt: () => Promise<Verdict>,
): Promise<boolean> {
  for (;;) {
    const verdict = await attempt();
    if (verdict !== 'uncertain') return verdict === 'acknowledged';
    await delay(random.integer(20, 250));
  }
}

/**
 * Takes a completion back as banks do after a mistake, and half of the time completes again with
 * another reference. In between, requests of before arrive late.
 *
 * @param complete the request that completes with a reference
 * @param reference of the completion
 */
export async function correctContribution(
  world: BankWorld,
  environment: TenantEnvironment,
  completion: Completion,
  complete: (reference: string | null) => Call,
  reference: string | null,
): Promise<void> {
  const { http, journal, random } = world;
  const { transactionId } = completion;
  const correct = async (): Promise<Verdict> =>
    judgeCorrection(
      journal,
      completion,
      await http.send({
        method: 'POST',
        path: `contributions/${transactionId}/correction`,
        pair: environment.completer,
        body: { reason: 'wrong contribution' },
      }),
    );
  completion.correction = 'sent';
  if (!(await untilAcknowledged(world, correct))) return;
  completion.correction = 'acknowledged';
  if (random.chance(0.5)) judgeLateRepeat(journal, completion, await http.send(complete(reference)));
  if (random.chance(0.5)) return;

  const another = `FT-${transactionId}-again`;
  completion.references.push(another);
  completion.replacement = 'sent';
  const again = async (): Promise<Verdict> =>
    judgeCompletion(journal, completion, await http.send(complete(another)));
  if (!(await untilAcknowledged(world, again))) return;
  completion.replacement = 'acknowledged';
  // The late repeat of the correction takes nothing back.
  if (random.chance(0.5)) await correct();
}
