import type { Action, Answer, ErrorCode, Happening, Request, View } from './actions';
import { maySee, mayComplete } from './rights';
import { environmentOf, type Pair, type Principal, type Transaction, type World } from './world';

/**
 * The small model: what each action answers and what it leaves, one after the other. It is written from the decision
 * records and the guides for partners and banks, and shares no code with the service.
 */
export interface Possible {
  readonly answer: Answer;
  readonly world: World;
}

type Kind<Of extends Action['kind']> = Extract<Action, { kind: Of }>;

/** A revoked pair may be taken for a live one at most this long (decision record 2). */
const revocationReachesMs = 1_000;

const scopeless: Readonly<Record<Principal, readonly Request['kind'][]>> = {
  owner: [],
  bank: [],
  restricted: ['complete', 'read', 'list'],
  stranger: [],
  other: [],
};

const dollars = (cents: number): string => (cents / 100).toFixed(2);

function view(transaction: Transaction, principal: Principal): View {
  const isOwn = transaction.environment === environmentOf[principal];
  return {
    id: transaction.id,
    status: transaction.completion ? 'completed' : 'pending',
    project: transaction.project,
    amount: dollars(transaction.cents),
    hasCompletionTime: transaction.completion !== undefined,
    reference: transaction.completion?.reference ?? null,
    own: isOwn ? { user: transaction.user, key: transaction.key } : undefined,
  };
}

function changed(world: World, transaction: Transaction): World {
  const transactions = world.transactions.map((each) => (each.id === transaction.id ? transaction : each));
  return { ...world, now: world.now + 1, transactions };
}

function create(world: World, action: Kind<'create'>, newId: string): Possible {
  const environment = environmentOf[action.by];
  const { user, project, cents, key } = action;
  const earlier = world.transactions.find(
    (each) => key !== null && each.environment === environment && each.key === key,
  );
  if (earlier) {
    const isSame = earlier.user === user && earlier.project === project && earlier.cents === cents;
    return {
      answer: isSame ? { outcome: 'created before', id: earlier.id } : { outcome: 'idempotency_key_reused' },
      world,
    };
  }
  const created = { environment, user, project, cents, key, createdAt: world.now, createdBy: action.apiKey };
  const transaction = { id: newId, ...created, completion: undefined, attempts: [] };
  return {
    answer: { outcome: 'created', id: newId },
    world: { ...world, now: world.now + 1, transactions: [...world.transactions, transaction] },
  };
}

function complete(world: World, action: Kind<'complete'>): Possible {
  const environment = environmentOf[action.by];
  const { id, apiKey, cents, reference } = action;
  const refuse = (outcome: ErrorCode): Possible => ({ answer: { outcome }, world });
  const found = world.transactions.find((each) => each.id === id);
  if (!found || !maySee(world, environment, found)) return refuse('transaction_not_found');
  if (!mayComplete(world, environment, found)) return refuse('completion_reserved_for_bank');

  const noted = (type: 'refused' | 'repeated') =>
    changed(world, { ...found, attempts: [...found.attempts, { type, apiKey, cents, reference }] });
  if (cents !== null && cents !== found.cents) {
    return { answer: { outcome: 'amount_mismatch' }, world: noted('refused') };
  }
  if (found.completion) {
    const isOther = reference !== null && reference !== found.completion.reference;
    return { answer: { outcome: 'completed before', id }, world: isOther ? noted('repeated') : world };
  }
  const completion = { by: environment, apiKey, cents, reference, at: world.now };
  return { answer: { outcome: 'completed', id }, world: changed(world, { ...found, completion }) };
}

function list(world: World, { by, filter }: Kind<'list'>): Answer {
  const transactions = world.transactions
    .filter((each) => maySee(world, environmentOf[by], each))
    .map((each) => view(each, by))
    .filter(({ status }) => filter.status === undefined || filter.status === status)
    // Whoever does not see the hash and the key finds nothing by them.
    .filter(({ own }) => filter.user_hash === undefined || filter.user_hash === own?.user)
    .filter(({ own }) => filter.idempotency_key === undefined || filter.idempotency_key === own?.key);
  return { outcome: 'listed', transactions };
}

/** Supported is what the user has completed a contribution to, in this environment. Then come four others. */
function show(world: World, { by, user }: Kind<'show'>): Answer {
  const latestFirst = world.transactions
    .filter((each) => each.environment === environmentOf[by] && each.user === user && each.completion)
    .sort((one, other) => other.completion!.at - one.completion!.at);
  const supported = [...new Set(latestFirst.map(({ project }) => project))];
  const fresh = world.projects.filter((project) => !supported.includes(project)).slice(0, 4);
  const element = (isSupported: boolean) => (id: number) => ({ id, isSupported });
  return { outcome: 'shown', projects: [...supported.map(element(true)), ...fresh.map(element(false))] };
}

/** Of a request whose pair is taken for a live one. */
function answered(world: World, action: Request, newId: string): Possible {
  if (scopeless[action.by].includes(action.kind)) return { answer: { outcome: 'scope_missing' }, world };
  if (action.kind === 'create') return create(world, action, newId);
  if (action.kind === 'complete') return complete(world, action);
  if (action.kind === 'list') return { answer: list(world, action), world };
  if (action.kind === 'show') return { answer: show(world, action), world };
  const found = world.transactions.find((each) => each.id === action.id);
  const isSeen = found && maySee(world, environmentOf[action.by], found);
  if (!isSeen) return { answer: { outcome: 'transaction_not_found' }, world };
  return { answer: { outcome: 'found', transaction: view(found, action.by) }, world };
}

const withPair = (world: World, pair: Pair): World => ({
  ...world,
  pairs: world.pairs.map((each) => (each.apiKey === pair.apiKey ? pair : each)),
});

function request(world: World, action: Request, sentAt: number, newId: string): Possible[] {
  const pair = world.pairs.find(({ apiKey }) => apiKey === action.apiKey);
  const refused: Answer = { outcome: 'credentials_invalid' };
  if (!pair) return [{ answer: refused, world }];
  if (pair.revokedAtMs === undefined) return [answered(world, action, newId)];

  // From the first refusal on the service knows; without one it has a second. A completion never waits for that: the
  // statement looks at the pair itself, and that says nothing about what other requests are answered.
  const isKnown = pair.isRefused || sentAt > pair.revokedAtMs + revocationReachesMs;
  const isCheckedAgain = action.kind === 'complete' && !scopeless[action.by].includes('complete');
  if (isCheckedAgain) return [{ answer: refused, world }];
  const refusal = { answer: refused, world: withPair(world, { ...pair, isRefused: true }) };
  return isKnown ? [refusal] : [refusal, answered(world, action, newId)];
}

function issue(world: World, { of }: Kind<'issue'>, apiKey: string): Possible {
  const live = world.pairs.filter((pair) => pair.of === of && pair.revokedAtMs === undefined);
  if (live.length >= 2) return { answer: { outcome: 'refused' }, world };
  const pair: Pair = { of, apiKey, revokedAtMs: undefined, isRefused: false };
  return { answer: { outcome: 'issued', apiKey }, world: { ...world, pairs: [...world.pairs, pair] } };
}

function revoke(world: World, { apiKey }: Kind<'revoke'>, revokedAtMs: number): Possible {
  const pair = world.pairs.find((each) => each.apiKey === apiKey);
  if (pair?.revokedAtMs !== undefined) return { answer: { outcome: 'refused' }, world };
  return { answer: { outcome: 'done' }, world: pair ? withPair(world, { ...pair, revokedAtMs }) : world };
}

function link(world: World, isWanted: boolean): Possible {
  const current = world.links.find(({ until }) => until === undefined);
  const done: Answer = { outcome: 'done' };
  if (isWanted && current) return { answer: done, world };
  if (!isWanted && !current) return { answer: { outcome: 'refused' }, world };
  const links = current
    ? world.links.map((each) => (each === current ? { ...each, until: world.now } : each))
    : [...world.links, { from: world.now, until: undefined }];
  return { answer: done, world: { ...world, now: world.now + 1, links } };
}

/**
 * What may come of an action in a world. New ids and keys, which the model cannot foresee, and the times at which it was
 * sent and answered, are taken from what has happened.
 */
export function possibilities(world: World, { action, answer, sentAt, answeredAt }: Happening): Possible[] {
  if (action.kind === 'link' || action.kind === 'unlink') return [link(world, action.kind === 'link')];
  if (action.kind === 'issue') {
    return [issue(world, action, answer.outcome === 'issued' ? answer.apiKey : 'a new key')];
  }
  if (action.kind === 'revoke') return [revoke(world, action, answeredAt)];
  const isNew = answer.outcome === 'created' && !world.transactions.some(({ id }) => id === answer.id);
  return request(world, action, sentAt, isNew ? answer.id : 'a new transaction_id');
}
