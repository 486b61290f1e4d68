import type { Database } from '../../db/pool/database';
import type { Principal } from '../../shared/scopes';
import type { Contribution } from './contribution';
import { listQuery, type PageKey, type ContributionFilter } from './contributions-list.statement';
import { toContribution, type ContributionRow } from './contributions.store';

export type { PageKey, ContributionFilter };

/**
 * Where the next page of a list starts, with the values that its first page fixed for all pages.
 * Times have milliseconds.
 */
export interface ListPlace {
  readonly key: PageKey;
  readonly completeUntil: Date;
  /** When the first page was read. Later pages exclude newer rows. */
  readonly readAt: Date;
}

export interface PageRequest {
  order: 'created' | 'completed';
  limit: number;
  /** Absent for the first page. */
  after: ListPlace | undefined;
  /** The statements of a list carry it as a comment, so that operators can trace them. */
  requestId: string;
  /** Called before each read; throws if the client has disconnected. */
  stopIfLeft?: () => void;
}

export interface ContributionPage {
  contributions: Contribution[];
  /** Present if there may be more rows, even if this page has fewer rows than its limit. */
  next: ListPlace | undefined;
  /**
   * The pages of this list contain every contribution with an earlier time. The same on all pages.
   */
  completeUntil: Date;
}

export interface ContributionsListStore {
  list(principal: Principal, filter: ContributionFilter, page: PageRequest): Promise<ContributionPage>;
}

/**
 * The time before which every contribution is visible.
 *
 * `created_at` and `completed_at` come from the clock while their statement runs. An uncommitted
 * row therefore has a time at or after the start of its database transaction, and pg_stat_activity
 * lists those that are running (a role sees its own sessions). A transaction that starts later has
 * a later time than this statement. This statement runs before the list is read, so the list sees
 * each transaction that is no longer running here.
 */
const visibilityHorizon = `
  SELECT LEAST(statement_timestamp(), min(a.xact_start)) AS complete_until, statement_timestamp() AS read_at
    FROM pg_stat_activity a
   WHERE a.datname = current_database() AND a.backend_type = 'client backend' AND a.pid <> pg_backend_pid()`;

interface ListRow extends ContributionRow {
  microseconds: string;
  /** Not a contribution: the rows of one environment were scanned only up to this time. */
  is_end: boolean;
}

/** The maximum number of rows to scan per environment for a page; at least the maximum `limit`. */
const defaultMaxScanned = 2_000;

/** @param maxScanned only tests set it */
export function createContributionsListStore(
  database: Database,
  maxScanned = defaultMaxScanned,
): ContributionsListStore {
  async function readHorizon(requestId: string): Promise<Omit<ListPlace, 'key'>> {
    const [row] = await database.runUnprepared<{ complete_until: Date; read_at: Date }>(
      visibilityHorizon,
      [],
      { name: 'read_visibility_horizon', requestId },
    );
    if (!row) throw new Error('the visibility horizon has no row');
    return { completeUntil: row.complete_until, readAt: row.read_at };
  }

  return {
    async list({ environmentId }, filter, { order, limit, after, requestId, stopIfLeft }) {
      const { completeUntil, readAt } = after ?? (await readHorizon(requestId));
      for (let scanned = maxScanned; ; scanned *= 10) {
        stopIfLeft?.();
        const range = { order, after: after?.key, before: after?.readAt, maxRows: limit + 1 };
        const { text, values } = listQuery(environmentId, filter, { ...range, maxScanned: scanned });
        const rows = await database.runUnprepared<ListRow>(text, values, {
          name: 'list_transactions',
          requestId,
        });
        const { shown, next } = cut(rows, limit);
        // One microsecond has more rows than were scanned. Scan more, or the next page would start
        // at the same position.
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

/** Ends the page at its limit, or where an environment may have more rows that were not scanned. */
function cut(rows: readonly ListRow[], limit: number): { shown: ListRow[]; next: PageKey | undefined } {
  const firstEnd = rows.findIndex(({ is_end: isEnd }) => isEnd);
  const end = firstEnd >= 0 && firstEnd <= limit ? rows[firstEnd] : undefined;
  // The caller may not be allowed to see that row, so the cursor contains only its time.
  if (end) return { shown: rows.slice(0, firstEnd), next: [Number(end.microseconds), ''] };
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next: PageKey | undefined =
    rows.length > limit && last ? [Number(last.microseconds), last.transaction_id] : undefined;
  return { shown, next };
}
