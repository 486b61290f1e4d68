import type { Random } from '../faults/random';
import type { Caller, Command } from './commands/command';
import { complete } from './commands/complete';
import { correct } from './commands/correct';
import { create, type CreateRequest } from './commands/create';
import { list } from './commands/list';
import { showMainComponent } from './commands/main-component';
import { read } from './commands/read';
import { moneyReturn, undo } from './commands/return';
import type { Transaction } from './model';
import type { Play } from './play';

/** The target of an operation: a transaction, or one that does not exist. */
export type Target = Pick<
  Transaction,
  'id' | 'key' | 'project' | 'cents' | 'user' | 'completion' | 'returns' | 'events'
>;

type Build = (caller: Caller, target: Target, play: Play, random: Random) => Command | Promise<Command>;

/** A first name, or none. */
export const drawName = (random: Random): string | undefined =>
  random.chance(0.75) ? random.pick(['Amelia', 'Noor', 'Tomás']) : undefined;

/** The form of a create does not matter (decision 5), so it is random. */
export function spelling(random: Random): Pick<CreateRequest, 'name' | 'route' | 'amountIsNumber'> {
  return {
    name: drawName(random),
    route: random.pick(['contributions/create', 'orders/make', 'create/payment']),
    amountIsNumber: random.chance(0.5),
  };
}

/** A completion with the usual reference of this transaction, the same each time. */
const usualReference = (target: Target): string => target.completion?.reference ?? `FT ${target.id}`;

/** Every reference that an earlier request stated for this transaction, and the usual one. */
const earlierReferences = (target: Target): string[] => [
  usualReference(target),
  ...target.events
    .map(({ evidence }) => evidence['bank_reference'])
    .filter((reference) => typeof reference === 'string'),
];

const randomUuid = (random: Random): string =>
  `019aa1b2-8d4e-7f60-9a7b-${String(random.integer(0, 999_999_999)).padStart(12, '0')}`;

const anotherProject = ({ project }: Target, { shared }: Play): number =>
  shared.projects[(shared.projects.indexOf(project) + 1) % shared.projects.length]!;

/** A time range of completions: the latest mark, everything before it, or the future. */
async function listWindow(caller: Caller, play: Play, random: Random): Promise<Command> {
  const before = random.pick(play.marks);
  const now = await play.mark();
  return list(
    caller,
    random.pick([
      { completedFrom: before, completedTo: now },
      { completedTo: before },
      { completedFrom: before },
      { completedFrom: now },
    ]),
  );
}

const again = (
  caller: Caller,
  { key, project, cents, user }: Target,
  random: Random,
  difference: Partial<CreateRequest> = {},
): Command => create(caller, { key, project, cents, user, ...spelling(random), ...difference });

/** Every operation on a transaction. */
export const operations = {
  'complete: plain': (caller, target) => complete(caller, target.id),
  'complete: its amount': (caller, target) => complete(caller, target.id, { cents: target.cents }),
  'complete: another amount': (caller, target, play) =>
    complete(caller, target.id, { cents: target.cents + 1, reference: `FT ${play.next()}` }),
  'complete: its reference': (caller, target) =>
    complete(caller, target.id, { reference: usualReference(target) }),
  'complete: an earlier reference': (caller, target, _play, random) =>
    complete(caller, target.id, { reference: random.pick(earlierReferences(target)) }),
  'complete: another reference': (caller, target, play) =>
    complete(caller, target.id, { reference: `FT ${play.next()}`, valueDate: '2026-11-20' }),
  'return: all of it': (caller, target) =>
    moneyReturn(caller, target.id, { cents: target.cents, reference: `RT ${target.id}` }),
  'return: one cent more': (caller, target) =>
    moneyReturn(caller, target.id, { cents: target.cents + 1, reference: `RT ${target.id}` }),
  'return: a part': (caller, target, play, random) =>
    moneyReturn(caller, target.id, {
      cents: random.integer(1, target.cents),
      reference: `RT ${play.next()}`,
    }),
  correct: (caller, target) => correct(caller, target.id, 'wrong contribution'),
  'correct: another reason': (caller, target, play) => correct(caller, target.id, `reason ${play.next()}`),
  'undo a return': (caller, { id, returns }, _play, random) => {
    const known = returns.filter(({ undoes }) => undoes === undefined);
    if (known.length === 0)
      return undo(caller, id, { undoes: randomUuid(random), cents: 1, reference: 'PA' });
    const { id: undoes = '', cents } = random.pick(known);
    return undo(caller, id, {
      undoes,
      cents: random.pick([cents, cents, 1]),
      reference: `PA ${undoes} ${random.integer(1, 2)}`,
    });
  },
  read: (caller, target) => read(caller, target.id),
  'list: pending': (caller) => list(caller, { status: 'pending' }),
  'list: completed': (caller) => list(caller, { status: 'completed' }),
  'list: window': (caller, _target, play, random) => listWindow(caller, play, random),
  'list: by key': (caller, { key }) => list(caller, { key }),
  'list: by user': (caller, { user }) => list(caller, { user }),
  'main component': (caller, { user }) => showMainComponent(caller, user),
  'retry: the same': (caller, target, _play, random) => again(caller, target, random),
  'retry: another amount': (caller, target, _play, random) =>
    again(caller, target, random, { cents: target.cents + 1 }),
  'retry: another project': (caller, target, play, random) =>
    again(caller, target, random, { project: anotherProject(target, play) }),
  'retry: another user': (caller, target, _play, random) =>
    again(caller, target, random, { user: `${target.user}+` }),
} as const satisfies Record<string, Build>;

export type Operation = keyof typeof operations;
export const operationNames = Object.keys(operations) as Operation[];

/** Builds an operation for a caller and a target. */
export function buildOperation(
  name: Operation,
  ...[caller, target, play, random]: Parameters<Build>
): Command | Promise<Command> {
  const build: Build = operations[name];
  return build(caller, target, play, random);
}
