import { decodeCursor, encodeCursor } from '../../shared/cursor';

/** The place where a page of projects ends. Editorial order is rank, then id. */
export type ProjectPageKey = readonly [rank: number, projectId: number];

const isInt32 = (value: unknown): value is number => typeof value === 'number' && (value | 0) === value;

export function writeProjectCursor(key: ProjectPageKey): string {
  return encodeCursor(key);
}

/** @returns undefined if the text is not a cursor of a list of projects */
export function readProjectCursor(text: string): ProjectPageKey | undefined {
  const [rank, projectId, ...rest] = decodeCursor(text) ?? [];
  return isInt32(rank) && isInt32(projectId) && rest.length === 0 ? [rank, projectId] : undefined;
}
