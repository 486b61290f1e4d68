import { decodeCursor, encodeCursor } from '../../shared/cursor';

/** The place where a page of stories ends: sorted by time in epoch microseconds, then by id. */
export type StoryPageKey = readonly [publishedAtMicroseconds: number, storyId: number];

export function writeStoryCursor(key: StoryPageKey): string {
  return encodeCursor(key);
}

/** @returns undefined if the text is not a cursor of a list of stories */
export function readStoryCursor(text: string): StoryPageKey | undefined {
  const [at, storyId, ...rest] = decodeCursor(text) ?? [];
  if (typeof at !== 'number' || !Number.isSafeInteger(at)) return undefined;
  if (typeof storyId !== 'number' || (storyId | 0) !== storyId || rest.length > 0) return undefined;
  return [at, storyId];
}
