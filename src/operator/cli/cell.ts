/** A printable value: a scalar, or a list of scalars. */
export type Cell =
  string | number | boolean | bigint | Date | null | undefined | readonly (string | number)[];

/** Formats a value as one line. Control characters, which could move the cursor, become spaces. */
export function formatCell(value: Cell): string {
  if (value === null || value === undefined) return '-';
  if (value instanceof Date) return value.toISOString().replace(/\.\d+Z$/, 'Z');
  if (Array.isArray(value)) return value.join(' ');
  return String(value).replace(/\p{Cc}+/gu, ' ');
}
