import { decodeCursor, encodeCursor } from './cursor';
import { isUuid } from './uuid';

/** Encodes the place after this id, in a list that is ordered by id. */
export const writeUuidCursor = (id: string): string => encodeCursor([id]);

/** @returns undefined if the text is not a cursor of this kind */
export function readUuidCursor(text: string): string | undefined {
  const [id, ...rest] = decodeCursor(text) ?? [];
  return isUuid(id) && rest.length === 0 ? id : undefined;
}

/**
 * A page of a list that is ordered by id.
 *
 * @param found at most one item more than the limit
 */
export function pageByUuid<Item>(found: readonly Item[], limit: number, idOf: (item: Item) => string) {
  const data = found.slice(0, limit);
  const last = found.length > limit ? data.at(-1) : undefined;
  return {
    data,
    has_more: last !== undefined,
    next_cursor: last === undefined ? null : writeUuidCursor(idOf(last)),
  };
}
