import type { Position } from './matching/position.field';
import type { PossiblePaymentsStore } from './possible-payments.store';

/** Positions that say that money is missing. */
const missing: ReadonlySet<Position> = new Set(['completed_without_money', 'short']);

interface Missing {
  transactionId: string;
  position: Position;
  /** The days on which its money was due. Null for a pending contribution. */
  due: { from: string; to: string } | null;
}

/**
 * The number of entries that may be the missing money of a contribution, by transaction_id. They
 * are proposed for it, or unclear and of the days on which its money was due.
 */
export async function possiblePayments(
  store: PossiblePaymentsStore,
  viewer: number,
  all: readonly Missing[],
): Promise<ReadonlyMap<string, number>> {
  const contributions = all.filter(({ position }) => missing.has(position));
  if (contributions.length === 0) return new Map();
  const proposed = await store.proposed(
    viewer,
    contributions.map(({ transactionId }) => transactionId),
  );
  const days = contributions.flatMap(({ due }) => due ?? []);
  const froms = days.map(({ from }) => from).sort();
  const tos = days.map(({ to }) => to).sort();
  const [first, last] = [froms[0], tos.at(-1)];
  const unclear = first === undefined || last === undefined ? [] : await store.unclear(viewer, first, last);
  return new Map(
    contributions.map(({ transactionId, due }) => {
      const ofDays = unclear.filter(({ from, to }) => due !== null && from <= due.to && to >= due.from);
      return [transactionId, (proposed.get(transactionId) ?? 0) + ofDays.length];
    }),
  );
}
