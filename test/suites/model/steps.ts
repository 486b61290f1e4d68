import { createRandom, type Random } from '../faults/random';
import { createAs, inState, neverIssuedTarget, ownersTransactions } from './bring-about';
import { type Cell, possibleCells } from './cells';
import { type Caller, environmentOfCaller } from './commands/command';
import { create, type CreateRequest, keyStateOf, type KeyState } from './commands/create';
import { linkCommands } from './commands/links';
import { inContest } from './contests';
import { buildOperation, type Operation, spelling, type Target } from './operations';
import { playPairOperation } from './pair-operations';
import type { Play } from './play';
import type { Principal } from './principals';
import { race, type RaceKind } from './races/index';
import { neverIssued, stateOf } from './states';
import { inUndone } from './undone';
import type { Visits } from './visits';

/**
 * One step of a sequence. Open choices are drawn from its number, so the step alone determines its
 * actions.
 */
export type Step =
  | { readonly visit: Cell; readonly draw: number }
  | { readonly race: RaceKind; readonly draw: number }
  | { readonly anything: true; readonly draw: number };

/** Performs an operation on a transaction, and records its cell. */
async function operate(
  play: Play,
  random: Random,
  visits: Visits,
  operation: Operation,
  principal: Principal,
  target: Target,
): Promise<void> {
  const caller = await play.caller(principal, random);
  const state = stateOf(play.belief(), target.id);
  await play.perform([await buildOperation(operation, caller, target, play, random)]);
  visits.note({ kind: 'transaction', state, operation, principal });
}

/** A difference from the first request with the key. */
const differences: Record<KeyState, (request: CreateRequest, play: Play) => Partial<CreateRequest>> = {
  'no key': () => ({ key: undefined }),
  unused: (_request, play) => ({ key: `order ${play.next()}` }),
  'the same request': () => ({}),
  'another amount': ({ cents }) => ({ cents: cents + 1 }),
  'another project': ({ project }, { shared }) => ({
    project: shared.projects.find((other) => other !== project)!,
  }),
  'another user': ({ user }) => ({ user: `${user}+` }),
};

async function createUnderKey(play: Play, random: Random, visits: Visits, caller: Caller, state: KeyState) {
  const there = [...play.belief().transactions.values()].filter(
    ({ environment, key }) => environment === environmentOfCaller(caller) && key !== undefined,
  );
  const earlier = there.length > 0 ? random.pick(there) : await createAs(play, random, caller.principal);
  const { key, project, cents, user } = earlier;
  const same = { key, project, cents, user, ...spelling(random) };
  const request = { ...same, ...differences[state](same, play) };
  const found = keyStateOf(play.belief(), caller, request);
  await play.perform([create(caller, request)]);
  visits.note({ kind: 'create', state: found, principal: caller.principal });
}

/** Prepares the state of a cell and performs its action. */
async function visit(play: Play, random: Random, visits: Visits, cell: Cell): Promise<void> {
  if (cell.kind === 'transaction') {
    const target = await inState(play, random, cell.state);
    await operate(play, random, visits, cell.operation, cell.principal, target);
  } else if (cell.kind === 'link') {
    await inState(play, random, cell.state);
    await play.perform([linkCommands[cell.operation]]);
    visits.note(cell);
  } else if (cell.kind === 'contest' || cell.kind === 'undone') {
    const target = await (cell.kind === 'contest'
      ? inContest(play, random, cell.state)
      : inUndone(play, random, cell.state));
    const caller = await play.caller(cell.principal, random);
    await play.perform([await buildOperation(cell.operation, caller, target, play, random)]);
    visits.note(cell);
  } else if (cell.kind === 'create') {
    await createUnderKey(play, random, visits, await play.caller(cell.principal, random), cell.state);
  } else {
    const target = random.pick([neverIssuedTarget(play, random), ...ownersTransactions(play)]);
    await playPairOperation(play, random, cell, target);
    visits.note(cell);
  }
}

/** The same operations on any existing transaction in any state. */
async function anything(play: Play, random: Random, visits: Visits): Promise<void> {
  const cell = random.pick(possibleCells);
  if (cell.kind !== 'transaction') return visit(play, random, visits, cell);
  const withKeys = ownersTransactions(play).filter(({ key }) => key !== undefined);
  const isRetry = cell.operation.startsWith('retry');
  const target =
    withKeys.length > 0 && (isRetry || cell.state !== neverIssued)
      ? random.pick(withKeys)
      : isRetry
        ? await createAs(play, random, random.pick(['owner', 'restricted']))
        : neverIssuedTarget(play, random);
  return operate(play, random, visits, cell.operation, cell.principal, target);
}

/** Performs one step of a sequence. */
export async function takeStep(play: Play, visits: Visits, step: Step): Promise<void> {
  const random = createRandom(step.draw);
  if ('visit' in step) await visit(play, random, visits, step.visit);
  else if ('race' in step) visits.noteRace(step.race, await race(play, random, step.race));
  else await anything(play, random, visits);
}
