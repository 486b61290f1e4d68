import { Call } from '../call.js';
import {
  checkAmount,
  checkRequiredText,
  checkTime,
  checkTransactionId,
  checkTransfer,
  checkUuid,
} from '../checks.js';
import { type CompleteManyOptions, type CompleteManyParams, CompletionOutcomes } from '../completions.js';
import { assertInput, ContributionError } from '../errors.js';
import {
  completeContribution,
  correctContribution,
  recordReturn,
  undoReturn,
  type CompleteContributionBody,
  type CompleteContributionResponse,
  type Contribution,
  type CorrectContributionBody,
  type CorrectContributionResponse,
  type RecordReturnBody,
  type RecordReturnResponse,
  type UndoReturnBody,
  type UndoReturnResponse,
} from '../generated/api.js';
import type { Intent } from '../intents.js';
import { checkMembers, checkNames } from '../names.js';
import { type CallOptions, callOptionsOf } from '../options.js';
import type { Settler } from '../settle.js';
import type { FullResponse, Transport } from '../transport.js';
import { type ListContributionsParams, listContributions } from './contributions.js';

/** Evidence of a transfer. State all of it: the service checks the amount and stores the rest. */
export type CompleteContributionParams = Omit<CompleteContributionBody, 'status'>;

/** A window of completions or creations: all with a time in `[from, until)`. */
export interface ContributionWindow {
  /** In the order of the time that selects them. */
  contributions: Contribution[];
  /** Pass it as the next `from`. Equal to `from` if the next window cannot be read yet. */
  until: string;
}

/** The parameters of `bank.readWindow`. */
export interface ReadWindowParams {
  /** The `until` of the last window, or the time at which the first window begins, in UTC. */
  from: Date | string;
  /** The time by which the window selects. Default: `completed`. */
  by?: 'completed' | 'created' | undefined;
  /** Only contributions of this company. */
  company_id?: string | undefined;
}

/** Checks the body of a return or an undo. Both need an amount and a reference. */
function returnBodyOf(stated: RecordReturnBody | UndoReturnBody): Intent['body'] {
  checkRequiredText('bank_reference', stated.bank_reference, 140);
  checkAmount(stated.amount);
  return { ...checkTransfer(stated) };
}

/** The later of two times. */
const later = (one: string, other: string): string => (Date.parse(other) > Date.parse(one) ? other : one);

/** Operations of the party that transfers the money: a bank, or a company without one. */
export class Bank {
  readonly #transport: Transport;
  readonly #settler: Settler;

  constructor(transport: Transport, settler: Settler) {
    this.#transport = transport;
    this.#settler = settler;
  }

  /**
   * Records that you transferred the money of a contribution. Call it after the transfer. A repeat
   * succeeds and changes nothing.
   *
   * If the response has `net_amount: '0.00'`, nothing was recorded: the money was returned, or the
   * completion was corrected. Only if you paid again, complete it with the `bank_reference` of the
   * new payment.
   *
   * @throws InvalidInput for a mistyped id, before anything is sent
   * @throws RequestRejected with `amount_mismatch` or `completed_by_another`: stop and investigate
   * @throws OutcomeUnknown if it may be recorded: complete again, or `recover()`, for hours if
   *   necessary
   * @example
   * await client.bank.complete('K7Q20CR5M3V9XHG', {
   *   amount: '40.00',
   *   bank_reference: 'FT-2026-0042',
   *   value_date: '2026-11-20',
   * });
   */
  complete(
    transactionId: string,
    params: CompleteContributionParams = {},
    options?: CallOptions,
  ): Call<CompleteContributionResponse> {
    return new Call(() => {
      checkMembers('params', completeContribution, params);
      const body: Intent['body'] = { status: 'completed', ...checkTransfer(params) };
      // Transfers with different evidence are different intents, so none replaces another.
      const parts = [body['amount'], body['bank_reference'], body['value_date']];
      return this.#record('complete', transactionId, body, parts, options);
    });
  }

  /**
   * Completes many contributions with few requests. Yields one outcome for each completion, in the
   * same order. `await` sends everything and gives all outcomes. Nothing is sent before you iterate
   * or await. A `refused` completion does not affect the others. Send a completion again if its
   * code is `database_timeout` or `database_unavailable`. After a lost connection, the completions
   * without an outcome are sent again; those that were recorded are then `replayed`. After any
   * error, start again with the same completions. It never throws OutcomeUnknown.
   *
   * @throws InvalidInput for a completion with a wrong amount, date, reference or name. Completions
   *   of earlier requests have their outcomes. The wrong completion and the later ones were not
   *   sent
   *
   * @example
   * for await (const { line, outcome, code, detail } of client.bank.completeMany({ completions }))
   *   if (outcome === 'refused') console.log(line, code, detail);
   * const outcomes = await client.bank.completeMany({ completions, dry_run: true });
   */
  completeMany(params: CompleteManyParams, options: CompleteManyOptions = {}): CompletionOutcomes {
    return new CompletionOutcomes(this.#transport, params, options);
  }

  /**
   * Records a return: money of a contribution that you completed went back. A repeat with the same
   * `bank_reference`, `kind` and `amount` succeeds and changes nothing.
   *
   * @throws InvalidInput for a mistyped id, before anything is sent
   * @throws RequestRejected with `return_exceeds_amount`, `return_reference_reused` or
   *   `return_reserved`: nothing was recorded
   * @throws OutcomeUnknown if it may be recorded: record it again, or `recover()`
   * @example
   * const { return_id } = await client.bank.recordReturn('K7Q20CR5M3V9XHG', {
   *   kind: 'return',
   *   amount: '40.00',
   *   bank_reference: 'RT-2026-0007',
   * });
   */
  recordReturn(
    transactionId: string,
    params: RecordReturnBody,
    options?: CallOptions,
  ): Call<RecordReturnResponse> {
    return new Call(() => {
      checkMembers('params', recordReturn, params);
      const body = returnBodyOf(params);
      // The service ignores another code or value date in a repeat, so such a repeat can be sent.
      const parts = [body['kind'], body['bank_reference'], body['amount'], body['code'], body['value_date']];
      return this.#record('return', transactionId, body, parts, options);
    });
  }

  /**
   * Undoes a recorded return, in part or in full. A repeat with the same
   * `bank_reference`, `reason` and `amount` succeeds and changes nothing.
   *
   * @throws InvalidInput, RequestRejected and OutcomeUnknown as `recordReturn` does
   * @example
   * await client.bank.undoReturn('K7Q20CR5M3V9XHG', return_id, {
   *   reason: 'paid_again',
   *   amount: '40.00',
   *   bank_reference: 'PA-2026-0003',
   * });
   */
  undoReturn(
    transactionId: string,
    returnId: string,
    params: UndoReturnBody,
    options?: CallOptions,
  ): Call<UndoReturnResponse> {
    return new Call(() => {
      const undone = checkUuid('return_id', returnId);
      checkMembers('params', undoReturn, params);
      const body = returnBodyOf(params);
      const parts = [undone, body['reason'], body['bank_reference'], body['amount'], body['value_date']];
      return this.#record('undo', transactionId, body, parts, options, { return_id: undone });
    });
  }

  /**
   * Takes a completion back that was a mistake: no money moved. If money moved and went back, use
   * `recordReturn`. A repeat with the same `reason` succeeds and changes nothing, even after the
   * contribution was completed again. To take that completion back, pass its `completed_at`.
   *
   * @throws InvalidInput for a mistyped id or an empty reason, before anything is sent
   * @throws RequestRejected with `correction_reserved`, `contribution_not_completed`,
   *   `contribution_has_returns` or `correction_ambiguous`: nothing was recorded
   * @throws OutcomeUnknown if it may be recorded: correct it again, or `recover()`
   * @example
   * const reason = 'Completed the wrong contribution: typing error in batch 20';
   * const { corrected_at } = await client.bank.correct('K7Q20CR5M3V9XHG', { reason });
   */
  correct(
    transactionId: string,
    params: CorrectContributionBody,
    options?: CallOptions,
  ): Call<CorrectContributionResponse> {
    return new Call(() => {
      checkMembers('params', correctContribution, params);
      checkRequiredText('reason', params.reason, 500);
      return this.#record(
        'correct',
        transactionId,
        { ...params },
        [params.reason, params.completed_at],
        options,
      );
    });
  }

  /** @param parts the values that distinguish the intent from others of the same transaction */
  #record<T>(
    kind: Intent['kind'],
    transactionId: string,
    body: Intent['body'],
    parts: unknown[],
    options: CallOptions | undefined,
    more?: Pick<Intent, 'return_id'>,
  ): Promise<FullResponse<T>> {
    const id = checkTransactionId(transactionId);
    const name = `${kind}:${id}:${JSON.stringify(parts)}`;
    return this.#settler.send<T>({ id: name, kind, transaction_id: id, body, ...more }, options, true);
  }

  /**
   * Reads all contributions completed (or created) from `from` to before `until`. The list is
   * complete up to `until`. Process them, then store `until` and pass it next time: each
   * contribution falls into exactly one window.
   *
   * @example
   * const from = '2026-11-01T00:00:00Z';
   * const { contributions, until } = await client.bank.readWindow({ from });
   * for (const { transaction_id, amount } of contributions) console.log(transaction_id, amount);
   */
  async readWindow(params: ReadWindowParams, options?: CallOptions): Promise<ContributionWindow> {
    callOptionsOf(options);
    checkNames('params', params, 'from by company_id');
    const { from, by = 'completed', company_id: companyId } = params;
    assertInput(['completed', 'created'].includes(by), 'by', "Pass 'completed' or 'created'.");
    const start = checkTime('from', from);
    const filter: ListContributionsParams = {
      [`${by}_from`]: start,
      limit: 1000,
      company_id: companyId,
    };
    const contributions: Contribution[] = [];
    let until: string | undefined;
    for await (const page of listContributions(this.#transport, filter, options).pages()) {
      // The first page fixes the end, and later pages repeat it.
      until ??= page.complete_until;
      for (const contribution of page.data) {
        const time = by === 'completed' ? contribution.completed_at : contribution.created_at;
        if (time === null) throw new ContributionError(`A listed contribution has no ${by}_at.`);
        // Rows are in order of time. This row belongs to the next window.
        if (Date.parse(time) >= Date.parse(until)) return { contributions, until: later(start, until) };
        contributions.push(contribution);
      }
    }
    return { contributions, until: later(start, until ?? start) };
  }
}
