import { z } from 'zod';

import { type CsvCell, formatCsv } from '../../shared/csv';

export const csvMediaType = 'text/csv';
export const nextCursorHeader = 'Next-Cursor';
export const completeUntilHeader = 'Complete-Until';

/** A page of a list, as in the JSON response. */
export interface ListBody {
  data: readonly Readonly<Record<string, unknown>>[];
  next_cursor?: string | null;
  complete_until?: string | null;
}

/**
 * The names of all members that an item can have. Undefined if it is neither an object nor a union
 * of objects.
 */
function membersOf(item: unknown): string[] | undefined {
  if (item instanceof z.ZodObject) return Object.keys(item.shape);
  if (!(item instanceof z.ZodUnion)) return undefined;
  const parts = item.options.map(membersOf);
  return parts.includes(undefined) ? undefined : [...new Set(parts.flatMap((names) => names ?? []))];
}

/**
 * The columns of a list as CSV: the members of its items.
 *
 * @returns undefined if the response is not a list
 */
export function csvColumnsOf(body: z.ZodType | undefined): readonly string[] | undefined {
  if (!(body instanceof z.ZodObject)) return undefined;
  const { data } = body.shape as Record<string, unknown>;
  return data instanceof z.ZodArray ? membersOf(data.element) : undefined;
}

/** Lists and objects become JSON. */
const cellOf = (value: unknown): CsvCell =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as CsvCell);

export const listAsCsv = (columns: readonly string[], { data }: ListBody): string =>
  formatCsv([columns, ...data.map((item) => columns.map((column) => cellOf(item[column])))]);

/** The members of a list besides its items, as headers. */
export function csvHeaders(body: ListBody): Record<string, string> {
  const { next_cursor: nextCursor, complete_until: completeUntil } = body;
  return {
    ...(typeof nextCursor === 'string' ? { [nextCursorHeader]: nextCursor } : {}),
    ...(typeof completeUntil === 'string' ? { [completeUntilHeader]: completeUntil } : {}),
  };
}
