import type { EntryPart } from '@contribution-service/bank-files';

import { createSearch, type SearchContext } from '../../src/features/bank-statements/reading/search-ids';
import type { StoredSearch } from '../../src/features/statements/matching/match-entry';

/** The search of `readStatement` for the lines of one file. */
export function createLineSearch(context: SearchContext): (part: EntryPart) => StoredSearch {
  const search = createSearch(context);
  return ({ references, identifiers, nature }) => ({
    ...search({ references }),
    identifiers,
    ...(nature && { nature }),
  });
}
