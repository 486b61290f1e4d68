import { hash } from 'node:crypto';

import { z } from 'zod';

import { cursorReader, encodeCursor } from '../../shared/cursor';
import { transactionIdPattern } from '../../shared/transaction-id';
import type { ListPlace } from './contributions-list.store';

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
  readonly place: ListPlace;
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

/** The last millisecond with a four-digit year in ISO 8601. */
const lastTime = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const time = z
  .int()
  .min(0)
  .max(lastTime)
  .transform((milliseconds) => new Date(milliseconds));

export const readPageCursor = cursorReader(
  z
    .tuple([
      z.string().regex(digestPattern),
      z.int(),
      z.union([z.literal(''), z.string().regex(transactionIdPattern)]),
      time,
      time,
    ])
    .transform(([filters, microseconds, transactionId, completeUntil, readAt]): PageCursor => ({
      filters,
      place: { key: [microseconds, transactionId], completeUntil, readAt },
    })),
);
