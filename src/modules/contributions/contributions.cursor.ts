import { decodeCursor, encodeCursor } from '../../shared/cursor';
import { transactionIdPattern } from '../../shared/transaction-id';

/** Where a page of transactions ends: a time with microseconds as PostgreSQL writes it, and an id. */
type PageKey = readonly [at: string, transactionId: string];

const postgresTimestamp = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?[+-]\d\d(?::\d\d)?$/;

export function writePageCursor(key: PageKey): string {
  return encodeCursor(key);
}

/** @returns undefined when the text is no cursor of a list of transactions */
export function readPageCursor(text: string): PageKey | undefined {
  const [at, transactionId, ...rest] = decodeCursor(text) ?? [];
  if (typeof at !== 'string' || typeof transactionId !== 'string' || rest.length > 0) return undefined;
  if (!postgresTimestamp.test(at) || Number.isNaN(Date.parse(at.replace(/([+-]\d\d)$/, '$1:00'))))
    return undefined;
  return transactionIdPattern.test(transactionId) ? [at, transactionId] : undefined;
}
