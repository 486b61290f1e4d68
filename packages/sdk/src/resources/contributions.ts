import { Call, start } from '../call.js';
import { checkAmount, checkId, checkKey, checkNewKey, checkText, checkUserHash } from '../checks.js';
import { assertInput } from '../errors.js';
import {
  createContribution,
  getContribution,
  getContributionMoney,
  listContributions as listOperation,
  summarizeContributions,
  type Contribution,
  type CreateContributionBody,
  type CreateContributionResponse,
  type GetContributionMoneyResponse,
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

/** Options of a create. */
export interface CreateOptions extends CallOptions {
  /**
   * The idempotency key. Generate one for each contribution that a user confirms, and store it
   * before the call. If the client has a store, you may omit the key. The SDK then generates and
   * stores one. `'ephemeral'` generates a key that a crash loses.
   */
  key?: string | undefined;
}

/** The response to a create, with the key that was sent. */
export interface CreateResponse extends FullResponse<CreateContributionResponse> {
  key: string;
}

type Times = 'created_from' | 'created_to' | 'completed_from' | 'completed_to';

/** Filters of a list. Times are dates, or UTC text that ends in Z. */
export type ContributionFilter = Omit<ListContributionsQuery, Times> & Partial<Record<Times, Date | string>>;

/** Reads all pages of contributions. */
export function listContributions(
  transport: Transport,
  query: ContributionFilter,
  options: CallOptions | undefined,
): List<ListContributionsResponse> {
  const times = 'created_from created_to completed_from completed_to';
  return listOf(transport, listOperation, { query, times, has: 'data has_more complete_until' }, options);
}

const withoutKey =
  "Pass the idempotency key that you stored with the order, or give the client a store. { key: 'ephemeral' } generates a key that a crash loses.";

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
   * const order = { project_id: 1, amount: '25.00', user_hash: user };
   * const { transaction_id } = await client.contributions.create(order, { key: orderId });
   */
  create(
    contribution: CreateContributionBody,
    options: CreateOptions = {},
  ): Call<CreateContributionResponse, CreateResponse> {
    return new Call(async () => {
      const callOptions = callOptionsOf(options, 'key');
      checkMembers('contribution', createContribution, contribution);
      const isEphemeral = options.key === 'ephemeral';
      assertInput(options.key !== undefined || this.#settler.hasStore, 'key', withoutKey);
      const key = options.key === undefined || isEphemeral ? crypto.randomUUID() : checkNewKey(options.key);
      const intent = {
        id: `create:${this.#settler.environment}:${key}`,
        kind: 'create' as const,
        key,
        body: bodyOf(contribution),
      };
      const response = await this.#settler.send<CreateContributionResponse>(
        intent,
        callOptions,
        !isEphemeral,
      );
      return { ...response, key };
    });
  }

  /**
   * One contribution that you may see.
   *
   * @throws InvalidInput for a mistyped id; RequestRejected with `transaction_not_found`
   */
  get(transactionId: string, options?: CallOptions): Call<Contribution> {
    return this.#read(getContribution, transactionId, options);
  }

  /**
   * The position of a contribution in your bank statements, with the entries that pay or return it.
   *
   * @example
   * const { position, net_amount } = await client.contributions.money('K7Q20CR5M3V9XHG');
   */
  money(transactionId: string, options?: CallOptions): Call<GetContributionMoneyResponse> {
    return this.#read(getContributionMoney, transactionId, options);
  }

  #read<T>(operation: string, transactionId: string, options?: CallOptions): Call<T> {
    return start(this.#transport, operation, { ids: [transactionId], has: 'transaction_id' }, options);
  }

  /**
   * Contributions that you may see, oldest first. With a `completed_` filter, in order of
   * completion.
   *
   * @example
   * for await (const row of client.contributions.list({ status: 'pending' })) pay(row);
   */
  list(filter: ContributionFilter = {}, options?: CallOptions): List<ListContributionsResponse> {
    return listContributions(this.#transport, filter, options);
  }

  /**
   * The number and the sums of the contributions that you may see, per UTC day, project, company or
   * status. `from` and `to` are days such as 2026-01-31.
   *
   * @example
   * const { total } = await client.contributions.summary({ from: '2026-11-01', to: '2026-12-01' });
   */
  summary(query: SummarizeContributionsQuery, options?: CallOptions): Call<SummarizeContributionsResponse> {
    return start(this.#transport, summarizeContributions, { query, has: 'data total' }, options);
  }

  /**
   * The contribution that a key created, or undefined if there is none yet. A create that is still
   * in progress may be missing. If it is undefined, create again with the same key.
   */
  async findByKey(key: string, options?: CallOptions): Promise<Contribution | undefined> {
    const list = this.list({ idempotency_key: checkKey(key) }, options);
    for await (const contribution of list) return contribution;
    return undefined;
  }
}
