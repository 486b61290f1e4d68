import { Call, type NoParams, start } from '../call.js';
import { checkTransfer } from '../checks.js';
import {
  armSandboxFault,
  disarmSandboxFaults,
  getSandboxSettings,
  listSandboxFaults,
  listSandboxRequests,
  resetSandbox,
  setSandboxSettings,
  settleSandboxContribution,
  type ArmSandboxFaultBody,
  type ArmSandboxFaultResponse,
  type ListSandboxFaultsResponse,
  type ListSandboxRequestsQuery,
  type ListSandboxRequestsResponse,
  type ResetSandboxBody,
  type ResetSandboxResponse,
  type SandboxSettings,
  type SetSandboxSettingsBody,
  type SettleSandboxContributionBody,
  type SettleSandboxContributionResponse,
} from '../generated/api.js';
import { type List, shortListOf } from '../list.js';
import { checkMembers } from '../names.js';
import type { CallOptions } from '../options.js';
import { once, type OnceOptions } from '../request.js';
import type { Transport } from '../transport.js';

/** Failures that you arm for your own test requests, to see what your program does. */
export class Faults {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Makes the next requests of an operation fail, for at most an hour. Arming the same operation
   * and kind again replaces the fault.
   *
   * @throws InvalidInput with a production pair, before anything is sent
   * @example
   * await client.sandbox.faults.arm({
   *   operation: 'createContribution',
   *   kind: 'answer_lost_after_commit',
   * });
   */
  arm(params: ArmSandboxFaultBody, options?: CallOptions): Call<ArmSandboxFaultResponse> {
    return start(this.#transport, armSandboxFault, { body: params }, options);
  }

  /**
   * The armed faults, in the order in which they take effect. It is one page.
   *
   * @example
   * for await (const fault of client.sandbox.faults.list()) console.log(fault.kind);
   */
  list(params?: NoParams, options?: CallOptions): List<ListSandboxFaultsResponse> {
    return shortListOf(this.#transport, listSandboxFaults, { query: params }, options);
  }

  /** Removes all armed faults. */
  disarm(params?: NoParams, options?: CallOptions): Call<undefined> {
    return start(this.#transport, disarmSandboxFaults, { query: params }, options);
  }
}

/** The last requests of the test environment. */
export class SandboxRequests {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * The last requests of your test environment, newest first, in one page. A request appears about
   * a second after its response.
   *
   * @example
   * const { data } = await client.sandbox.requests.list({ limit: 20 });
   * for (const request of data) console.log(request.status, request.operation);
   */
  list(params?: ListSandboxRequestsQuery, options?: CallOptions): List<ListSandboxRequestsResponse> {
    return shortListOf(this.#transport, listSandboxRequests, { query: params }, options);
  }
}

/** The operations of your test environment only. */
export class Sandbox {
  readonly faults: Faults;
  readonly requests: SandboxRequests;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.faults = new Faults(transport);
    this.requests = new SandboxRequests(transport);
    this.#transport = transport;
  }

  /** Who completes the contributions of your test environment, and when. */
  retrieveSettings(params?: NoParams, options?: CallOptions): Call<SandboxSettings> {
    return start(this.#transport, getSandboxSettings, { query: params }, options);
  }

  /**
   * Replaces the settings. An absent member gets its default.
   *
   * @example
   * await client.sandbox.replaceSettings({ bank: 'simulated', settle_after_seconds: 5 });
   */
  replaceSettings(params: SetSandboxSettingsBody, options?: CallOptions): Call<SandboxSettings> {
    return start(this.#transport, setSandboxSettings, { body: params }, options);
  }

  /**
   * Starts an empty test environment. The key pairs, the settings and the bank links stay. Earlier
   * contributions are no longer found. The SDK sends the request once, because every call resets
   * again.
   *
   * @throws InvalidInput with a production pair, before anything is sent
   * @example
   * await client.sandbox.reset({ seed: 'demo' });
   */
  reset(params: ResetSandboxBody = {}, options?: OnceOptions): Call<ResetSandboxResponse> {
    return start(this.#transport, resetSandbox, { body: params }, once(options));
  }

  /**
   * Lets the simulated bank complete one of your contributions, with the evidence that you choose.
   * The SDK sends the request once, because every call adds attempts. After a lost response, read
   * the contribution.
   *
   * @example
   * await client.sandbox.settle('K7Q20CR5M3V9XHG', { amount: '24.00' });
   */
  settle(
    transactionId: string,
    params: SettleSandboxContributionBody = {},
    options?: OnceOptions,
  ): Call<SettleSandboxContributionResponse> {
    return new Call(() => {
      checkMembers('params', settleSandboxContribution, params);
      const body = checkTransfer(params);
      return this.#transport.send(
        { operation: settleSandboxContribution, ids: [transactionId], body },
        once(options),
      );
    });
  }
}
