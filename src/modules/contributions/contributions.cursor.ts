import { decodeCursor, encodeCursor } from '../../shared/cursor';
import { transactionIdPattern } from '../../shared/transaction-id';

type Order = 'created' | 'completed';

/** The time that a list is ordered and paged by: whoever asks for completions pages through completions. */
export function orderOf(query: {
  completed_from?: string | undefined;
  completed_to?: string | undefined;
}): Order {
  return query.completed_from === undefined && query.completed_to === undefined ? 'created' : 'completed';
}

/** Where a page of transactions ends. In another order it would be another place. */
export interface PageCursor {
  readonly order: Order;
  /** That time, in microseconds since 1970, and the id. */
  readonly key: readonly [microseconds: number, transactionId: string];
}

export function writePageCursor({ order, key }: PageCursor): string {
  return encodeCursor([order, ...key]);
}

/** @returns undefined when the text is no cursor of a list of transactions */
export function readPageCursor(text: string): PageCursor | undefined {
  const [order, microseconds, transactionId, ...rest] = decodeCursor(text) ?? [];
  if (order !== 'created' && order !== 'completed') return undefined;
  if (typeof microseconds !== 'number' || !Number.isSafeInteger(microseconds)) return undefined;
  if (typeof transactionId !== 'string' || !transactionIdPattern.test(transactionId)) return undefined;
  return rest.length === 0 ? { order, key: [microseconds, transactionId] } : undefined;
}
