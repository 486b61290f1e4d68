import type { Random } from '../faults/random';
import { complete } from './commands/complete';
import { correct, correctAsOperator } from './commands/correct';
import { create } from './commands/create';
import { linkWith, unlinkFrom, voidLink } from './commands/links';
import { moneyReturn } from './commands/return';
import { linkInForce, type Model, type Transaction } from './model';
import { spelling, type Target } from './operations';
import type { Play } from './play';
import { type Principal } from './principals';
import { neverIssued, type State, stateOf } from './states';
import { neverIssuedId } from './transaction-ids';

export type Happening =
  | ('link' | 'unlink' | 'void' | 'link second' | 'unlink second' | 'create')
  | ('company completes' | 'bank completes' | 'second completes')
  | ('company corrects' | 'bank corrects' | 'operator corrects')
  | ('company returns' | 'bank returns' | 'bank repeats');

/** The actions, in order, that bring a transaction into a state. An existing link is kept. */
const recipes: Partial<Record<State, readonly Happening[]>> = {
  'pending, never under a bank': ['unlink', 'create'],
  'pending, created under a link': ['link', 'create'],
  'pending, created under a link that ended': ['link', 'create', 'unlink'],
  'pending, created under an ended link, linked again': ['link', 'create', 'unlink', 'link'],
  'pending, created before a link': ['unlink', 'create', 'link'],
  'pending, created before a link that ended': ['unlink', 'create', 'link', 'unlink'],
  'by company, never under a bank': ['unlink', 'create', 'company completes'],
  'by company, created before a link': ['unlink', 'create', 'company completes', 'link'],
  'by company, created before a link that ended': ['unlink', 'create', 'link', 'unlink', 'company completes'],
  'by bank, never under a bank': ['unlink', 'create', 'link', 'bank completes', 'void'],
  'by bank, created under a link': ['link', 'create', 'bank completes'],
  'by bank, created under a link that ended': ['link', 'create', 'bank completes', 'unlink'],
  'by bank, created under an ended link, linked again': [
    'link',
    'create',
    'unlink',
    'bank completes',
    'link',
  ],
  'by bank, created before a link': ['unlink', 'create', 'link', 'bank completes'],
  'by bank, created before a link that ended': ['unlink', 'create', 'link', 'bank completes', 'unlink'],
};

/** Other ways into a state: a link that is voided leaves no trace in the state. */
const detours: Partial<Record<State, readonly Happening[]>> = {
  'pending, never under a bank': ['link', 'create', 'void'],
  'pending, created before a link': ['link', 'create', 'void', 'link'],
  'by company, never under a bank': ['link', 'create', 'void', 'company completes'],
};

/** The owner's transactions, which are the targets of the operations. */
export function ownersTransactions(play: Play): Transaction[] {
  return [...play.belief().transactions.values()].filter(({ environment }) => environment === 'owner');
}

/** Creates a contribution as a principal, with a new key by default. */
export async function createAs(
  play: Play,
  random: Random,
  principal: Principal,
  hasKey = true,
): Promise<Transaction> {
  const before = new Set(play.belief().transactions.keys());
  const request = {
    key: hasKey ? `order ${play.next()}` : undefined,
    project: random.pick(play.shared.projects),
    cents: random.integer(1, 100_000),
    user: `user-${random.integer(1, 3)}`,
    ...spelling(random),
  };
  await play.perform([create(await play.caller(principal, random), request)]);
  return [...play.belief().transactions.values()].find(({ id }) => !before.has(id))!;
}

async function completeAs(play: Play, random: Random, principal: Principal, id: string): Promise<void> {
  const isFirst = play.belief().transactions.get(id)?.completion === undefined;
  const evidence = isFirst && random.chance(0.5) ? {} : { reference: `FT ${play.next()}` };
  await play.perform([complete(await play.caller(principal, random), id, evidence)]);
}

/** Takes the completion back: all the money was returned, or none had moved. */
async function takeBack(play: Play, random: Random, happening: Happening, id: string): Promise<void> {
  if (happening === 'operator corrects') {
    await play.perform([correctAsOperator(id, `reason ${play.next()}`)]);
    return;
  }
  const caller = await play.caller(happening.startsWith('bank') ? 'bank' : 'owner', random);
  if (happening.endsWith('corrects')) {
    await play.perform([correct(caller, id, `reason ${play.next()}`)]);
    return;
  }
  const { cents } = play.belief().transactions.get(id)!;
  const first = random.integer(1, cents);
  for (const part of first === cents ? [cents] : [first, cents - first])
    await play.perform([moneyReturn(caller, id, { cents: part, reference: `RT ${play.next()}` })]);
}

/** A transaction that does not exist: an id in the owner's format, with an unused key and user. */
export function neverIssuedTarget(play: Play, random: Random): Target {
  const [any] = ownersTransactions(play);
  return {
    id: neverIssuedId(random, any?.id),
    key: `order ${play.next()}`,
    project: random.pick(play.shared.projects),
    cents: random.integer(1, 100_000),
    user: `nobody-${play.next()}`,
    completion: undefined,
    returns: [],
    events: [],
  };
}

/** Applies actions to a new transaction, and returns its id. */
export async function bringAbout(
  play: Play,
  random: Random,
  happenings: readonly Happening[],
): Promise<string> {
  let id = '';
  for (const happening of happenings) {
    const bank = happening.endsWith(' second') ? 'second' : 'bank';
    const isLinked = linkInForce(play.belief(), 'owner', bank) >= 0;
    if (happening === 'create') ({ id } = await createAs(play, random, random.pick(['owner', 'restricted'])));
    if (happening.startsWith('link') && !isLinked) await play.perform([linkWith(bank)]);
    if (happening.startsWith('unlink') && isLinked) await play.perform([unlinkFrom(bank)]);
    if (happening === 'void') await play.perform([voidLink]);
    if (happening === 'company completes') await completeAs(play, random, 'owner', id);
    if (happening === 'bank completes') await completeAs(play, random, 'bank', id);
    if (happening === 'second completes') await completeAs(play, random, 'second', id);
    if (happening === 'bank repeats') await completeAs(play, random, 'bank', id);
    if (/corrects|returns/.test(happening)) await takeBack(play, random, happening, id);
  }
  return id;
}

/**
 * The states in the table assume one bank; a transaction with a second bank is in a contest
 * (contests.ts).
 */
function concernsSecondBank({ links }: Model, { linksBefore, createdUnder }: Transaction): boolean {
  return links.some(
    ({ bank, isInForce }, place) =>
      bank === 'second' && (isInForce || place >= linksBefore || createdUnder.includes(place)),
  );
}

/** Finds a transaction with a key in a state, or creates one. */
export async function inState(play: Play, random: Random, state: State): Promise<Target> {
  if (state === neverIssued) return neverIssuedTarget(play, random);
  const there = ownersTransactions(play).filter(
    (transaction) =>
      transaction.key !== undefined &&
      stateOf(play.belief(), transaction.id) === state &&
      !concernsSecondBank(play.belief(), transaction),
  );
  if (there.length > 0) return random.pick(there);
  const recipe = (random.chance(0.5) ? detours[state] : undefined) ?? recipes[state];
  if (!recipe) throw new Error(`no actions lead to: ${state}`);
  const id = await bringAbout(play, random, ['unlink second', ...recipe]);
  const reached = stateOf(play.belief(), id);
  if (reached !== state) throw new Error(`meant to bring about "${state}", reached "${reached}"`);
  return play.belief().transactions.get(id)!;
}
