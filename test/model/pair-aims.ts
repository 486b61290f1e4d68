import { createRandom } from '../faults/random';
import type { Action } from './actions';
import type { Cell } from './cells';
import { requestFor } from './requests';
import type { Session } from './session';
import type { CallerState, PairState, TransactionState } from './states';
import { newName, reach } from './targets';
import type { Principal } from './world';

const liveKeys = (session: Session, of: Principal): string[] =>
  session
    .world()
    .pairs.filter((pair) => pair.of === of && pair.revokedAtMs === undefined)
    .map(({ apiKey }) => apiKey);

async function reachPairs(session: Session, of: Principal, wanted: PairState): Promise<void> {
  const count = { 'no live pair': 0, 'one live pair': 1, 'two live pairs': 2 }[wanted];
  while (liveKeys(session, of).length < count) await session.perform({ kind: 'issue', of });
  for (const apiKey of liveKeys(session, of).slice(count))
    await session.perform({ kind: 'revoke', of, apiKey });
}

/** Issues or revokes in a state of the pairs of a principal. */
export async function takePairs(
  session: Session,
  { operation, state, principal }: Cell,
  number: number,
): Promise<void> {
  const of = principal as Principal;
  await reachPairs(session, of, state as PairState);
  if (operation === 'issue') {
    await session.perform({ kind: 'issue', of });
    return;
  }
  // Without a live one, one that was revoked before.
  const live = liveKeys(session, of);
  const all = session.world().pairs.filter((pair) => pair.of === of);
  const apiKey = createRandom(number).pick(live.length > 0 ? live : all.map((pair) => pair.apiKey));
  await session.perform({ kind: 'revoke', of, apiKey });
}

/** The state in which a principal may complete, so that a refusal is the pair's doing. */
const completable: Readonly<Record<Principal, TransactionState>> = {
  owner: 'pending, created without a bank',
  restricted: 'pending, created without a bank',
  bank: 'pending, created under a link that is live',
  stranger: "pending, the caller's own",
  other: "pending, the caller's own",
};

/** A request by a pair in a state. */
export async function takeCaller(session: Session, cell: Cell, number: number): Promise<void> {
  const by = cell.principal as Principal;
  const state = cell.state as CallerState;
  const isOneOfTwo = state.endsWith('of two pairs');
  const target = await reach(session, completable[by], by, number);
  await reachPairs(session, by, isOneOfTwo ? 'two live pairs' : 'one live pair');
  const apiKey = state === 'the older of two pairs' ? liveKeys(session, by)[0]! : await session.livePair(by);
  const show: Action = { kind: 'show', by, apiKey, user: target.user };
  const operation = cell.operation === 'create' ? 'retry, the same request' : cell.operation;
  const key = newName('key');
  const request = requestFor(
    operation,
    { by, apiKey },
    cell.operation === 'create' ? { ...target, key } : target,
    false,
  );

  if (!isOneOfTwo) {
    // So that the service has the pair in memory when it is revoked.
    await session.perform(show);
    if (state === 'revoked between head and body' && request.kind === 'complete') {
      await session.performHeld(request, { kind: 'revoke', of: by, apiKey });
      return;
    }
    await session.perform({ kind: 'revoke', of: by, apiKey });
    const isRefused = () => session.world().pairs.find((pair) => pair.apiKey === apiKey)!.isRefused;
    // The model ends this after a second.
    while (state === 'revoked and refused before' && !isRefused()) await session.perform(show);
  }
  await session.perform(request);
}
