import { type Call, type NoParams, start } from '../call.js';
import {
  canCloseMonth,
  getContributionMoney,
  getReconciliationSummary,
  listReconciliation,
  listStatementQuestions,
  type CanCloseMonthQuery,
  type CanCloseMonthResponse,
  type GetContributionMoneyResponse,
  type GetReconciliationSummaryQuery,
  type GetReconciliationSummaryResponse,
  type ListReconciliationQuery,
  type ListReconciliationResponse,
  type ListStatementQuestionsQuery,
  type ListStatementQuestionsResponse,
} from '../generated/api.js';
import { type List, listOf } from '../list.js';
import type { CallOptions } from '../options.js';
import type { Transport } from '../transport.js';
import { Months } from './months.js';

type Times<T> = Omit<T, 'from' | 'to'> & Partial<Record<'from' | 'to', Date | string>>;

/** The range of creation times to summarize. Times are dates, or UTC text that ends in Z. */
export type SummarizeReconciliationParams = Times<GetReconciliationSummaryQuery>;

/** Filters of `reconciliation.list`. Times are dates, or UTC text that ends in Z. */
export type ListReconciliationParams = Times<Omit<ListReconciliationQuery, 'open'>> & {
  /** Only contributions that need investigation. */
  open?: boolean | undefined;
};

/** Your contributions, compared with your statements. */
export class Reconciliation {
  readonly months: Months;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.months = new Months(transport);
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
  list(params: ListReconciliationParams = {}, options?: CallOptions): List<ListReconciliationResponse> {
    return listOf(this.#transport, listReconciliation, { query: params, times: 'from to' }, options);
  }

  /**
   * The position of one contribution, with the entries of your statements that pay or return it.
   * Amounts are in US dollars.
   *
   * @throws RequestRejected with `transaction_not_found`
   * @example
   * const { position, entries } = await client.reconciliation.retrieve('K7Q20CR5M3V9XHG');
   */
  retrieve(
    transactionId: string,
    params?: NoParams,
    options?: CallOptions,
  ): Call<GetContributionMoneyResponse> {
    return start(
      this.#transport,
      getContributionMoney,
      { ids: [transactionId], query: params, has: 'transaction_id' },
      options,
    );
  }

  /**
   * The number of contributions and the sums for each position.
   *
   * @example
   * const from = '2026-11-01T00:00:00Z';
   * const { open, positions } = await client.reconciliation.summarize({ from });
   */
  summarize(
    params: SummarizeReconciliationParams = {},
    options?: CallOptions,
  ): Call<GetReconciliationSummaryResponse> {
    return start(
      this.#transport,
      getReconciliationSummary,
      { query: params, times: 'from to', has: 'positions' },
      options,
    );
  }

  /**
   * The open questions about your statements, oldest day first. Answer them with
   * `statements.accounts.answer`.
   *
   * @example
   * for await (const { from, kind, text } of client.reconciliation.listQuestions())
   *   console.log(from, kind, text);
   */
  listQuestions(
    params?: ListStatementQuestionsQuery,
    options?: CallOptions,
  ): List<ListStatementQuestionsResponse> {
    return listOf(this.#transport, listStatementQuestions, { query: params }, options);
  }

  /**
   * Whether a month can be closed, and if not, each reason with what to do.
   *
   * @example
   * const { can_close, data } = await client.reconciliation.canClose({ month: '2026-11' });
   * if (!can_close) for (const { text } of data) console.log(text);
   */
  canClose(params: CanCloseMonthQuery, options?: CallOptions): Call<CanCloseMonthResponse> {
    return start(this.#transport, canCloseMonth, { query: params, has: 'can_close' }, options);
  }
}
