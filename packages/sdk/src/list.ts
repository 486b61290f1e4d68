import { ContributionError } from './errors.js';
import type { CallOptions } from './options.js';
import type { RequestParts } from './request.js';
import type { FullResponse, Transport } from './transport.js';

/** The members that all pages have. */
export interface Page<Row> {
  data: Row[];
  has_more: boolean;
  next_cursor: string | null;
}

type RowOf<P> = P extends Page<infer Row> ? Row : never;

/**
 * A list, read page by page when it is used.
 *
 * @example
 * for await (const project of client.projects.list()) console.log(project.project_name);
 * for await (const page of client.projects.list().pages()) console.log(page.data.length);
 * const firstPage = await client.projects.list();
 */
export class List<P extends Page<unknown>> implements PromiseLike<P>, AsyncIterable<RowOf<P>> {
  readonly #read: (cursor: string | undefined) => Promise<FullResponse<P>>;

  constructor(read: (cursor: string | undefined) => Promise<FullResponse<P>>) {
    this.#read = read;
  }

  /** Reads the first page. Each call sends a request. */
  withResponse(): Promise<FullResponse<P>> {
    return this.#read(undefined);
  }

  then<A = P, B = never>(
    onPage?: ((page: P) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.withResponse()
      .then(({ data }) => data)
      .then(onPage, onError);
  }

  /** All pages. A page may have few rows, even none, while more follow. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    let cursor: string | undefined;
    for (;;) {
      const { data: page } = await this.#read(cursor);
      yield page;
      if (!page.has_more || page.next_cursor === null) return;
      if (page.next_cursor === cursor) throw new ContributionError('The list repeats a cursor. Report this.');
      cursor = page.next_cursor;
    }
  }

  /** All rows of all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<RowOf<P>, void, undefined> {
    for await (const { data } of this.pages()) yield* data as RowOf<P>[];
  }
}

/** The list that an operation reads. */
export const listOf = <P extends Page<unknown>>(
  transport: Pick<Transport, 'send'>,
  operation: string,
  parts: RequestParts,
  options: CallOptions | undefined,
): List<P> =>
  new List((cursor) => {
    const query = cursor === undefined ? parts.query : { ...parts.query, cursor };
    return transport.send<P>({ has: 'data has_more', ...parts, query: query ?? {}, operation }, options);
  });
