import { type Call, type NoParams, start } from '../call.js';
import {
  closeMonth,
  getMonth,
  reopenMonth,
  type AccountingMonth,
  type CloseMonthBody,
  type ReopenMonthBody,
} from '../generated/api.js';
import type { CallOptions } from '../options.js';
import type { Transport } from '../transport.js';

/** Accounting months, such as `2026-11`. A closed month keeps its entries and decisions. */
export class Months {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  #send(
    operation: string,
    month: string,
    parts: object,
    options: CallOptions | undefined,
  ): Call<AccountingMonth> {
    return start(this.#transport, operation, { ids: [month], has: 'month', ...parts }, options);
  }

  /** Whether a month is closed, its numbers of now, and those of each closing. */
  retrieve(month: string, params?: NoParams, options?: CallOptions): Call<AccountingMonth> {
    return this.#send(getMonth, month, { query: params }, options);
  }

  /**
   * Closes a month. First ask `reconciliation.canClose` what keeps it open.
   *
   * @throws RequestRejected with `decision_not_applicable` if something keeps the month open
   * @example
   * await client.reconciliation.months.close('2026-11', { reason: 'Approved by A. Lee' });
   */
  close(month: string, params: CloseMonthBody, options?: CallOptions): Call<AccountingMonth> {
    return this.#send(closeMonth, month, { body: params }, options);
  }

  /**
   * Reopens a month, so that its entries can be decided and its statements replaced.
   *
   * @example
   * await client.reconciliation.months.reopen('2026-11', { reason: 'The bank sent a correction' });
   */
  reopen(month: string, params: ReopenMonthBody, options?: CallOptions): Call<AccountingMonth> {
    return this.#send(reopenMonth, month, { body: params }, options);
  }
}
