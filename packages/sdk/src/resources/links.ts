import { listLinks, type ListLinksQuery, type ListLinksResponse } from '../generated/api.js';
import { type List, listOf } from '../list.js';
import type { CallOptions } from '../options.js';
import type { Transport } from '../transport.js';

/** The companies of a bank, and the banks of a company. */
export class Links {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Current links. Ended links are not listed.
   *
   * @example
   * for await (const link of client.links.list()) console.log(link);
   */
  list(params?: ListLinksQuery, options?: CallOptions): List<ListLinksResponse> {
    return listOf(this.#transport, listLinks, { query: params }, options);
  }
}
