import { hash } from 'node:crypto';

import { decodeCursor, encodeCursor } from '../../shared/cursor';
import { transactionIdPattern } from '../../shared/transaction-id';

type Order = 'created' | 'completed';

/** The time that orders a list. It is the completion time if the query filters by it. */
export function orderOf(query: {
  completed_from?: string | undefined;
  completed_to?: string | undefined;
}): Order {
  return query.completed_from === undefined && query.completed_to === undefined ? 'created' : 'completed';
}

/** The end of a page, with the values that the first page of the list fixed. */
export interface PageCursor {
  /** Digest of the list's filters. The place is meaningless in a list with other filters. */
  readonly filters: string;
  readonly place: {
    /**
     * The time that the list is ordered by, in epoch microseconds, and the id. An empty id is the
     * place before all rows of that microsecond.
     */
    readonly key: readonly [microseconds: number, transactionId: string];
    readonly completeUntil: Date;
    readonly readAt: Date;
  };
}

const digestCharacters = 11;
const digestPattern = /^[\w-]{11}$/;

/** A digest of a list's filters, in any order, without `limit` and `cursor`. */
export function digestOfFilters(query: Readonly<Record<string, unknown>>): string {
  const filters = Object.entries(query)
    .filter(([name, value]) => value !== undefined && name !== 'limit' && name !== 'cursor')
    .sort();
  return hash('sha256', JSON.stringify(filters), 'base64url').slice(0, digestCharacters);
}

export function writePageCursor({ filters, place: { key, completeUntil, readAt } }: PageCursor): string {
  return encodeCursor([filters, ...key, completeUntil.getTime(), readAt.getTime()]);
}

/** @returns undefined if the text is not a cursor of a list of contributions */
export function readPageCursor(text: string): PageCursor | undefined {
  const [filters, microseconds, transactionId, completeUntil, readAt, ...rest] = decodeCursor(text) ?? [];
  if (typeof filters !== 'string' || !digestPattern.test(filters)) return undefined;
  if (typeof microseconds !== 'number' || !Number.isSafeInteger(microseconds)) return undefined;
  if (typeof transactionId !== 'string') return undefined;
  if (transactionId !== '' && !transactionIdPattern.test(transactionId)) return undefined;
  if (!isTime(completeUntil) || !isTime(readAt) || rest.length > 0) return undefined;
  return {
    filters,
    place: {
      key: [microseconds, transactionId],
      completeUntil: new Date(completeUntil),
      readAt: new Date(readAt),
    },
  };
}

/** The last millisecond with a four-digit year in ISO 8601. */
const lastTime = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const isTime = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= lastTime;
