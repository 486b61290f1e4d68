import type { Principal } from '../../../../shared/scopes';
import type { ListPlace } from '../../../../core/contributions/contributions-list.store';
import type { ContributionsService } from '../../../../core/contributions/contributions.service';
import type { Position } from './position.field';
import {
  type ContributionPosition,
  createPositionPages,
  type CreatedRange,
  type PositionsPage,
  type PositionsRequest,
  type PositionsStore,
} from './position-pages';
import type { ReportLine } from '../lines/report-line';
import type { AccountPositionsStore } from './account-positions.store';

export interface PositionFilter extends CreatedRange {
  position: Position | undefined;
  isOpen: boolean;
}

export interface AllPositions {
  positions: ContributionPosition[];
  isComplete: boolean;
  /** The number of days that were still being compared, so that some sums may be wrong. */
  daysToCompare: number;
}

export type PositionsService = ReturnType<typeof createPositionsService>;

export interface PositionsSource extends PositionsStore, Pick<AccountPositionsStore, 'daysToCompare'> {
  /** The lines that pay or return a contribution, or may do. */
  entriesOf(viewer: number, transactionId: string): Promise<ReportLine[]>;
}

const pageSize = 1_000;
const mostPages = 10;
const mostInSummary = 50_000;

async function firstOf(pages: AsyncIterable<PositionsPage>): Promise<PositionsPage> {
  for await (const first of pages) return first;
  throw new Error('a list of positions has no page');
}

export function createPositionsService(
  store: PositionsSource,
  contributions: Pick<ContributionsService, 'list' | 'get'>,
) {
  const positionPages = createPositionPages(store, contributions);

  return {
    /**
     * One page. It can have fewer positions than the limit, because it reads a limited number of
     * rows.
     */
    async list(principal: Principal, filter: PositionFilter, page: PositionsRequest): Promise<PositionsPage> {
      const isWanted = ({ position, isOpen: open }: ContributionPosition): boolean =>
        (filter.position ?? position) === position && (!filter.isOpen || open);
      const isFiltered = filter.position !== undefined || filter.isOpen;
      const positions: ContributionPosition[] = [];
      let pages = 0;
      let next: ListPlace | undefined = page.after;
      const request = { ...page, limit: isFiltered ? pageSize : page.limit };
      for await (const read of positionPages.pages(principal, filter, request)) {
        const wanted = read.positions.filter(isWanted);
        const last = wanted[page.limit - positions.length - 1];
        if (last && isFiltered) {
          // Read this page again, only up to `last`. The next page then starts after `last` and not
          // after rows that this page omits.
          const limit = read.positions.indexOf(last) + 1;
          const part = await firstOf(positionPages.pages(principal, filter, { ...page, after: next, limit }));
          return { positions: [...positions, ...part.positions.filter(isWanted)], next: part.next };
        }
        positions.push(...wanted);
        next = read.next;
        pages += 1;
        if (!isFiltered || pages >= mostPages) break;
      }
      return { positions, next };
    },

    /** All positions of a range, up to a maximum. */
    async all(
      principal: Principal,
      range: CreatedRange,
      page: Omit<PositionsRequest, 'limit' | 'after'>,
    ): Promise<AllPositions> {
      const positions: ContributionPosition[] = [];
      let isComplete = true;
      // A comparison may end or start while the positions are read.
      const before = await store.daysToCompare(principal.environmentId);
      for await (const read of positionPages.pages(principal, range, {
        ...page,
        after: undefined,
        limit: pageSize,
      })) {
        positions.push(...read.positions);
        if (positions.length >= mostInSummary && read.next) {
          isComplete = false;
          break;
        }
      }
      const after = await store.daysToCompare(principal.environmentId);
      return { positions, isComplete, daysToCompare: Math.max(before, after) };
    },

    /** @throws ServiceError transaction_not_found */
    async get(principal: Principal, writtenId: string) {
      const contribution = await contributions.get(principal, writtenId);
      const [position] = await positionPages.of(principal, [contribution]);
      if (!position) throw new Error('a contribution has no position');
      return {
        position,
        entries: await store.entriesOf(principal.environmentId, contribution.transactionId),
      };
    },
  };
}
