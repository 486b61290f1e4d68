import { z } from 'zod';

import { cursorReader } from '../../shared/cursor';

/** The place where a page of stories ends: sorted by time in epoch microseconds, then by id. */
export type StoryPageKey = readonly [publishedAtMicroseconds: number, storyId: number];

export const readStoryCursor = cursorReader<StoryPageKey>(z.tuple([z.int(), z.int32()]));
