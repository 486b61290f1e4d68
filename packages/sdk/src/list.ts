import { Pending } from './call.js';
import { assertInput, ContributionError } from './errors.js';
import { checkNames } from './names.js';
import type { CallOptions } from './options.js';
import type { RequestParts } from './request.js';
import type { FullResponse, Transport } from './transport.js';

/** The members that all pages have. The last page, or the only one, has no `next_cursor`. */
export interface Page<Row> {
  /** The rows, in the order of the list. */
  data: Row[];
  /** Whether more rows follow. */
  has_more?: boolean;
  /** The `cursor` of the next page. Null on the last page. */
  next_cursor?: string | null;
}

/** The type of the rows of a page. */
export type RowOf<P> = P extends { data: (infer Row)[] } ? Row : never;

/** Where the next page begins: a cursor, or a position in the feed. Undefined: the first page. */
type Next = string | number | null | undefined;

/**
 * The rows of an operation, page by page. It sends no request before you use it.
 *
 * - `for await (const row of list)` reads all rows, page by page.
 * - `await list` reads **only the first page**: an object with `data` and, if the list has pages,
 *   `has_more` and `next_cursor`.
 * - `list.autoPagingToArray({ limit })` reads rows into an array.
 * - `list.pages()` reads all pages.
 *
 * A list reads its first page once. Call the method again to read new rows.
 *
 * @example
 * for await (const project of client.projects.list()) console.log(project.project_name);
 * const { data, has_more } = await client.projects.list({ limit: 10 });
 * const projects = await client.projects.list().autoPagingToArray({ limit: 500 });
 * for await (const page of client.projects.list().pages()) console.log(page.data.length);
 */
export class List<P extends Page<unknown>> extends Pending<P> implements AsyncIterable<RowOf<P>> {
  readonly #read: (next: Next) => Promise<FullResponse<P>>;
  readonly #member: string;
  #first: Promise<FullResponse<P>> | undefined;

  /** @param member the member of a page that says where the next one begins */
  constructor(read: (next: Next) => Promise<FullResponse<P>>, member: string) {
    super();
    this.#read = read;
    this.#member = member;
  }

  /** The first page, with status, headers, `requestId` and `attempts`. */
  withResponse(): Promise<FullResponse<P>> {
    return (this.#first ??= this.#read(undefined).catch((error: unknown) => {
      this.#first = undefined;
      throw error;
    }));
  }

  protected override async settle(): Promise<P> {
    return (await this.withResponse()).data;
  }

  /** All pages. A page may have few rows, even none, while more follow. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    let page = await this.settle();
    for (let last: Next; ;) {
      yield page;
      const next = (page as unknown as Readonly<Record<string, Next>>)[this.#member] ?? undefined;
      if (!page.has_more || next === undefined) return;
      if (next === last) throw new ContributionError('The list repeats a cursor. Report this.');
      last = next;
      page = (await this.#read(next)).data;
    }
  }

  /**
   * Reads rows until the end of the list, or until the array has `limit` rows.
   *
   * @param params `limit` is the maximum number of rows
   * @throws InvalidInput without a limit: a list can be larger than the memory
   */
  async autoPagingToArray(params: { limit: number }): Promise<RowOf<P>[]> {
    checkNames('params', params, 'limit');
    const { limit } = params;
    assertInput(Number.isSafeInteger(limit) && limit > 0, 'limit', 'Pass the most rows that you need.');
    const rows: RowOf<P>[] = [];
    for await (const row of this) if (rows.push(row) >= limit) break;
    return rows;
  }

  /** All rows of all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<RowOf<P>, void, undefined> {
    for await (const { data } of this.pages()) yield* data as RowOf<P>[];
  }
}

/**
 * The list that an operation reads.
 *
 * @param names the parameter that says where a page begins, and the member of a page that says
 *   where the next one begins
 */
export const listOf = <P extends Page<unknown>>(
  transport: Pick<Transport, 'send'>,
  operation: string,
  parts: RequestParts,
  options: CallOptions | undefined,
  [parameter, member]: readonly [string, string] = ['cursor', 'next_cursor'],
): List<P> =>
  new List((next) => {
    const query = next === undefined ? parts.query : { ...parts.query, [parameter]: next };
    return transport.send<P>({ has: 'data has_more', ...parts, query: query ?? {}, operation }, options);
  }, member);

/** A list whose operation returns all rows in one page. */
export const shortListOf = <P extends Page<unknown>>(
  transport: Pick<Transport, 'send'>,
  operation: string,
  parts: RequestParts,
  options: CallOptions | undefined,
): List<P> => listOf(transport, operation, { has: 'data', ...parts }, options);
