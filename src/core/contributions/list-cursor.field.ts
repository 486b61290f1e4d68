import type { z } from 'zod';

import { digestOfFilters, type PageCursor } from './contributions.cursor';

/** Rejects a cursor of a list with other filters, because it would skip or repeat rows. */
export function cursorOfTheseFilters(
  query: { cursor?: PageCursor | undefined },
  context: z.RefinementCtx,
): void {
  if (query.cursor === undefined || query.cursor.filters === digestOfFilters({ ...query })) return;
  context.addIssue({
    code: 'custom',
    path: ['cursor'],
    message:
      'The cursor belongs to a list with different filters. Keep the filters of the first page, and change only cursor and limit.',
    params: { code: 'invalid_format' },
  });
}
