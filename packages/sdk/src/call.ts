import type { CallOptions } from './options.js';
import type { RequestParts } from './request.js';
import type { FullResponse, Transport } from './transport.js';

/** The parameters of an operation that has none. Later versions of the service may add some. */
export type NoParams = Readonly<Record<string, never>>;

/** The base class of `Call`, `List` and `CompletionOutcomes`: a promise that you can `await`. */
export abstract class Pending<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'Promise';

  protected abstract settle(): Promise<T>;

  then<A = T, B = never>(
    onData?: ((data: T) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.settle().then(onData, onError);
  }

  catch<B = never>(onError?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, onError);
  }

  finally(onEnd?: (() => void) | null): Promise<T> {
    return this.then().finally(onEnd);
  }
}

/**
 * A call in progress: `await` gives its data. `withResponse()` also gives status, headers,
 * `requestId`, `replayed` and `attempts`.
 *
 * @example
 * const { data, requestId } = await client.projects.retrieve(1).withResponse();
 */
export class Call<T, R extends FullResponse<T> = FullResponse<T>> extends Pending<T> {
  readonly #response: Promise<R>;

  /** Starts the call. An error that `start` throws becomes a rejection. */
  constructor(start: () => Promise<R>) {
    super();
    this.#response = (async () => start())();
  }

  /** The whole response. It sends no further request. */
  withResponse(): Promise<R> {
    return this.#response;
  }

  protected override settle(): Promise<T> {
    return this.#response.then(({ data }) => data);
  }
}

/** Starts the call of an operation. Each operation is a constant of `generated/api.ts`. */
export const start = <T>(
  transport: Pick<Transport, 'send'>,
  operation: string,
  parts: RequestParts,
  options: CallOptions | undefined,
): Call<T> => new Call(() => transport.send<T>({ ...parts, operation }, options));
