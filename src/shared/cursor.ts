import type { z } from 'zod';

/**
 * An opaque pagination cursor: the sort key of the last row sent, as a base64url JSON array.
 * Cursors are not signed, because they contain no secrets and grant no access: a forged one only
 * selects another place in the caller's own list.
 */
export function encodeCursor(key: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(key), 'utf8').toString('base64url');
}

/** @returns the sort key, or undefined when the text is not a cursor */
export function decodeCursor(text: string): unknown[] | undefined {
  if (!/^[\w-]+$/.test(text)) return undefined;
  try {
    const key: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(key) ? (key as unknown[]) : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the cursors of one list: undefined if the text is none, or its key has another form. */
export const cursorReader =
  <Key>(form: z.ZodType<Key>) =>
  (text: string): Key | undefined =>
    form.safeParse(decodeCursor(text)).data;

/**
 * A page of a list, as responses show it.
 *
 * @param found at most one item more than the limit
 * @param keyOf the sort key of an item
 */
export function pageOf<Item>(
  found: readonly Item[],
  limit: number,
  keyOf: (item: Item) => readonly (string | number)[],
) {
  const data = found.slice(0, limit);
  const last = found.length > limit ? data.at(-1) : undefined;
  return {
    data,
    has_more: last !== undefined,
    next_cursor: last === undefined ? null : encodeCursor(keyOf(last)),
  };
}
