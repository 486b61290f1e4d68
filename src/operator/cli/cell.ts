/** A printable value: a scalar, or a list of scalars. */
export type Cell =
  string | number | boolean | bigint | Date | null | undefined | readonly (string | number)[];

/** When a key pair was last used, as part of a sentence. */
export const lastUse = (lastUsedAt: Date | null): string =>
  lastUsedAt === null ? 'never used' : `last used ${formatCell(lastUsedAt)}`;

/** Formats a value as one line. Control characters, which could move the cursor, become spaces. */
export function formatCell(value: Cell): string {
  if (value === null || value === undefined) return '-';
  if (value instanceof Date) return value.toISOString().replace(/\.\d+Z$/, 'Z');
  if (Array.isArray(value)) return value.join(' ');
  return String(value).replace(/\p{Cc}+/gu, ' ');
}
