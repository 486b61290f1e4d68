import { decodeCursor, encodeCursor } from '../../shared/cursor';
import { transactionIdPattern } from '../../shared/transaction-id';

/** Where a page of transactions ends: a time in microseconds since 1970, and an id. */
type PageKey = readonly [microseconds: number, transactionId: string];

export function writePageCursor(key: PageKey): string {
  return encodeCursor(key);
}

/** @returns undefined when the text is no cursor of a list of transactions */
export function readPageCursor(text: string): PageKey | undefined {
  const [microseconds, transactionId, ...rest] = decodeCursor(text) ?? [];
  if (typeof microseconds !== 'number' || !Number.isSafeInteger(microseconds)) return undefined;
  if (typeof transactionId !== 'string' || !transactionIdPattern.test(transactionId)) return undefined;
  return rest.length === 0 ? [microseconds, transactionId] : undefined;
}
