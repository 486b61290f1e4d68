import { z } from 'zod';

import { cursorReader, pageOf } from './cursor';

/** Reads a cursor of a list that is ordered by id. */
export const readUuidCursor = cursorReader(z.tuple([z.guid()]).transform(([id]) => id));

/** A page of a list that is ordered by id. */
export const pageByUuid = <Item>(found: readonly Item[], limit: number, idOf: (item: Item) => string) =>
  pageOf(found, limit, (item) => [idOf(item)]);
