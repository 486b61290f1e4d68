import { z } from 'zod';

import { cursorReader } from '../../shared/cursor';

/** The place where a page of projects ends. Editorial order is rank, then id. */
export type ProjectPageKey = readonly [rank: number, projectId: number];

export const readProjectCursor = cursorReader<ProjectPageKey>(z.tuple([z.int32(), z.int32()]));
