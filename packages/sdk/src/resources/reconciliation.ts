import { type Call, start } from '../call.js';
import {
  getReconciliationSummary,
  listReconciliation,
  type GetReconciliationSummaryQuery,
  type GetReconciliationSummaryResponse,
  type ListReconciliationQuery,
  type ListReconciliationResponse,
} from '../generated/api.js';
import { type List, listOf } from '../list.js';
import type { CallOptions } from '../options.js';
import type { Transport } from '../transport.js';

type Times<T> = Omit<T, 'from' | 'to'> & Partial<Record<'from' | 'to', Date | string>>;

/** The range of creation times. Times are dates, or UTC text that ends in Z. */
export type ReconciliationRange = Times<GetReconciliationSummaryQuery>;

/** Filters of positions. */
export type PositionFilter = Times<Omit<ListReconciliationQuery, 'open'>> & {
  /** Only contributions that need investigation. */
  open?: boolean | undefined;
};

/** Your contributions, compared with your statements. */
export class Reconciliation {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Contributions with their positions, oldest first. A page may have few rows, even none, while
   * more follow.
   *
   * @example
   * for await (const row of client.reconciliation.list({ open: true }))
   *   console.log(row.transaction_id, row.position);
   */
  list(filter: PositionFilter = {}, options?: CallOptions): List<ListReconciliationResponse> {
    return listOf(this.#transport, listReconciliation, { query: filter, times: 'from to' }, options);
  }

  /** The number of contributions and the sums for each position. */
  summary(range: ReconciliationRange = {}, options?: CallOptions): Call<GetReconciliationSummaryResponse> {
    return start(
      this.#transport,
      getReconciliationSummary,
      { query: range, times: 'from to', has: 'positions' },
      options,
    );
  }
}
