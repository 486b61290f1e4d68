import type { Position } from './position.field';
import type { AccountPositionsStore, UnclearEntries } from './account-positions.store';

type PossiblePaymentsStore = Pick<AccountPositionsStore, 'proposed' | 'unclear'>;

/** Positions that say that money is missing. */
const missing: ReadonlySet<Position> = new Set(['completed_without_money', 'short']);

/** Other positions in which a payment may be missing, such as the reversal of a return. */
const incomplete: ReadonlySet<Position> = new Set([
  'returned',
  'partially_returned',
  'unconfirmed',
  'waiting',
]);

interface Compared {
  transactionId: string;
  position: Position;
  /** The days on which its money was due. Null for a pending contribution. */
  due: { from: string; to: string } | null;
}

/** The unclear entries of the days on which missing money was due. */
async function unclearOf(
  store: PossiblePaymentsStore,
  viewer: number,
  contributions: readonly Compared[],
): Promise<UnclearEntries[]> {
  const days = contributions.flatMap(({ due }) => due ?? []);
  const [first] = days.map(({ from }) => from).sort();
  const last = days
    .map(({ to }) => to)
    .sort()
    .at(-1);
  return first === undefined || last === undefined ? [] : store.unclear(viewer, first, last);
}

/**
 * The number of entries to check for each contribution, by transaction_id: returns that are
 * proposed for it. If no money has arrived or it was returned, also payments that are proposed for
 * it. If its money is missing, also these payments, and unclear entries of the days on which its
 * money was due.
 */
export async function possiblePayments(
  store: PossiblePaymentsStore,
  viewer: number,
  contributions: readonly Compared[],
): Promise<ReadonlyMap<string, number>> {
  const proposed = await store.proposed(
    viewer,
    contributions.map(({ transactionId }) => transactionId),
  );
  const lacking = contributions.filter(({ position }) => missing.has(position));
  const unclear = await unclearOf(store, viewer, lacking);
  return new Map(
    contributions.map(({ transactionId, position, due }) => {
      const { payments = 0, returns = 0 } = proposed.get(transactionId) ?? {};
      if (!missing.has(position)) return [transactionId, returns + (incomplete.has(position) ? payments : 0)];
      const ofDays = unclear
        .filter(({ from, to }) => due !== null && from <= due.to && to >= due.from)
        .reduce((sum, { entries }) => sum + entries, 0);
      return [transactionId, returns + payments + ofDays];
    }),
  );
}
