import { ContributionError } from './errors.js';
import type { CallOptions } from './options.js';
import type { ApiRequest } from './request.js';
import type { FullResponse, Transport } from './transport.js';

/** What all pages have in common. */
export interface Page<Row> {
  data: Row[];
  has_more: boolean;
  next_cursor: string | null;
}

type RowOf<P> = P extends Page<infer Row> ? Row : never;

/** Whether a body has rows. */
export const hasData = ({ data }: Record<string, unknown>): boolean => Array.isArray(data);

/** Whether a body is a page. */
export const isPage = (body: Record<string, unknown>): boolean =>
  hasData(body) && typeof body['has_more'] === 'boolean';

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

  /** The first page. Each call sends a request. */
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

/** The list that a request reads. An error that `describe` throws rejects the first page. */
export const listOf = <P extends Page<unknown>>(
  transport: Transport,
  describe: () => Omit<ApiRequest, 'method'>,
  options: CallOptions,
): List<P> =>
  new List(async (cursor) => {
    const request = describe();
    return transport.send<P>(
      {
        method: 'GET',
        isComplete: isPage,
        ...request,
        query: { ...request.query, ...(cursor !== undefined && { cursor }) },
      },
      options,
    );
  });
