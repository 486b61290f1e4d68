import { createRandom } from '../faults/random';
import type { Action } from './actions';
import { type AtOnce, retries } from './cells';
import { requestFor } from './requests';
import type { Session } from './session';
import type { TransactionState } from './states';
import { newCreation, newName, reach } from './targets';
import type { Principal } from './world';

/** One of several things that are done at once. */
export interface Part {
  readonly kind: AtOnce;
  readonly by: Principal;
  readonly number: number;
}

const completionsAtOnce = [
  'complete',
  'complete',
  'complete, its amount',
  'complete, another amount',
  'complete, another reference',
];

/** Does some things at once that have to do with one transaction, or one new key. */
export async function takeTogether(
  session: Session,
  state: TransactionState,
  parts: readonly Part[],
  number: number,
): Promise<void> {
  const target = await reach(session, state, 'stranger', number, { key: true });
  const creation = newCreation(session, createRandom(number), newName('key'));
  for (const { by } of parts) await session.livePair(by);
  const actions: Action[] = [];
  for (const { kind, by, number: detail } of parts) {
    const random = createRandom(detail);
    const apiKey = await session.livePair(by);
    const sender = { by, apiKey };
    const operations = {
      retry: () => random.pick([retries[0], retries[0], ...retries]),
      complete: () => random.pick(completionsAtOnce),
      read: () => 'read',
    };
    if (kind === 'link' || kind === 'unlink') actions.push({ kind });
    else if (kind === 'issue') actions.push({ kind, of: by });
    else if (kind === 'revoke') actions.push({ kind, of: by, apiKey });
    else if (kind === 'create') {
      const cents = random.chance(0.75) ? creation.cents : creation.cents + 1;
      actions.push({ ...sender, kind, ...creation, cents });
    } else actions.push(requestFor(operations[kind](), sender, target, random.chance(0.5)));
  }
  await session.perform(...actions);
}
