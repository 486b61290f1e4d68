import { createHash } from 'node:crypto';

import type { Database, PooledDatabase } from '../../db/pool/database';
import type { Query } from '../../db/query';
import type { Principal } from '../../shared/scopes';
import type { Contribution } from './contribution';
import {
  listQuery,
  type ContributionFilter,
  type LinkedEnvironment,
  type ListRange,
  type PageKey,
} from './contributions-list.query';
import { toContribution, type ContributionRow } from './contributions.store';
import { createHorizons, type Horizon } from './visibility-horizon.store';

export type { PageKey, ContributionFilter };

/**
 * The place where the next page of a list starts, with the values that the first page fixed for
 * all pages. Times have milliseconds.
 */
export interface ListPlace {
  readonly key: PageKey;
  readonly completeUntil: Date;
  /** When the first page was read. Later pages exclude newer rows. */
  readonly readAt: Date;
}

/** The environment that reads a list. */
export type Viewer = Pick<Principal, 'environmentId'>;

export interface PageRequest {
  order: 'created' | 'completed';
  limit: number;
  /** Absent for the first page. */
  after: ListPlace | undefined;
  /** The queries of a list contain it as a comment, so that operators can trace them. */
  requestId: string;
  /** Called before each read; throws if the client has disconnected. */
  stopIfLeft?: () => void;
}

export interface ContributionPage {
  contributions: Contribution[];
  /** Present if there may be more rows, even if this page has fewer rows than its limit. */
  next: ListPlace | undefined;
  /**
   * Every contribution with an earlier time is on the pages of this list. The same on all pages.
   */
  completeUntil: Date;
}

export interface ContributionsListStore {
  list(viewer: Viewer, filter: ContributionFilter, page: PageRequest): Promise<ContributionPage>;
}

interface ListRow extends Omit<ContributionRow, 'companyId' | 'companyName'> {
  microseconds: string;
  /** True for a row without a contribution. Its time says how far one environment was scanned. */
  isEnd: boolean;
}

/** An environment that the caller may see. */
interface EnvironmentRow extends Omit<LinkedEnvironment, 'since'>, Company {
  isEnd: null;
  /** The start of the first link; null for the caller's own environment. */
  since: string | null;
}

type Company = Pick<ContributionRow, 'companyId' | 'companyName'>;

/** A row of a page, with the company that its environment belongs to. */
type PageRow = ListRow & ContributionRow;

/** The maximum number of rows to scan per environment for a page; at least the maximum `limit`. */
const defaultMaxScanned = 2_000;

const maxQueriesAtOnce = 4;

/**
 * The number of linked environments that a list may read at once. It is 1 unless half of the
 * connections stay free, because a list must leave connections to other requests.
 */
function queriesAtOnce({ poolState }: ListDatabase): number {
  if (!poolState) return 1;
  const { limit, open, idle, waiting } = poolState();
  const free = waiting > 0 ? 0 : limit - open + idle;
  return Math.max(1, Math.min(maxQueriesAtOnce, free - Math.ceil(limit / 2)));
}

/** Without the state of its pool, a list runs one query at a time. */
type ListDatabase = Pick<Database, 'run' | 'runUnprepared'> & Partial<Pick<PooledDatabase, 'poolState'>>;

/** @param maxScanned only tests set it */
export function createContributionsListStore(
  database: ListDatabase,
  maxScanned = defaultMaxScanned,
): ContributionsListStore {
  const horizons = createHorizons(database);

  /**
   * The first rows of all environments that the caller may see. One query reads the caller's
   * own rows and its links. Then one query reads each linked environment. These queries are
   * prepared, because a list of a bank needs many of them.
   *
   * @param horizon updated for each environment
   */
  async function readRows(
    { environmentId }: Viewer,
    filter: ContributionFilter,
    range: ListRange,
    horizon: Horizon,
    { requestId, stopIfLeft }: PageRequest,
  ): Promise<PageRow[]> {
    stopIfLeft?.();
    await horizons.include(horizon, environmentId);
    const { text, values } = listQuery(environmentId, filter, range);
    const label = { name: 'list_transactions', requestId };
    const first = await database.runUnprepared<ListRow | EnvironmentRow>(text, values, label);
    const environments = first.filter((row) => row.isEnd === null).filter(isOf(filter));
    const own = environments.find(({ since }) => since === null);
    const ownRows = own ? first.filter((row) => row.isEnd !== null) : [];
    let page = own ? merge([], withCompany(ownRows, own), range.maxRows) : [];
    const linked = environments.flatMap(({ since, ...one }) => (since === null ? [] : { ...one, since }));
    while (linked.length > 0) {
      stopIfLeft?.();
      const until = untilOf(page, range.maxRows);
      const parts = await Promise.all(
        linked.splice(0, queriesAtOnce(database)).map(async (environment) => {
          const query = listQuery(environmentId, filter, { ...range, until }, environment);
          await horizons.include(horizon, environment.environmentId);
          const rows = await database.run<ListRow>(linkedQuery(query.text), query.values);
          return withCompany(rows, environment);
        }),
      );
      page = merge(page, parts.flat(), range.maxRows);
    }
    return page;
  }

  return {
    async list(viewer, filter, page) {
      const { order, limit, after, requestId } = page;
      const horizon = after ? { ...after, isOfAll: true } : await horizons.read(requestId);
      for (let scanned = maxScanned; ; scanned *= 10) {
        const range = {
          order,
          after: after?.key,
          before: after?.readAt,
          maxRows: limit + 1,
          maxScanned: scanned,
        };
        const rows = await readRows(viewer, filter, range, horizon, page);
        const { completeUntil, readAt } = horizon;
        const { shown, next } = cut(rows, limit);
        // One microsecond has more rows than were scanned. Scan more, or the next page would start
        // at the same place.
        if (next?.[1] === '' && after && next[0] <= after.key[0]) continue;
        return {
          contributions: shown.map(toContribution),
          next: next && { key: next, completeUntil, readAt },
          completeUntil,
        };
      }
    },
  };
}

const isOf =
  ({ companyId }: ContributionFilter) =>
  (environment: EnvironmentRow): boolean =>
    companyId === undefined || environment.companyId === companyId.toLowerCase();

const withCompany = (rows: readonly ListRow[], { companyId, companyName }: Company): PageRow[] =>
  rows.map((row) => ({ ...row, companyId, companyName }));

/**
 * The name contains a hash of the text, because a prepared name has only one text on a connection.
 */
const linkedQuery = (text: string): Query => ({
  name: 'list_linked_transactions',
  preparedName: `list_linked_transactions_${createHash('sha256').update(text).digest('base64url').slice(0, 16)}`,
  text,
  writes: false,
  isEssential: false,
});

/** Orders rows by time and id. An `isEnd` row precedes other rows of the same time. */
function compareRows(one: PageRow, other: PageRow): number {
  const byTime = Number(one.microseconds) - Number(other.microseconds);
  if (byTime !== 0) return byTime;
  if (one.isEnd !== other.isEnd) return one.isEnd ? -1 : 1;
  return one.transactionId < other.transactionId ? -1 : 1;
}

/**
 * Merges two lists of rows in order. The result ends at `maxRows`, or after the first `isEnd` row.
 */
function merge(page: readonly PageRow[], rows: readonly PageRow[], maxRows: number): PageRow[] {
  const sorted = [...page, ...rows].sort(compareRows).slice(0, maxRows);
  const firstEnd = sorted.findIndex(({ isEnd }) => isEnd);
  return firstEnd < 0 ? sorted : sorted.slice(0, firstEnd + 1);
}

/** The time after which rows no longer fit on the page; undefined if there is none yet. */
function untilOf(page: readonly PageRow[], maxRows: number): number | undefined {
  const last = page.at(-1);
  return last && (last.isEnd || page.length === maxRows) ? Number(last.microseconds) : undefined;
}

/** Ends the page at its limit, or where an environment may have more rows that were not scanned. */
function cut(rows: readonly PageRow[], limit: number): { shown: PageRow[]; next: PageKey | undefined } {
  const firstEnd = rows.findIndex(({ isEnd }) => isEnd);
  const end = firstEnd >= 0 && firstEnd <= limit ? rows[firstEnd] : undefined;
  // The caller may not be allowed to see that row, so the cursor contains only its time.
  if (end) return { shown: rows.slice(0, firstEnd), next: [Number(end.microseconds), ''] };
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next: PageKey | undefined =
    rows.length > limit && last ? [Number(last.microseconds), last.transactionId] : undefined;
  return { shown, next };
}
