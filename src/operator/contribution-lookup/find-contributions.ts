import { createRepairs } from '../../shared/repaired-ids';
import { hasCheckCharacter, parseTransactionId, transactionIdPattern } from '../../shared/transaction-id';
import type { ListedTransaction } from './transaction-lookup.store';
import type { TransactionSearch, TransactionSearchStore } from './transaction-search.store';

/** How a text led to contributions. */
export type FoundBy = 'transaction_id' | 'similar_transaction_id' | 'idempotency_key' | 'bank_reference';

export interface FoundContributions {
  /** Null if there was no text. */
  foundBy: FoundBy | null;
  contributions: ListedTransaction[];
}

type Way = readonly [FoundBy, Pick<TransactionSearch, 'ids' | 'idempotencyKey' | 'bankReference'>];

/** What a text may be, the most certain first. */
function waysOf(text: string, tags: ReadonlySet<string>): Way[] {
  const id = parseTransactionId(text)?.transactionId;
  const similar = createRepairs(tags, { pattern: transactionIdPattern, check: hasCheckCharacter });
  return [
    ...(id === undefined ? [] : [['transaction_id', { ids: [id] }] as const]),
    ['similar_transaction_id', { ids: similar.repairedIds([text]) }],
    ['idempotency_key', { idempotencyKey: text }],
    ['bank_reference', { bankReference: text }],
  ];
}

/**
 * Finds contributions by a text that a partner or a bank sends, and by the other members of a
 * search. The first meaning of the text for which there are contributions counts.
 *
 * @param text a transaction_id as people type it, an idempotency key or a bank_reference
 */
export async function findContributions(
  transactions: TransactionSearchStore,
  text: string | undefined,
  search: TransactionSearch,
): Promise<FoundContributions> {
  if (text === undefined) return { foundBy: null, contributions: await transactions.search(search) };
  for (const [foundBy, way] of waysOf(text, new Set(await transactions.tags()))) {
    if (way.ids?.length === 0) continue;
    const contributions = await transactions.search({ ...search, ...way });
    if (contributions.length > 0) return { foundBy, contributions };
  }
  return { foundBy: null, contributions: [] };
}
