import type { Action, Request } from './actions';
import { type AtOnce, atOnce, type Cell, cells, impossibility, type TableName } from './cells';
import { callerState, linkState, pairState, transactionState } from './states';
import { environmentOf, type Transaction, type World } from './world';

/** Counts which cells the sequences of a run have visited. */
export interface Visits {
  /** Something is about to be done by itself, in this world. */
  alone(world: World, action: Action): void;
  /** These are about to be done at once. */
  together(world: World, actions: readonly Action[]): void;
  /** The pair of this request was revoked between its head and its body. */
  held(request: Request): void;
  count(cell: Cell): number;
  /** The cells that can be and were never visited. */
  missed(): Cell[];
}

const keyOf = ({ table, operation, state, principal }: Cell): string =>
  [table, operation, state, principal].join(' | ');

function completionName(action: Extract<Request, { kind: 'complete' }>, of: Transaction | undefined): string {
  if (action.cents !== null) {
    return action.cents === of?.cents ? 'complete, its amount' : 'complete, another amount';
  }
  if (action.reference === null) return 'complete';
  if (!of?.completion) return 'complete, a first reference';
  return action.reference === of.completion.reference
    ? 'complete, the stored reference'
    : 'complete, another reference';
}

function listingName({ filter }: Extract<Request, { kind: 'list' }>): string {
  if (filter.status !== undefined) return 'list by status';
  if (filter.user_hash !== undefined) return 'list by user';
  return filter.idempotency_key === undefined ? 'list' : 'list by key';
}

/** The transactions that an action is about, and its name in the table for each. */
function concerned(world: World, action: Request): { name: string; transaction: Transaction }[] {
  const { transactions } = world;
  const named = (name: string, chosen: Transaction[]) => chosen.map((transaction) => ({ name, transaction }));
  switch (action.kind) {
    case 'create': {
      const { user, project, cents, key } = action;
      return transactions
        .filter((each) => key !== null && each.key === key)
        .map((transaction) => {
          const name =
            transaction.user !== user
              ? 'retry, another user'
              : transaction.project !== project
                ? 'retry, another project'
                : transaction.cents !== cents
                  ? 'retry, another amount'
                  : 'retry, the same request';
          return { name, transaction };
        });
    }
    case 'complete':
    case 'read': {
      const chosen = transactions.filter(({ id }) => id === action.id);
      return named(action.kind === 'read' ? 'read' : completionName(action, chosen[0]), chosen);
    }
    case 'list': {
      const { filter } = action;
      const chosen = transactions
        .filter(({ user }) => filter.user_hash === undefined || user === filter.user_hash)
        .filter(({ key }) => filter.idempotency_key === undefined || key === filter.idempotency_key);
      return named(listingName(action), chosen);
    }
    case 'show':
      return named(
        'main component',
        transactions.filter(({ user }) => user === action.user),
      );
  }
}

function keyState(world: World, { by, user, project, cents, key }: Extract<Request, { kind: 'create' }>) {
  if (key === null) return 'no key';
  const used = world.transactions.filter((each) => each.key === key);
  const own = used.find(({ environment }) => environment === environmentOf[by]);
  if (!own) return used.length > 0 ? 'used in another environment only' : 'unused';
  const isSame = own.user === user && own.project === project && own.cents === cents;
  return isSame ? 'used by the same request' : 'used by another request';
}

/** What an action is in the table of those done at once; undefined for one that has no place there. */
function atOnceName(world: World, action: Action): AtOnce | undefined {
  if (action.kind === 'create') return keyState(world, action) === 'unused' ? 'create' : 'retry';
  return atOnce.find((name) => name === action.kind);
}

/** Whether one may make a difference to the other: a pair concerns who uses it. */
function concernEachOther(one: Action, other: Action): boolean {
  if (one.kind === 'revoke') {
    return 'apiKey' in other ? other.apiKey === one.apiKey : 'of' in other ? other.of === one.of : true;
  }
  if (one.kind === 'issue') return 'of' in other ? other.of === one.of : true;
  return other.kind === 'revoke' ? concernEachOther(other, one) : true;
}

export function createVisits(): Visits {
  const counts = new Map<string, number>();
  const visit = (table: TableName, operation: string, state: string, principal: string): void => {
    const key = keyOf({ table, operation, state, principal });
    counts.set(key, (counts.get(key) ?? 0) + 1);
  };
  const count = (cell: Cell): number => counts.get(keyOf(cell)) ?? 0;

  function request(world: World, action: Request): void {
    const { by, kind } = action;
    const caller = callerState(world, action.apiKey);
    if (caller !== undefined) visit('caller', kind === 'show' ? 'main component' : kind, caller, by);
    // A pair that is refused tells nothing about the rest.
    if (caller?.startsWith('revoked')) return;

    const concerns = concerned(world, action);
    for (const { name, transaction } of concerns) {
      const state = transactionState(world, transaction, environmentOf[by]);
      if (state !== undefined) visit('transaction', name, state, by);
    }
    if ((kind === 'complete' || kind === 'read') && concerns.length === 0) {
      visit('transaction', kind === 'read' ? 'read' : completionName(action, undefined), 'never issued', by);
    }
    if (kind !== 'create') return;
    const state = keyState(world, action);
    visit('key', 'create', state, by);
    if (state === 'no key') visit('created', 'create without a key', linkState(world), by);
    if (state === 'unused') visit('created', 'create with a new key', linkState(world), by);
  }

  return {
    alone(world, action) {
      if (action.kind === 'link' || action.kind === 'unlink') {
        visit('links', action.kind, linkState(world), 'operator');
      } else if (action.kind === 'issue' || action.kind === 'revoke') {
        visit('pairs', action.kind, pairState(world, action.of), action.of);
      } else {
        request(world, action);
      }
    },
    together(world, actions) {
      actions.forEach((one, index) => {
        for (const other of actions.slice(index + 1)) {
          const names = [atOnceName(world, one), atOnceName(world, other)];
          const [first, second] = atOnce.filter((name) => names.includes(name));
          if (!first || !concernEachOther(one, other)) continue;
          visit('atOnce', first, second ?? first, 'any');
        }
      });
    },
    held({ kind, by }) {
      visit('caller', kind, 'revoked between head and body', by);
    },
    count,
    missed: () => cells.filter((cell) => impossibility(cell) === undefined && count(cell) === 0),
  };
}
