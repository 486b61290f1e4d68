import type { ListLinksQuery, ListLinksResponse } from '../generated/api.js';
import { isPage, List } from '../list.js';
import type { CallOptions } from '../options.js';
import type { Transport } from '../transport.js';

/** The companies of a bank, and the banks of a company. */
export class Links {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Current links. Ended links are not listed. */
  list(query: ListLinksQuery = {}, options: CallOptions = {}): List<ListLinksResponse> {
    return new List(async (cursor) =>
      this.#transport.send(
        {
          method: 'GET',
          path: '/links',
          query: { ...query, ...(cursor !== undefined && { cursor }) },
          isComplete: isPage,
        },
        options,
      ),
    );
  }
}
