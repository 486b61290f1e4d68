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

/** A response as CSV. */
export interface CsvForm {
  readonly columns: readonly string[];
  /** The rows below the header, of the body of the JSON response. */
  readonly rowsOf: (body: unknown) => readonly (readonly CsvCell[])[];
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

/**
 * How a response is shown as CSV: a list by the members of its items, unless its contract says how.
 *
 * @returns undefined if the client gets no CSV
 */
export function csvFormOf(body: z.ZodType | undefined, stated?: CsvForm): CsvForm | undefined {
  if (stated) return stated;
  const columns = csvColumnsOf(body);
  return (
    columns && {
      columns,
      rowsOf: (list) => (list as ListBody).data.map((item) => columns.map((column) => cellOf(item[column]))),
    }
  );
}

export const asCsv = ({ columns, rowsOf }: CsvForm, body: unknown): string =>
  formatCsv([columns, ...rowsOf(body)]);

/** The members of a list besides its items, as headers. */
export function csvHeaders(body: unknown): Record<string, string> {
  const { next_cursor: nextCursor, complete_until: completeUntil } = body as Partial<ListBody>;
  return {
    ...(typeof nextCursor === 'string' ? { [nextCursorHeader]: nextCursor } : {}),
    ...(typeof completeUntil === 'string' ? { [completeUntilHeader]: completeUntil } : {}),
  };
}
