import { Call } from '../call.js';
import type { Environment } from '../credentials.js';
import { InvalidInput } from '../errors.js';
import type {
  ArmSandboxFaultBody,
  ArmSandboxFaultResponse,
  ListSandboxFaultsResponse,
} from '../generated/api.js';
import type { CallOptions } from '../options.js';
import type { ApiRequest } from '../request.js';
import type { FullResponse, Transport } from '../transport.js';

const path = '/sandbox/faults';

/** Failures that you arm for your own test requests, to see what your program does. */
export class Faults {
  readonly #transport: Transport;
  readonly #environment: Environment;

  constructor(transport: Transport, environment: Environment) {
    this.#transport = transport;
    this.#environment = environment;
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
    return this.#call({ method: 'POST', path, body: { ...fault } }, options);
  }

  /** The faults that are still armed, in the order in which they hit. */
  list(options: CallOptions = {}): Call<ListSandboxFaultsResponse> {
    return this.#call({ method: 'GET', path, isComplete: ({ data }) => Array.isArray(data) }, options);
  }

  /** Removes all armed faults. */
  disarm(options: CallOptions = {}): Call<undefined> {
    return this.#call({ method: 'DELETE', path }, options);
  }

  #call<T>(request: ApiRequest, options: CallOptions): Call<T> {
    return new Call(async (): Promise<FullResponse<T>> => {
      if (this.#environment !== 'test')
        throw new InvalidInput('apiKey', 'The sandbox works only with a key pair of the test environment.');
      return this.#transport.send<T>(request, options);
    });
  }
}

/** What only your test environment has. */
export class Sandbox {
  readonly faults: Faults;

  constructor(transport: Transport, environment: Environment) {
    this.faults = new Faults(transport, environment);
  }
}
