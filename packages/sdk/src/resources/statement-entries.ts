import { type Call, type NoParams, start } from '../call.js';
import {
  decideEntries,
  decideEntry,
  getStatementEntry,
  listDecisions,
  listEntriesToExplain,
  type AccountEntryWithSources,
  type DecideEntriesBody,
  type DecideEntriesResponse,
  type DecideEntryBody,
  type DecideEntryResponse,
  type ListDecisionsResponse,
  type ListEntriesToExplainQuery,
  type ListEntriesToExplainResponse,
} from '../generated/api.js';
import { type List, listOf, shortListOf } from '../list.js';
import type { CallOptions } from '../options.js';
import type { Transport } from '../transport.js';

/** The entries of your statements. Each appears once, although several statements may have it. */
export class StatementEntries {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * The entries that need an explanation, oldest day first.
   *
   * @example
   * const november = { from: '2026-11-01', to: '2026-12-01' };
   * for await (const entry of client.statements.entries.list(november))
   *   console.log(entry.day, entry.signed_amount, entry.explanation);
   */
  list(params?: ListEntriesToExplainQuery, options?: CallOptions): List<ListEntriesToExplainResponse> {
    return listOf(this.#transport, listEntriesToExplain, { query: params }, options);
  }

  /** One entry, with all statements that have it. */
  retrieve(entryId: string, params?: NoParams, options?: CallOptions): Call<AccountEntryWithSources> {
    return start(
      this.#transport,
      getStatementEntry,
      { ids: [entryId], query: params, has: 'entry_id' },
      options,
    );
  }

  /**
   * Records a decision on an entry. A repeat of the newest decision changes nothing.
   *
   * @throws RequestRejected with `month_closed` if the day of the entry is in a closed month
   * @example
   * await client.statements.entries.decide(entry_id, { action: 'ignore', reason: 'Rent' });
   */
  decide(entryId: string, params: DecideEntryBody, options?: CallOptions): Call<DecideEntryResponse> {
    return start(this.#transport, decideEntry, { ids: [entryId], body: params, has: 'entry' }, options);
  }

  /**
   * Records up to 100 decisions. Each has an outcome of its own: some can be refused while others
   * are recorded.
   *
   * @example
   * const { data: outcomes } = await client.statements.entries.decideMany({
   *   decisions: [{ entry_id, action: 'ignore', reason: 'Rent' }],
   * });
   */
  decideMany(params: DecideEntriesBody, options?: CallOptions): Call<DecideEntriesResponse> {
    return start(this.#transport, decideEntries, { body: params, has: 'data' }, options);
  }

  /** The decisions on an entry, newest first, in one page. */
  listDecisions(entryId: string, params?: NoParams, options?: CallOptions): List<ListDecisionsResponse> {
    return shortListOf(this.#transport, listDecisions, { ids: [entryId], query: params }, options);
  }
}
