import { z } from 'zod';

/** A page of a list with a cursor. `pageOf` in `shared/cursor.ts` builds it. */
export const pageSchema = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ data: z.array(item), has_more: z.boolean(), next_cursor: z.string().nullable() });
