import { createRandom } from '../faults/random';
import type { Action, Request } from './actions';
import type { AtOnce, Cell } from './cells';
import type { Session } from './session';
import {
  type CallerState,
  type KeyState,
  type LinkState,
  type PairState,
  type TransactionState,
} from './states';
import { newCreation, newName, reach, reachLink, type Target } from './targets';
import { environmentOf, type Principal } from './world';

type Sender = Pick<Request, 'by' | 'apiKey'>;

/** A request of this name in the table of transactions, for a transaction. */
function requestFor(operation: string, sender: Sender, target: Target, isOdd: boolean): Request {
  const { user, project, cents, key, id } = target;
  const complete = (more: { cents?: number; reference?: string | null }): Request => ({
    ...sender,
    kind: 'complete',
    id,
    cents: null,
    reference: null,
    ...more,
  });
  switch (operation) {
    case 'complete, its amount':
      return complete({ cents });
    case 'complete, another amount':
      return complete({ cents: cents + 1, reference: isOdd ? newName('FT') : null });
    case 'complete, a first reference':
    case 'complete, another reference':
      return complete({ reference: newName('FT') });
    case 'complete, the stored reference':
      return complete({ reference: target.reference });
    case 'read':
      return { ...sender, kind: 'read', id };
    case 'retry, the same request':
      return { ...sender, kind: 'create', user, project, cents, key };
    case 'retry, another request':
      return { ...sender, kind: 'create', user, project, cents: cents + 1, key };
    case 'list':
      return { ...sender, kind: 'list', filter: {} };
    case 'list by status':
      return { ...sender, kind: 'list', filter: { status: isOdd ? 'pending' : 'completed' } };
    case 'list by user':
      return { ...sender, kind: 'list', filter: { user_hash: user } };
    case 'list by key':
      return { ...sender, kind: 'list', filter: { idempotency_key: key! } };
    case 'main component':
      return { ...sender, kind: 'show', user };
    default:
      return complete({});
  }
}

const needsOf = (operation: string) => ({
  key: /^retry|by key$/.test(operation),
  reference: operation === 'complete, the stored reference',
});

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

async function takePairs(
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

async function takeCaller(session: Session, cell: Cell, number: number): Promise<void> {
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
      retry: () =>
        random.pick(['retry, the same request', 'retry, the same request', 'retry, another request']),
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
