import { createRandom } from '../faults/random';
import type { AtOnce, Cell } from './cells';
import { takeCaller, takePairs } from './pair-aims';
import { needsOf, requestFor } from './requests';
import type { Session } from './session';
import type { KeyState, LinkState, TransactionState } from './states';
import { newCreation, newName, reach, reachLink } from './targets';
import { takeTogether } from './together';
import { environmentOf, type Principal } from './world';

async function takeTransaction(session: Session, cell: Cell, number: number): Promise<void> {
  const by = cell.principal as Principal;
  const target = await reach(session, cell.state as TransactionState, by, number, needsOf(cell.operation));
  const apiKey = await session.livePair(by, number);
  await session.perform(requestFor(cell.operation, { by, apiKey }, target, number % 2 === 1));
}

async function takeKey(session: Session, { state, principal }: Cell, number: number): Promise<void> {
  const by = principal as Principal;
  const key = state === 'no key' ? null : newName('key');
  const creation = newCreation(session, createRandom(number), key);
  const isUsed = (state as KeyState).startsWith('used');
  if (isUsed) {
    const isElsewhere = state === 'used in another environment only';
    const inOwners = environmentOf[by] === 'owner';
    const first = isElsewhere ? (inOwners ? 'stranger' : 'owner') : by;
    await session.perform({ kind: 'create', by: first, apiKey: await session.livePair(first), ...creation });
  }
  const cents = state === 'used by another request' ? creation.cents + 1 : creation.cents;
  await session.perform({
    kind: 'create',
    by,
    apiKey: await session.livePair(by, number),
    ...creation,
    cents,
  });
}

async function takeCreated(
  session: Session,
  { operation, state, principal }: Cell,
  number: number,
): Promise<void> {
  const by = principal as Principal;
  await reachLink(session, state as LinkState);
  const key = operation === 'create without a key' ? null : newName('key');
  const creation = newCreation(session, createRandom(number), key);
  await session.perform({ kind: 'create', by, apiKey: await session.livePair(by, number), ...creation });
}

/** Brings the service into the state of a cell, and does there what the cell is about. */
export async function take(session: Session, cell: Cell, number: number): Promise<void> {
  switch (cell.table) {
    case 'transaction':
      return takeTransaction(session, cell, number);
    case 'key':
      return takeKey(session, cell, number);
    case 'created':
      return takeCreated(session, cell, number);
    case 'caller':
      return takeCaller(session, cell, number);
    case 'pairs':
      return takePairs(session, cell, number);
    case 'links':
      await reachLink(session, cell.state as LinkState);
      await session.perform({ kind: cell.operation as 'link' | 'unlink' });
      return;
    case 'atOnce': {
      const pair = [cell.operation, cell.state].map((kind) => ({
        kind: kind as AtOnce,
        by: 'owner' as const,
        number,
      }));
      return takeTogether(session, 'pending, created without a bank', pair, number);
    }
  }
}
