import type { Principal } from '../../shared/scopes';
import type { Contribution } from '../contributions/contribution';
import type { ContributionsService } from '../contributions/contributions.service';
import type { ListPlace, PageRequest } from '../contributions/contributions-list.store';
import { groupBy } from '../../shared/group-by';
import { type Coverage, coverageOf, dueDays } from './coverage';
import { returnedElsewhere } from './matching/join-returns';
import { isOpen, type Money, positionOf } from './matching/position';
import type { Position } from './matching/position.field';
import type { MoneyRow, PositionsStore } from './positions.store';
import type { EntryBodyRow } from './statement-rows';

/** A contribution, with what the statements of the viewer say about its money. */
export interface ContributionPosition {
  contribution: Contribution;
  position: Position;
  isOpen: boolean;
  isDecided: boolean;
  grossCents: bigint;
  returnedCents: bigint;
  dueDay: string | null;
}

export interface PositionFilter {
  position: Position | undefined;
  isOpen: boolean;
  from?: string | undefined;
  to?: string | undefined;
}

export interface PositionsPage {
  positions: ContributionPosition[];
  /** Present if there may be more. */
  next: ListPlace | undefined;
}

type Page = Pick<PageRequest, 'limit' | 'after' | 'requestId'> & { stopIfLeft: () => void };
type Range = Pick<PositionFilter, 'from' | 'to'>;

export interface PositionsService {
  /** One page. It can have fewer positions than the limit, because it looks at a bounded number. */
  list(principal: Principal, filter: PositionFilter, page: Page): Promise<PositionsPage>;
  /** All positions of a range, up to a bound. */
  all(
    principal: Principal,
    range: Range,
    page: Omit<Page, 'limit' | 'after'>,
  ): Promise<{ positions: ContributionPosition[]; isComplete: boolean }>;
  /** @throws ServiceError transaction_not_found */
  get(
    principal: Principal,
    writtenId: string,
  ): Promise<{ position: ContributionPosition; entries: EntryBodyRow[] }>;
}

const pageSize = 1_000;
const mostPages = 10;
const mostInSummary = 50_000;

export function createPositionsService(
  store: PositionsStore,
  contributions: Pick<ContributionsService, 'list' | 'get'>,
): PositionsService {
  const readCoverage = async ({ environmentId }: Principal): Promise<Coverage> =>
    coverageOf(await store.coverage(environmentId));

  async function* pagesOf(
    principal: Principal,
    { from, to }: Range,
    { after, ...page }: Page,
  ): AsyncGenerator<PositionsPage> {
    const coverage = await readCoverage(principal);
    const filter = { createdFrom: from, createdTo: to };
    let place = after;
    do {
      page.stopIfLeft();
      const read = await contributions.list(principal, filter, { order: 'created', after: place, ...page });
      place = read.next;
      yield { positions: await positionsOf(store, principal, read.contributions, coverage), next: place };
    } while (place);
  }

  return {
    async list(principal, filter, page) {
      const isWanted = ({ position, isOpen: open }: ContributionPosition): boolean =>
        (filter.position ?? position) === position && (!filter.isOpen || open);
      const isFiltered = filter.position !== undefined || filter.isOpen;
      const positions: ContributionPosition[] = [];
      let pages = 0;
      let next: ListPlace | undefined;
      for await (const read of pagesOf(principal, filter, page)) {
        positions.push(...read.positions.filter(isWanted));
        next = read.next;
        pages += 1;
        // The next page starts where the last read ended, so a page ends with a whole read.
        if (!isFiltered || positions.length > 0 || pages >= mostPages) break;
      }
      return { positions, next };
    },

    async all(principal, range, page) {
      const positions: ContributionPosition[] = [];
      for await (const read of pagesOf(principal, range, { ...page, after: undefined, limit: pageSize })) {
        positions.push(...read.positions);
        if (positions.length >= mostInSummary && read.next) return { positions, isComplete: false };
      }
      return { positions, isComplete: true };
    },

    async get(principal, writtenId) {
      const contribution = await contributions.get(principal, writtenId);
      const coverage = await readCoverage(principal);
      const [position] = await positionsOf(store, principal, [contribution], coverage);
      if (!position) throw new Error('a contribution has no position');
      return {
        position,
        entries: await store.entriesOf(principal.environmentId, contribution.transactionId),
      };
    },
  };
}

async function positionsOf(
  store: PositionsStore,
  { environmentId }: Principal,
  found: readonly Contribution[],
  coverage: Coverage,
): Promise<ContributionPosition[]> {
  if (found.length === 0) return [];
  const ids = found.map(({ transactionId }) => transactionId);
  const money = await store.money(environmentId, ids);
  const elsewhere = await returnsElsewhere(store, environmentId, found, money);
  return found.map((contribution) => {
    const { transactionId, completedAt } = contribution;
    const sums = money.get(transactionId);
    const due = completedAt && dueDays({ ...contribution, completedAt }, coverage.graceDays);
    const given: Money = {
      expectedCents: contribution.amountCents,
      isCompleted: contribution.status === 'completed',
      grossCents: sums?.grossCents ?? 0n,
      otherGrossCents: sums?.otherGrossCents ?? 0n,
      returnedCents: sums?.returnedCents ?? 0n,
      otherReturnedCents: sums?.otherReturnedCents ?? 0n,
      otherwiseReturnedCents: elsewhere.get(transactionId) ?? contribution.returnedCents,
      isDueDayCovered: due !== null && coverage.covers(due.from, due.to),
    };
    const position = positionOf(given);
    const isDecided = sums?.isDecided ?? false;
    return {
      contribution,
      position,
      isOpen: isOpen(position, isDecided),
      isDecided,
      grossCents: given.grossCents,
      returnedCents: given.returnedCents + given.otherwiseReturnedCents,
      dueDay: due?.to ?? null,
    };
  });
}

/** The recorded returns that are in no statement, of contributions with returns in statements. */
async function returnsElsewhere(
  store: PositionsStore,
  viewer: number,
  found: readonly Contribution[],
  money: ReadonlyMap<string, MoneyRow>,
): Promise<Map<string, bigint>> {
  const both = found.flatMap(({ transactionId }) => {
    const row = money.get(transactionId);
    return row && row.returnedCents > 0n ? [row] : [];
  });
  const elsewhere = new Map<string, bigint>();
  if (both.length === 0) return elsewhere;
  const stated = await store.statedReturns(
    viewer,
    both.map(({ transactionId }) => transactionId),
  );
  for (const rows of groupBy(both, ({ environmentId }) => String(environmentId)).values()) {
    const ids = rows.map(({ transactionId }) => transactionId);
    const recorded = await store.recordedReturns(rows[0]?.environmentId ?? 0, ids);
    for (const id of ids) {
      elsewhere.set(id, returnedElsewhere(stated.get(id) ?? [], recorded.get(id) ?? []));
    }
  }
  return elsewhere;
}
