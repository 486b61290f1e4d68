import type { Database } from '../../db/pool/database';
import type { Principal } from '../../shared/scopes';
import type { Contribution } from './contribution';
import { listQuery, type PageKey, type ContributionFilter } from './contributions-list.statement';
import { toContribution, type ContributionRow } from './contributions.store';

export type { PageKey, ContributionFilter };

/**
 * Where the next page of a list begins, and what its first page fixed for all of them. Times have
 * milliseconds.
 */
export interface ListPlace {
  readonly key: PageKey;
  readonly completeUntil: Date;
  /** When the first page was read: later pages leave out what is newer. */
  readonly readAt: Date;
}

/** Which page: of the list by which time, after what. */
export interface PageRequest {
  order: 'created' | 'completed';
  limit: number;
  /** Absent for the first page. */
  after: ListPlace | undefined;
  /** Who asks, for the server's operator: the statements of a list carry it. */
  requestId: string;
  /** Called before the list is read; throws when the client has left. */
  stopIfLeft?: () => void;
}

export interface ContributionPage {
  contributions: Contribution[];
  /** Present when there may be more; a page may hold fewer rows than its limit all the same. */
  next: ListPlace | undefined;
  /**
   * Nothing that is not in the answers of this list will ever show a time before this one. The same
   * on every page.
   */
  completeUntil: Date;
}

export interface ContributionsListStore {
  list(principal: Principal, filter: ContributionFilter, page: PageRequest): Promise<ContributionPage>;
}

/**
 * How far back in time everything is visible. Both times of a transaction are read from the clock
 * while its statement runs, so one that is not committed yet shows a time at or after the start of
 * its statement. What runs now is in pg_stat_activity (a role sees its own sessions), what starts
 * after that look gets a later time than the start of this statement; and because this runs as a
 * statement before the listing, whatever it no longer sees running is committed when the listing
 * looks.
 */
const visibilityHorizon = `
  SELECT LEAST(statement_timestamp(), min(a.xact_start)) AS complete_until, statement_timestamp() AS read_at
    FROM pg_stat_activity a
   WHERE a.datname = current_database() AND a.backend_type = 'client backend' AND a.pid <> pg_backend_pid()`;

interface ListRow extends ContributionRow {
  microseconds: string;
  /** Not a contribution: the rows of one environment are known up to this time only. */
  is_end: boolean;
}

/** How many rows of each environment a page looks at. At least as many as a page shows. */
const defaultMostScanned = 2_000;

/** @param mostScanned only a test has another */
export function createContributionsListStore(
  database: Database,
  mostScanned = defaultMostScanned,
): ContributionsListStore {
  async function readHorizon(requestId: string): Promise<Omit<ListPlace, 'key'>> {
    const about = { name: 'read_visibility_horizon', requestId };
    const [row] = await database.runUnprepared<{ complete_until: Date; read_at: Date }>(
      visibilityHorizon,
      [],
      about,
    );
    if (!row) throw new Error('the visibility horizon has no row');
    return { completeUntil: row.complete_until, readAt: row.read_at };
  }

  return {
    async list({ environmentId }, filter, { order, limit, after, requestId, stopIfLeft }) {
      const { completeUntil, readAt } = after ?? (await readHorizon(requestId));
      for (let scanned = mostScanned; ; scanned *= 10) {
        stopIfLeft?.();
        const range = { order, after: after?.key, before: after?.readAt, mostRows: limit + 1 };
        const { text, values } = listQuery(environmentId, filter, { ...range, mostScanned: scanned });
        const rows = await database.runUnprepared<ListRow>(text, values, {
          name: 'list_transactions',
          requestId,
        });
        const { shown, next } = cut(rows, limit);
        // More rows of one microsecond than were looked at: look further, or the next page would
        // not be further on.
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

/** Ends the page at its limit, or where an environment may have more that was not looked at. */
function cut(rows: readonly ListRow[], limit: number): { shown: ListRow[]; next: PageKey | undefined } {
  const firstEnd = rows.findIndex(({ is_end: isEnd }) => isEnd);
  const end = firstEnd >= 0 && firstEnd <= limit ? rows[firstEnd] : undefined;
  // Whose row the end is, the caller may not know: its time is enough.
  if (end) return { shown: rows.slice(0, firstEnd), next: [Number(end.microseconds), ''] };
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next: PageKey | undefined =
    rows.length > limit && last ? [Number(last.microseconds), last.transaction_id] : undefined;
  return { shown, next };
}
