import { createRandom, type Random } from '../faults/random';
import { drawTransactionId } from '../../src/shared/transaction-id';
import type { Creation } from './actions';
import type { Session } from './session';
import { linkState, type LinkState, transactionState, type TransactionState } from './states';
import { environmentOf, type Principal, type Transaction } from './world';

/** As much of a transaction as it takes to ask for it again. */
export interface Target extends Creation {
  readonly id: string;
  readonly reference: string | null;
}

/** What an action needs of the transaction that it is about. */
export interface Needs {
  readonly key?: boolean;
  readonly reference?: boolean;
}

let nameCount = 0;

/** A text that was never used before. */
export function newName(prefix: string): string {
  nameCount += 1;
  return `${prefix}-${nameCount}`;
}

const asTarget = (transaction: Transaction): Target => ({
  ...transaction,
  reference: transaction.completion?.reference ?? null,
});

/** The users of a sequence. */
export const usersOf = ({ name }: Session): string[] => [`Ann+${name}`, `ann+${name}`];

export function newCreation(session: Session, random: Random, key: string | null): Creation {
  return {
    user: random.pick(usersOf(session)),
    project: random.pick(session.stage.projects.slice(0, 3)),
    cents: random.pick([1, 2_500, 4_010]),
    key,
  };
}

/** Has the operator link or unlink until the owner's bank is as it is wanted; nobody can undo that it was linked. */
export async function reachLink(session: Session, wanted: LinkState): Promise<void> {
  const isLinked = () => linkState(session.world()) === 'linked';
  if (wanted === 'linked' && !isLinked()) await session.perform({ kind: 'link' });
  if (wanted !== 'unlinked') return;
  if (linkState(session.world()) === 'never linked') await session.perform({ kind: 'link' });
  if (isLinked()) await session.perform({ kind: 'unlink' });
}

type Step =
  'no link' | 'link' | 'create' | 'the company completes' | 'the bank completes' | 'the caller completes';

/** How to come by a transaction in each state. */
const recipes: Readonly<Record<Exclude<TransactionState, 'never issued'>, readonly Step[]>> = {
  'pending, created without a bank': ['no link', 'create'],
  'pending, created under a link that is live': ['link', 'create'],
  'pending, created under a link that has ended': ['link', 'create', 'no link'],
  'pending, created before a link that is live': ['no link', 'create', 'link'],
  'pending, created before a link that has ended': ['no link', 'create', 'link', 'no link'],
  'completed by the company': ['no link', 'create', 'the company completes'],
  'completed by the company, a bank linked since': ['no link', 'create', 'the company completes', 'link'],
  'completed by the bank, its link is live': ['link', 'create', 'the bank completes'],
  'completed by the bank, its link has ended': ['link', 'create', 'the bank completes', 'no link'],
  'completed by the bank, older than its link, which has ended': [
    'no link',
    'create',
    'link',
    'the bank completes',
    'no link',
  ],
  "pending, the caller's own": ['create'],
  "completed, the caller's own": ['create', 'the caller completes'],
};

async function make(
  session: Session,
  state: keyof typeof recipes,
  caller: Principal,
  random: Random,
  needs: Needs,
): Promise<Target> {
  const isOwn = state.endsWith('own');
  const creation = newCreation(session, random, needs.key || random.chance(0.5) ? newName('key') : null);
  const reference = needs.reference || random.chance(0.5) ? newName('FT') : null;
  let id = '';

  async function completedBy(by: Principal): Promise<void> {
    const apiKey = await session.livePair(by);
    await session.perform({ kind: 'complete', by, apiKey, id, cents: null, reference });
  }
  for (const step of recipes[state]) {
    if (step === 'link') await reachLink(session, 'linked');
    else if (step === 'no link') {
      if (linkState(session.world()) === 'linked') await session.perform({ kind: 'unlink' });
    } else if (step === 'create') {
      const by = isOwn ? caller : random.pick(['owner', 'owner', 'restricted'] as const);
      const apiKey = await session.livePair(by);
      const [answer] = await session.perform({ kind: 'create', by, apiKey, ...creation });
      id = answer?.outcome === 'created' ? answer.id : '';
    } else if (step === 'the company completes') await completedBy('owner');
    else await completedBy(step === 'the bank completes' ? 'bank' : caller);
  }
  return { ...creation, id, reference };
}

/** A transaction in a state: one that is there, or a new one. */
export async function reach(
  session: Session,
  state: TransactionState,
  caller: Principal,
  number: number,
  needs: Needs = {},
): Promise<Target> {
  const random = createRandom(number);
  if (state === 'never issued') {
    const id = drawTransactionId(session.tenants.ownersTag, new Date());
    return { ...newCreation(session, random, newName('key')), id, reference: null };
  }
  const world = session.world();
  const there = world.transactions
    .filter((each) => transactionState(world, each, environmentOf[caller]) === state)
    .map(asTarget)
    .filter(({ key, reference }) => !(needs.key && key === null) && !(needs.reference && reference === null));
  return there.length > 0 && random.chance(0.6)
    ? random.pick(there)
    : make(session, state, caller, random, needs);
}
