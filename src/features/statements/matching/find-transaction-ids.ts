import { findIds, type FoundIds, type IdScheme } from '@contribution-service/bank-files';

import { dayMs } from '../../../shared/clock';
import {
  hasCheckCharacter,
  normalizeTransactionId,
  transactionIdLength,
  transactionIdPattern,
  transactionIdTime,
} from '../../../shared/transaction-id';

export interface SearchOptions {
  /** Ids from the future are ignored as coincidences. */
  now: Date;
  /** Restricts the search to these tags, and finds ids within longer words too. */
  tags?: ReadonlySet<string> | undefined;
}

export function transactionIds({ now, tags }: SearchOptions): IdScheme {
  const latest = now.getTime() + dayMs;
  return {
    length: transactionIdLength,
    pattern: transactionIdPattern,
    check: hasCheckCharacter,
    accept: (candidate) => transactionIdTime(candidate).getTime() <= latest,
    startsWith: tags,
    normalize: normalizeTransactionId,
    insideWords: tags !== undefined,
  };
}

export const findTransactionIds = (texts: readonly string[], options: SearchOptions): FoundIds =>
  findIds(texts, transactionIds(options));
