import { Call, type NoParams, start } from '../call.js';
import { checkAmount, checkId, checkKey, checkNewKey, checkText, checkUserHash } from '../checks.js';
import { assertInput } from '../errors.js';
import {
  createContribution,
  getContribution,
  listContributions as listOperation,
  summarizeContributions,
  type Contribution,
  type CreateContributionBody,
  type CreateContributionResponse,
  type ListContributionsQuery,
  type ListContributionsResponse,
  type SummarizeContributionsQuery,
  type SummarizeContributionsResponse,
} from '../generated/api.js';
import type { Intent } from '../intents.js';
import { type List, listOf } from '../list.js';
import { checkMembers } from '../names.js';
import { type CallOptions, callOptionsOf } from '../options.js';
import type { Settler } from '../settle.js';
import type { FullResponse, Transport } from '../transport.js';

/** Options of `contributions.create`. */
export interface CreateOptions extends CallOptions {
  /**
   * Generate one for each contribution that a user confirms, and store it before the call. If the
   * client has a store, you may omit it. The SDK then generates and stores one. `'ephemeral'`
   * generates a key that a crash loses.
   */
  idempotencyKey?: string | undefined;
}

/** The response to a create, with the idempotency key that was sent. */
export interface CreateResponse extends FullResponse<CreateContributionResponse> {
  /** The key that you passed, or that the SDK generated. */
  idempotencyKey: string;
}

type Times = 'created_from' | 'created_to' | 'completed_from' | 'completed_to';

/** Filters of `contributions.list`. Times are dates, or UTC text that ends in Z. */
export type ListContributionsParams = Omit<ListContributionsQuery, Times> &
  Partial<Record<Times, Date | string>>;

/** Reads all pages of contributions. */
export function listContributions(
  transport: Transport,
  query: ListContributionsParams,
  options: CallOptions | undefined,
): List<ListContributionsResponse> {
  const times = 'created_from created_to completed_from completed_to';
  return listOf(transport, listOperation, { query, times, has: 'data has_more complete_until' }, options);
}

const withoutKey =
  "Pass the idempotency key that you stored with the order, or give the client a store. { idempotencyKey: 'ephemeral' } generates a key that a crash loses.";

/** Checks the body of a create. */
function bodyOf({ project_id, amount, user_hash, name, ...others }: CreateContributionBody): Intent['body'] {
  return {
    project_id: checkId('project_id', project_id),
    amount: checkAmount(amount),
    user_hash: checkUserHash(user_hash),
    name: checkText('name', name, 100),
    ...others,
  };
}

/** Contributions: create them, look them up and list them. */
export class Contributions {
  readonly #transport: Transport;
  readonly #settler: Settler;

  constructor(transport: Transport, settler: Settler) {
    this.#transport = transport;
    this.#settler = settler;
  }

  /**
   * Records a contribution as pending. A repeat with the same key never records a second one: pass
   * the id of your order. **`amount` is in US dollars, not cents.**
   *
   * @throws InvalidInput before anything is sent
   * @throws OutcomeUnknown if it may be recorded: call again with the same key, or `recover()`
   * @throws RequestRejected if nothing was recorded
   * @example
   * const { transaction_id } = await client.contributions.create(
   *   { project_id: 1, amount: '25.00', user_hash: user },
   *   { idempotencyKey: orderId },
   * );
   */
  create(
    params: CreateContributionBody,
    options: CreateOptions = {},
  ): Call<CreateContributionResponse, CreateResponse> {
    return new Call(async () => {
      const callOptions = callOptionsOf(options, 'idempotencyKey');
      checkMembers('params', createContribution, params);
      const { idempotencyKey: given } = options;
      const isEphemeral = given === 'ephemeral';
      assertInput(given !== undefined || this.#settler.hasStore, 'idempotencyKey', withoutKey);
      const key = given === undefined || isEphemeral ? crypto.randomUUID() : checkNewKey(given);
      const intent = {
        id: `create:${this.#settler.environment}:${key}`,
        kind: 'create' as const,
        key,
        body: bodyOf(params),
      };
      const response = await this.#settler.send<CreateContributionResponse>(
        intent,
        callOptions,
        !isEphemeral,
      );
      return { ...response, idempotencyKey: key };
    });
  }

  /**
   * One contribution that you may see.
   *
   * @throws InvalidInput for a mistyped id; RequestRejected with `transaction_not_found`
   * @example
   * const { status, amount } = await client.contributions.retrieve('K7Q20CR5M3V9XHG');
   */
  retrieve(transactionId: string, params?: NoParams, options?: CallOptions): Call<Contribution> {
    return start(
      this.#transport,
      getContribution,
      { ids: [transactionId], query: params, has: 'transaction_id' },
      options,
    );
  }

  /**
   * Contributions that you may see, oldest first. With a `completed_` filter, in order of
   * completion.
   *
   * @example
   * for await (const row of client.contributions.list({ status: 'pending' })) pay(row);
   */
  list(params: ListContributionsParams = {}, options?: CallOptions): List<ListContributionsResponse> {
    return listContributions(this.#transport, params, options);
  }

  /**
   * The number and the sums of the contributions that you may see, per UTC day, project, company or
   * status. `from` and `to` are days such as 2026-01-31. Amounts are in US dollars.
   *
   * @example
   * const november = { from: '2026-11-01', to: '2026-12-01' };
   * const { total } = await client.contributions.summarize(november);
   */
  summarize(
    params: SummarizeContributionsQuery,
    options?: CallOptions,
  ): Call<SummarizeContributionsResponse> {
    return start(this.#transport, summarizeContributions, { query: params, has: 'data total' }, options);
  }

  /**
   * The contribution that an idempotency key created, or undefined if there is none yet. A create
   * that is still in progress may be missing. If it is undefined, create again with the same key.
   *
   * @param idempotencyKey the key that you passed to `create`
   * @example
   * const found = await client.contributions.findByIdempotencyKey(orderId);
   */
  async findByIdempotencyKey(
    idempotencyKey: string,
    params?: NoParams,
    options?: CallOptions,
  ): Promise<Contribution | undefined> {
    const list = this.list({ ...params, idempotency_key: checkKey(idempotencyKey) }, options);
    for await (const contribution of list) return contribution;
    return undefined;
  }
}
