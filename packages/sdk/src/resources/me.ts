import { type Call, type NoParams, start } from '../call.js';
import { getMe, type GetMeResponse } from '../generated/api.js';
import type { CallOptions } from '../options.js';
import type { Transport } from '../transport.js';

/** The company, environment and scopes of the key pair. */
export class Me {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * The company, environment, scopes, expiry, bank links and rate limits of the key pair. Every
   * valid pair may call it.
   *
   * @example
   * const { company, key_pair } = await client.me.retrieve();
   * console.log(company.company_name, key_pair.expires_at);
   */
  retrieve(params?: NoParams, options?: CallOptions): Call<GetMeResponse> {
    return start(this.#transport, getMe, { query: params }, options);
  }
}
