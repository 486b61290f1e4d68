import { Call } from '../call.js';
import { checkAmount, checkDate, checkText, checkTransactionId } from '../checks.js';
import type { Environment } from '../credentials.js';
import { InvalidInput } from '../errors.js';
import type {
  ArmSandboxFaultBody,
  ArmSandboxFaultResponse,
  ListSandboxFaultsResponse,
  ListSandboxRequestsQuery,
  ListSandboxRequestsResponse,
  ResetSandboxBody,
  ResetSandboxResponse,
  SandboxSettings,
  SetSandboxSettingsBody,
  SettleSandboxContributionBody,
  SettleSandboxContributionResponse,
} from '../generated/api.js';
import { hasData } from '../list.js';
import { checkMembers } from '../names.js';
import type { CallOptions } from '../options.js';
import { type ApiRequest, once, type OnceOptions } from '../request.js';
import type { FullResponse, Transport } from '../transport.js';

const path = '/sandbox/faults';

/** Sends requests with test pairs only. */
type Send = <T>(request: ApiRequest, options: CallOptions) => Promise<FullResponse<T>>;

function sendInTest(transport: Transport, environment: Environment): Send {
  return async <T>(request: ApiRequest, options: CallOptions): Promise<FullResponse<T>> => {
    if (environment !== 'test')
      throw new InvalidInput('apiKey', 'The sandbox works only with a key pair of the test environment.');
    return transport.send<T>(request, options);
  };
}

/** Failures that you arm for your own test requests, to see what your program does. */
export class Faults {
  readonly #send: Send;

  constructor(transport: Transport, environment: Environment) {
    this.#send = sendInTest(transport, environment);
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
  arm(fault: ArmSandboxFaultBody, options: CallOptions = {}): Call<ArmSandboxFaultResponse> {
    return new Call(() => this.#send({ method: 'POST', path, body: { ...fault } }, options));
  }

  /** The faults that are still armed, in the order in which they hit. */
  list(options: CallOptions = {}): Call<ListSandboxFaultsResponse> {
    return new Call(() => this.#send({ method: 'GET', path, isComplete: hasData }, options));
  }

  /** Removes all armed faults. */
  disarm(options: CallOptions = {}): Call<undefined> {
    return new Call(() => this.#send({ method: 'DELETE', path }, options));
  }
}

/** The last requests of the test environment. */
export class SandboxRequests {
  readonly #send: Send;

  constructor(transport: Transport, environment: Environment) {
    this.#send = sendInTest(transport, environment);
  }

  /**
   * The last requests of your test environment, newest first. A request appears about a second
   * after its response.
   *
   * @example
   * const { data } = await client.sandbox.requests.list({ limit: 20 });
   * for (const request of data) console.log(request.status, request.operation);
   */
  list(query: ListSandboxRequestsQuery = {}, options: CallOptions = {}): Call<ListSandboxRequestsResponse> {
    return new Call(() =>
      this.#send(
        { method: 'GET', path: '/sandbox/requests', query: { ...query }, isComplete: hasData },
        options,
      ),
    );
  }
}

/** What only your test environment has. */
export class Sandbox {
  readonly faults: Faults;
  readonly requests: SandboxRequests;
  readonly #send: Send;

  constructor(transport: Transport, environment: Environment) {
    this.faults = new Faults(transport, environment);
    this.requests = new SandboxRequests(transport, environment);
    this.#send = sendInTest(transport, environment);
  }

  settings(options: CallOptions = {}): Call<SandboxSettings> {
    return new Call(() => this.#send({ method: 'GET', path: '/sandbox/settings' }, options));
  }

  /** Replaces the settings. An absent member gets its default. */
  setSettings(settings: SetSandboxSettingsBody, options: CallOptions = {}): Call<SandboxSettings> {
    return new Call(() =>
      this.#send({ method: 'PUT', path: '/sandbox/settings', body: { ...settings } }, options),
    );
  }

  /**
   * Starts an empty test environment. The key pairs, the settings and the bank links stay. What was
   * created before is no longer found. It is sent once, because every call resets again.
   *
   * @throws InvalidInput with a production pair, before anything is sent
   * @example
   * await client.sandbox.reset({ seed: 'demo' });
   */
  reset(body: ResetSandboxBody = {}, options: OnceOptions = {}): Call<ResetSandboxResponse> {
    return new Call(() =>
      this.#send({ method: 'POST', path: '/sandbox/reset', body: { ...body } }, once(options)),
    );
  }

  /**
   * Lets the simulated bank complete one of your contributions, with the evidence that you choose.
   * It is sent once, because every call adds attempts. After a lost response, read the
   * contribution.
   *
   * @example
   * await client.sandbox.settle('K7Q20CR5M3V9XHG', { amount: '24.00' });
   */
  settle(
    transactionId: string,
    settlement: SettleSandboxContributionBody = {},
    options: OnceOptions = {},
  ): Call<SettleSandboxContributionResponse> {
    return new Call(async () => {
      const path = '/sandbox/contributions/{transaction_id}/settle';
      checkMembers('settlement', `POST ${path}`, settlement);
      const { amount, bank_reference: reference, value_date: date, ...others } = settlement;
      const body = {
        ...(amount !== undefined && { amount: checkAmount(amount) }),
        ...(checkText('bank_reference', reference, 140) !== undefined && { bank_reference: reference }),
        ...(checkDate('value_date', date) !== undefined && { value_date: date }),
        ...others,
      };
      const ids = [checkTransactionId(transactionId)];
      return this.#send({ method: 'POST', path, ids, body }, once(options));
    });
  }
}
