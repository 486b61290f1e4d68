import {
  type Cell,
  cells,
  keyStates,
  linkOperations,
  nameOf,
  pairOperations,
  possibleCells,
  whyImpossible,
} from './cells';
import { contestants, contestOperations, contestStates } from './contests';
import { operationNames } from './operations';
import { type Principal, principals } from './principals';
import { type RaceKind, raceKinds } from './races/index';
import { states } from './states';
import { undoneOperations, undoneParties, undoneStates } from './undone';
import { formatTable } from './table';

/** Counts the visited cells. */
export interface Visits {
  note(cell: Cell): void;
  /**
   * Records concurrent commands, and whether the order in which they were sent explains the
   * responses.
   */
  noteRace(kind: RaceKind, isInOrder: boolean): void;
  /** The names of the cells and races that should have been visited but were not. */
  missing(): string[];
  /** All counts as readable text. */
  table(): string;
}

const labels: Record<Principal, string> = {
  owner: 'owner',
  bank: 'linked bank',
  second: 'second linked bank',
  restricted: 'restricted pair of the owner',
  stranger: 'stranger',
  other: 'other environment of the owner',
};

const letterOf = (_name: string, place: number): string => String.fromCharCode('a'.charCodeAt(0) + place);

export function createVisits(): Visits {
  const counts = new Map<string, number>();
  const races = new Map<RaceKind, { inOrder: number; otherwise: number }>();
  const add = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  const count = (cell: Cell): string =>
    whyImpossible(cell) === undefined ? String(counts.get(nameOf(cell)) ?? 0) : '–';
  const raceOf = (kind: RaceKind) => races.get(kind) ?? { inOrder: 0, otherwise: 0 };

  function reasons(): string[] {
    const byReason = new Map<string, number>();
    for (const cell of cells) {
      const reason = whyImpossible(cell);
      if (reason !== undefined) byReason.set(reason, (byReason.get(reason) ?? 0) + 1);
    }
    return [...byReason].map(([reason, number]) => `  ${number} cells: ${reason}`);
  }

  const tables = (): string[] => [
    ...principals.map((principal) =>
      formatTable(
        `Operations by: ${labels[principal]}`,
        operationNames.map(letterOf),
        states.map((state) => [
          state,
          operationNames.map((operation) => count({ kind: 'transaction', state, operation, principal })),
        ]),
      ),
    ),
    formatTable(
      'The operator, by the state of a transaction',
      linkOperations,
      states.map((state) => [
        state,
        linkOperations.map((operation) => count({ kind: 'link', state, operation })),
      ]),
    ),
    formatTable(
      "Creating, by the contribution with the key in the caller's environment",
      principals,
      keyStates.map((state) => [
        state,
        principals.map((principal) => count({ kind: 'create', state, principal })),
      ]),
    ),
    formatTable(
      'Key pairs, by their state',
      principals,
      pairOperations.map((operation) => [
        operation,
        principals.map((principal) => count({ kind: 'pair', operation, principal })),
      ]),
    ),
    ...contestants.map((principal) =>
      formatTable(
        `Two banks of one company, operations by: ${labels[principal]}`,
        contestOperations,
        contestStates.map((state) => [
          state,
          contestOperations.map((operation) => count({ kind: 'contest', state, operation, principal })),
        ]),
      ),
    ),
    ...undoneParties.map((principal) =>
      formatTable(
        `After corrections and full returns, operations by: ${labels[principal]}`,
        undoneOperations,
        undoneStates.map((state) => [
          state,
          undoneOperations.map((operation) => count({ kind: 'undone', state, operation, principal })),
        ]),
      ),
    ),
    formatTable(
      'At the same time',
      ['explained by the order of sending', 'only by another order'],
      raceKinds.map((kind) => [kind, [String(raceOf(kind).inOrder), String(raceOf(kind).otherwise)]]),
    ),
  ];

  return {
    note: (cell) => {
      add(nameOf(cell));
    },
    noteRace(kind, isInOrder) {
      const { inOrder, otherwise } = raceOf(kind);
      races.set(
        kind,
        isInOrder ? { inOrder: inOrder + 1, otherwise } : { inOrder, otherwise: otherwise + 1 },
      );
    },
    missing: () => [
      ...possibleCells.filter((cell) => !counts.has(nameOf(cell))).map(nameOf),
      ...raceKinds.filter((kind) => !races.has(kind)),
    ],
    table() {
      const visited = possibleCells.map((cell) => counts.get(nameOf(cell)) ?? 0);
      return [
        `Operations:\n${operationNames.map((name, place) => `  ${letterOf(name, place)}  ${name}`).join('\n')}`,
        ...tables().map((text) => `\n${text}`),
        `\n${possibleCells.length} cells can be visited, the rarest was ${Math.min(...visited)} times, ${visited.reduce((sum, number) => sum + number, 0)} visits in all.`,
        'Marked –, because it cannot be:',
        ...reasons(),
      ].join('\n');
    },
  };
}
