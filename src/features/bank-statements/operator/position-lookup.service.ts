import type { CompaniesService } from '../../../core/companies/companies.service';
import { type Position, positions } from '../reporting/positions/position.field';
import type { ContributionPosition, PositionPages } from '../reporting/positions/position-pages';
import type { EnvironmentKind } from '../../../shared/scopes';

/** An environment that uploaded statements. */
export interface UploaderName {
  company: string;
  kind: EnvironmentKind;
}

/** A range of creation times. `to` is exclusive. */
export interface LookupRange {
  from?: Date | undefined;
  to?: Date | undefined;
}

export interface LookupFilter extends LookupRange {
  position: Position | undefined;
  isOpen: boolean;
  limit: number;
  skip: number;
}

export interface PositionSums {
  position: Position;
  contributions: number;
  open: number;
  /** The contributions with entries that may be their money. */
  toCheck: number;
  expectedCents: bigint;
  netCents: bigint;
}

/** @param done the completed share, 0 to 1 */
export type ShowProgress = (done: number, what: string) => void;

/** The positions of an environment, as operators see them. Their number is not limited. */
export type PositionLookupService = ReturnType<typeof createPositionLookupService>;

const rowsAtOnce = 1_000;

export function createPositionLookupService(
  companies: Pick<CompaniesService, 'find'>,
  positionPages: PositionPages,
  now = Date.now,
) {
  async function* pages({ company, kind }: UploaderName, { from, to }: LookupRange, show: ShowProgress) {
    const { environments } = await companies.find(company);
    const range = { from: from?.toISOString(), to: to?.toISOString() };
    const request = { limit: rowsAtOnce, after: undefined, requestId: '', stopIfLeft: () => undefined };
    const end = (to ?? new Date(now())).getTime();
    let start: number | undefined;
    let count = 0;
    for await (const page of positionPages.pages({ environmentId: environments[kind] }, range, request)) {
      const last = page.positions.at(-1)?.contribution.createdAt.getTime() ?? end;
      start ??= page.positions[0]?.contribution.createdAt.getTime() ?? end;
      count += page.positions.length;
      show(page.next ? (last - start) / Math.max(1, end - start) : 1, `${count} contributions`);
      yield page.positions;
    }
  }

  return {
    /** All positions of a range, oldest contribution first, in pages. */
    pages,

    /** @throws OperatorError if no company has this name */
    async list(
      uploader: UploaderName,
      { position, isOpen, limit, skip, ...range }: LookupFilter,
      show: ShowProgress,
    ) {
      const found: ContributionPosition[] = [];
      let left = skip;
      for await (const page of pages(uploader, range, show)) {
        for (const one of page) {
          if ((position ?? one.position) !== one.position || (isOpen && !one.isOpen)) continue;
          if (left > 0) left -= 1;
          else found.push(one);
          if (found.length === limit) return found;
        }
      }
      return found;
    },

    /** @throws OperatorError if no company has this name */
    async summary(uploader: UploaderName, range: LookupRange, show: ShowProgress) {
      const sums = new Map<Position, PositionSums>();
      for await (const page of pages(uploader, range, show)) {
        for (const { position, isOpen, entriesToCheck, contribution, grossCents, returnedCents } of page) {
          const none = { position, contributions: 0, open: 0, toCheck: 0, expectedCents: 0n, netCents: 0n };
          const sum = sums.get(position) ?? none;
          sum.contributions += 1;
          sum.open += isOpen ? 1 : 0;
          sum.toCheck += entriesToCheck > 0 ? 1 : 0;
          sum.expectedCents += contribution.amountCents;
          sum.netCents += grossCents - returnedCents;
          sums.set(position, sum);
        }
      }
      return positions.flatMap((position) => sums.get(position) ?? []);
    },
  };
}
