import { decodeCursor, encodeCursor } from '../../shared/cursor';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Encodes the position after this id, in a list that is ordered by id. */
export const writeUuidCursor = (id: string): string => encodeCursor([id]);

/** @returns undefined if the text is not a cursor of this kind */
export function readUuidCursor(text: string): string | undefined {
  const [id, ...rest] = decodeCursor(text) ?? [];
  return typeof id === 'string' && uuid.test(id) && rest.length === 0 ? id : undefined;
}
