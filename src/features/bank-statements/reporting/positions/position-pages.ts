import { groupBy } from '../../../../shared/group-by';
import type { Contribution } from '../../../../core/contributions/contribution';
import type { ListPlace, PageRequest, Viewer } from '../../../../core/contributions/contributions-list.store';
import type { ContributionsService } from '../../../../core/contributions/contributions.service';
import { mostGraceDays } from '../../accounts/grace-days.field';
import { type Coverage, type CoveredPeriod, coverageOf, dueDays } from './coverage';
import { returnedElsewhere } from './join-returns';
import { isOpen, type Money, positionOf } from './position';
import type { Position } from './position.field';
import { possiblePayments } from './possible-payments';
import type { AccountPositionsStore, MoneyRow } from './account-positions.store';
import type { RecordedReturnsStore } from './recorded-returns.store';

/** A contribution, with what the viewer's statements say about its money. */
export interface ContributionPosition {
  contribution: Contribution;
  position: Position;
  isOpen: boolean;
  isDecided: boolean;
  grossCents: bigint;
  returnedCents: bigint;
  dueDay: string | null;
  /** The number of entries that may be its money: see `possiblePayments`. */
  entriesToCheck: number;
}

export interface PositionsPage {
  positions: ContributionPosition[];
  /** Present if there may be more positions. */
  next: ListPlace | undefined;
}

/** The contributions that were created in this range. `to` is exclusive. */
export interface CreatedRange {
  from?: string | undefined;
  to?: string | undefined;
}

export type PositionsRequest = Pick<PageRequest, 'limit' | 'after' | 'requestId'> & {
  stopIfLeft: () => void;
};

export interface PositionsStore extends Omit<AccountPositionsStore, 'daysToCompare'>, RecordedReturnsStore {
  /** The periods of these days that accounts with complete_coverage cover, in the order of time. */
  coverage(viewer: number, days: { from: string; to: string }): Promise<CoveredPeriod[]>;
}

export interface PositionPages {
  /** The positions of a range, oldest contribution first. */
  pages(viewer: Viewer, range: CreatedRange, request: PositionsRequest): AsyncGenerator<PositionsPage>;
  /** The positions of contributions that the viewer may see. */
  of(viewer: Viewer, contributions: readonly Contribution[]): Promise<ContributionPosition[]>;
}

export function createPositionPages(
  store: PositionsStore,
  contributions: Pick<ContributionsService, 'list'>,
): PositionPages {
  return {
    async *pages(viewer, { from, to }, { after, ...page }) {
      const filter = { createdFrom: from, createdTo: to };
      let place = after;
      do {
        page.stopIfLeft();
        const read = await contributions.list(viewer, filter, { order: 'created', after: place, ...page });
        place = read.next;
        yield { positions: await positionsOf(store, viewer, read.contributions), next: place };
      } while (place);
    },
    of: (viewer, found) => positionsOf(store, viewer, found),
  };
}

const completionOf = ({ correctedAt, completedAt }: Contribution): Date | null =>
  correctedAt === null ? completedAt : null;

/** What accounts cover of the days on which money of these contributions is due. */
async function coverageFor(
  store: PositionsStore,
  viewer: number,
  found: readonly Contribution[],
): Promise<Coverage> {
  const due = found.flatMap((contribution) => {
    const completedAt = completionOf(contribution);
    return completedAt ? dueDays({ ...contribution, completedAt }, mostGraceDays) : [];
  });
  const [from] = due.map((days) => days.from).sort();
  const to = due
    .map((days) => days.to)
    .sort()
    .at(-1);
  return coverageOf(from && to ? await store.coverage(viewer, { from, to }) : []);
}

async function positionsOf(
  store: PositionsStore,
  { environmentId }: Viewer,
  found: readonly Contribution[],
): Promise<ContributionPosition[]> {
  if (found.length === 0) return [];
  const coverage = await coverageFor(store, environmentId, found);
  const ids = found.map(({ transactionId }) => transactionId);
  const money = await store.money(environmentId, ids);
  const expected = new Map(found.map(({ transactionId, amountCents }) => [transactionId, amountCents]));
  const compared = [...money.values()].filter(
    (row) => row.returnedCents > 0n || row.grossCents > (expected.get(row.transactionId) ?? 0n),
  );
  const elsewhere = await returnsElsewhere(store, environmentId, compared);
  const decided = [...money.values()].filter(({ decidedAt }) => decidedAt !== null);
  const [known, now] = [
    await returnsElsewhere(store, environmentId, decided, (row) => row.decidedAt ?? undefined),
    await returnsElsewhere(store, environmentId, decided),
  ];
  const positions = found.map((contribution) => {
    const { transactionId } = contribution;
    const completedAt = completionOf(contribution);
    const isCompleted = completedAt !== null;
    const sums = money.get(transactionId);
    const due = completedAt && dueDays({ ...contribution, completedAt }, coverage.graceDays);
    const given: Money = {
      expectedCents: contribution.amountCents,
      isCompleted,
      // A company expects the money of all its contributions, a bank only that of its completions.
      isOfAnother: isCompleted && contribution.own === undefined && !contribution.completedByCaller,
      grossCents: sums?.grossCents ?? 0n,
      otherGrossCents: sums?.otherGrossCents ?? 0n,
      returnedCents: sums?.returnedCents ?? 0n,
      otherReturnedCents: sums?.otherReturnedCents ?? 0n,
      otherwiseReturnedCents: elsewhere.get(transactionId) ?? contribution.returnedCents,
      isDueDayCovered: due !== null && coverage.covers(due.from, due.to),
    };
    const position = positionOf(given);
    // The decision no longer counts if a return was recorded after it.
    const isDecided = (sums?.isDecided ?? false) && known.get(transactionId) === now.get(transactionId);
    return {
      contribution,
      position,
      isOpen: isOpen(position, isDecided),
      isDecided,
      grossCents: given.grossCents,
      returnedCents: given.returnedCents + given.otherwiseReturnedCents,
      due: position === 'completed_by_another' ? null : due,
    };
  });
  const possible = await possiblePayments(
    store,
    environmentId,
    positions.map(({ contribution, position, due }) => ({ ...contribution, position, due })),
  );
  return positions.map(({ due, ...position }) => ({
    ...position,
    dueDay: due?.to ?? null,
    entriesToCheck: possible.get(position.contribution.transactionId) ?? 0,
  }));
}

/**
 * The sums of the recorded returns that are in no statement, by transaction_id.
 *
 * @param until excludes later returns
 */
async function returnsElsewhere(
  store: PositionsStore,
  viewer: number,
  money: readonly MoneyRow[],
  until: (row: MoneyRow) => Date | undefined = () => undefined,
): Promise<Map<string, bigint>> {
  const elsewhere = new Map<string, bigint>();
  if (money.length === 0) return elsewhere;
  const stated = await store.stated(
    viewer,
    money.map(({ transactionId }) => transactionId),
    'return',
  );
  for (const rows of groupBy(money, ({ environmentId }) => String(environmentId)).values()) {
    const ids = rows.map(({ transactionId }) => transactionId);
    const recorded = await store.recordedReturns(rows[0]?.environmentId ?? 0, ids, rows.map(until));
    const undone = [...recorded].flatMap(([id, of]) => (of.some((one) => one.undone.length > 0) ? [id] : []));
    const paid = undone.length === 0 ? undefined : await store.stated(viewer, undone, 'payment');
    for (const id of ids) {
      const [returns, payments] = [stated.get(id) ?? [], paid?.get(id) ?? []];
      elsewhere.set(id, returnedElsewhere(returns, recorded.get(id) ?? [], payments));
    }
  }
  return elsewhere;
}
