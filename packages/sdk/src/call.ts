import type { CallOptions } from './options.js';
import type { RequestParts } from './request.js';
import type { FullResponse, Transport } from './transport.js';

/**
 * A call in progress. `await` gives its data; `withResponse()` also gives status, headers,
 * `requestId`, `replayed` and `attempts`.
 *
 * @example
 * const { data, requestId } = await client.projects.get(1).withResponse();
 */
export class Call<T, R extends FullResponse<T> = FullResponse<T>> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'Call';
  readonly #response: Promise<R>;

  /** Starts the call. An error that `start` throws becomes a rejection. */
  constructor(start: () => Promise<R>) {
    this.#response = (async () => start())();
  }

  withResponse(): Promise<R> {
    return this.#response;
  }

  then<A = T, B = never>(
    onData?: ((data: T) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#response.then(({ data }) => data).then(onData, onError);
  }

  catch<B = never>(onError?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, onError);
  }

  finally(onEnd?: (() => void) | null): Promise<T> {
    return this.then().finally(onEnd);
  }
}

/** Starts the call of an operation. Each operation is a constant of `generated/api.ts`. */
export const start = <T>(
  transport: Pick<Transport, 'send'>,
  operation: string,
  parts: RequestParts,
  options: CallOptions | undefined,
): Call<T> => new Call(() => transport.send<T>({ ...parts, operation }, options));
