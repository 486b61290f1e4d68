import type { KeyState } from './commands/create';
import type { OwnersBank } from './commands/links';
import {
  contestants,
  type ContestOperation,
  contestOperations,
  type ContestState,
  contestStates,
} from './contests';
import { type Operation, operationNames } from './operations';
import { type Principal, principals } from './principals';
import {
  type UndoneOperation,
  undoneOperations,
  undoneParties,
  type UndoneState,
  undoneStates,
} from './undone';
import { impossibility, neverIssued, type State, states } from './states';

/** The operator's actions on a link, which affect every transaction of the company. */
export const linkOperations = ['link', 'unlink', 'void'] as const;
export type LinkOperation = (typeof linkOperations)[number];

export const keyStates: readonly KeyState[] = [
  'no key',
  'unused',
  'the same request',
  'another amount',
  'another project',
  'another user',
];

/** An action on the key pairs of a principal, and the state in which it happens. */
export const pairOperations = [
  'none live: issue',
  'one live: issue',
  'two live: issue',
  'one live: revoke',
  'two live: revoke',
  'revoked: revoke',
  'revoked: create',
  'revoked: complete',
  'revoked: read',
  'revoked: list',
  'revoked: main component',
] as const;
export type PairOperation = (typeof pairOperations)[number];

/** One cell of the table of visits. */
export type Cell =
  | { kind: 'transaction'; state: State; operation: Operation; principal: Principal }
  | { kind: 'link'; state: State; operation: LinkOperation }
  | { kind: 'create'; state: KeyState; principal: Principal }
  | { kind: 'pair'; operation: PairOperation; principal: Principal }
  | {
      kind: 'undone';
      state: UndoneState;
      operation: UndoneOperation;
      principal: (typeof undoneParties)[number];
    }
  | { kind: 'contest'; state: ContestState; operation: ContestOperation; principal: OwnersBank };

/** The name under which visits are counted. */
export function nameOf(cell: Cell): string {
  return Object.values(cell).join(' | ');
}

/** Why the cell cannot be reached; undefined for one that must be visited. */
export function whyImpossible(cell: Cell): string | undefined {
  if (cell.kind !== 'transaction' && cell.kind !== 'link') return undefined;
  if (cell.kind === 'transaction' && cell.state === neverIssued && cell.operation.startsWith('retry'))
    return 'no create used the key, so this is a create: see the table of keys';
  if (cell.kind === 'link' && cell.state === neverIssued)
    return 'a link is made for a company: see the states of its transactions';
  return impossibility(cell.state);
}

/** Every cell, including impossible ones. */
export const cells: readonly Cell[] = [
  ...states.flatMap((state) =>
    operationNames.flatMap((operation) =>
      principals.map((principal): Cell => ({ kind: 'transaction', state, operation, principal })),
    ),
  ),
  ...states.flatMap((state) => linkOperations.map((operation): Cell => ({ kind: 'link', state, operation }))),
  ...keyStates.flatMap((state) =>
    principals.map((principal): Cell => ({ kind: 'create', state, principal })),
  ),
  ...pairOperations.flatMap((operation) =>
    principals.map((principal): Cell => ({ kind: 'pair', operation, principal })),
  ),
  ...undoneStates.flatMap((state) =>
    undoneOperations.flatMap((operation) =>
      undoneParties.map((principal): Cell => ({ kind: 'undone', state, operation, principal })),
    ),
  ),
  ...contestStates.flatMap((state) =>
    contestOperations.flatMap((operation) =>
      contestants.map((principal): Cell => ({ kind: 'contest', state, operation, principal })),
    ),
  ),
];

/** The reachable cells. */
export const possibleCells = cells.filter((cell) => whyImpossible(cell) === undefined);
