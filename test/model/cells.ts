import { callerStates, keyStates, linkStates, pairStates, transactionStates } from './states';
import { principals } from './world';

/** What may be done, in what state, by whom: each combination is a cell, and every cell that can be must be visited. */
export interface Table {
  readonly title: string;
  readonly operations: readonly string[];
  readonly states: readonly string[];
  readonly principals: readonly string[];
}

const table = <const T extends Table>(one: T): T => one;

export const completions = [
  'complete',
  'complete, its amount',
  'complete, another amount',
  'complete, a first reference',
  'complete, the stored reference',
  'complete, another reference',
] as const;
export const retries = [
  'retry, the same request',
  'retry, another amount',
  'retry, another project',
  'retry, another user',
] as const;
export const listings = ['list', 'list by status', 'list by user', 'list by key'] as const;

/** Kinds of what is done at once. A create there has a new key, which all creates of the moment share. */
export const atOnce = ['create', 'retry', 'complete', 'read', 'issue', 'revoke', 'link', 'unlink'] as const;
export type AtOnce = (typeof atOnce)[number];

export const tables = {
  transaction: table({
    title: 'A transaction',
    operations: [...completions, 'read', ...retries, ...listings, 'main component'],
    states: transactionStates,
    principals,
  }),
  key: table({ title: 'An idempotency key', operations: ['create'], states: keyStates, principals }),
  created: table({
    title: "A contribution made while the owner's bank is",
    operations: ['create without a key', 'create with a new key'],
    states: linkStates,
    principals,
  }),
  caller: table({
    title: 'The pair of a request',
    operations: ['create', 'complete', 'read', 'list', 'main component'],
    states: callerStates,
    principals,
  }),
  pairs: table({
    title: 'Rotation of the pairs of a principal',
    operations: ['issue', 'revoke'],
    states: pairStates,
    principals,
  }),
  links: table({
    title: 'The link of owner and bank',
    operations: ['link', 'unlink'],
    states: linkStates,
    principals: ['operator'],
  }),
  atOnce: table({
    title: 'Two at once that concern each other',
    operations: atOnce,
    states: atOnce,
    principals: ['any'],
  }),
};
export type TableName = keyof typeof tables;

export interface Cell {
  readonly table: TableName;
  readonly operation: string;
  readonly state: string;
  readonly principal: string;
}

/** Why a cell cannot be; undefined when it can. */
export function impossibility({ table, operation, state, principal }: Cell): string | undefined {
  if (table === 'atOnce') {
    const isSecondHalf = atOnce.indexOf(operation as AtOnce) > atOnce.indexOf(state as AtOnce);
    return isSecondHalf ? 'at once has no order: the pair is counted in the other half' : undefined;
  }
  if (table === 'caller' && state === 'revoked between head and body' && operation !== 'complete') {
    return 'only a completion looks at the pair again after it has read the body';
  }
  if (table !== 'transaction') return undefined;
  if (state.endsWith('own') && (principal === 'owner' || principal === 'restricted')) {
    return "the owner's own transactions are all the other rows";
  }
  if (state === 'never issued') {
    if (/^(retry|list|main)/.test(operation))
      return 'what was never issued has no key and no user, and is in no list';
    if (operation === 'complete, its amount') return 'what was never issued has no amount';
  }
  const isCompleted = state.startsWith('completed');
  if (operation === 'complete, a first reference' && isCompleted) {
    return 'of what is completed a reference is either the stored one or another';
  }
  if (/stored|another reference/.test(operation) && !isCompleted) {
    return 'before the completion no reference is stored';
  }
  return undefined;
}

/** All cells, row by row. */
export const cells: readonly Cell[] = Object.entries(tables).flatMap(([name, each]) =>
  each.operations.flatMap((operation) =>
    each.states.flatMap((state) =>
      each.principals.map((principal) => ({ table: name as TableName, operation, state, principal })),
    ),
  ),
);

export const possibleCells = cells.filter((cell) => impossibility(cell) === undefined);
