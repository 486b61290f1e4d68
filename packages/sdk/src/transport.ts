import { attempt, type Outcome } from './attempt.js';
import {
  ConnectionFailed,
  DeadlineExceeded,
  RateLimited,
  RequestRejected,
  WrongEnvironment,
} from './errors.js';
import type { LogEvent } from './logging.js';
import { type CallOptions, callOptionsOf, checkLimits, type Settings } from './options.js';
import { checkMembers } from './names.js';
import type { ApiRequest } from './request.js';
import { retryDelayMs } from './retry.js';

/** A successful response with everything around its data. */
export interface FullResponse<T> {
  data: T;
  status: number;
  headers: Headers;
  /** Quote it when you report a problem to the operator. */
  requestId: string | undefined;
  /** Whether the service repeated the response to an earlier request, and recorded nothing new. */
  replayed: boolean;
  /** The number of attempts, 1 if the first one succeeded. */
  attempts: number;
}

/** The end of a call without a success. */
export interface CallFailure {
  error: Error;
  requestId: string | undefined;
  /** The last response, if it came from the service. */
  rejection: RequestRejected | undefined;
  /** Whether an attempt may have taken effect. */
  isUncertain: boolean;
}

export type CallResult<T> = { response: FullResponse<T> } | { failure: CallFailure };

/** Time and chance, which tests replace. */
export interface Clock {
  now: () => number;
  random: () => number;
  /** Resolves after this time, or at once when the signal is aborted. */
  wait: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  random: Math.random,
  wait: (milliseconds, signal) =>
    new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      const timer = setTimeout(finish, milliseconds);
      signal?.addEventListener('abort', finish, { once: true });
    }),
};

/** Sends requests with retries. All calls of a client share one. */
export class Transport {
  readonly #settings: Settings;
  readonly #clock: Clock;
  #isPairKnown = false;

  constructor(settings: Settings, clock: Clock = systemClock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** @throws ContributionError as `CallFailure.error` */
  async send<T>(request: ApiRequest, options: CallOptions = {}): Promise<FullResponse<T>> {
    callOptionsOf(options);
    const operation = `${request.method} ${request.path}`;
    for (const input of [request.query ?? {}, request.body ?? {}, ...(request.lines ?? [])])
      checkMembers('input', operation, input);
    const result = await this.call<T>(request, options);
    if ('failure' in result) throw result.failure.error;
    return result.response;
  }

  /** Sends a request until it succeeds, must not be repeated, or the limits of the call end. */
  async call<T>(request: ApiRequest, options: CallOptions): Promise<CallResult<T>> {
    const clock = this.#clock;
    const limits = checkLimits(options, this.#settings.limits);
    const { signal } = options;
    const deadline = clock.now() + limits.deadlineMs;
    let isUncertain = false;
    let internalErrors = 0;
    if (signal?.aborted) return { failure: aborted(signal, false, undefined) };
    for (let attempts = 1; ; attempts += 1) {
      const startedAt = clock.now();
      const timeoutMs = Math.max(1, Math.min(limits.timeoutMs, deadline - startedAt));
      const outcome = await attempt(this.#settings, request, { timeoutMs, signal });
      if (outcome.kind === 'success') {
        this.#log(request, outcome, attempts, clock.now() - startedAt, undefined);
        return this.#succeed(outcome, attempts);
      }
      if (outcome.kind === 'foreign') {
        this.#log(request, outcome, attempts, clock.now() - startedAt, undefined);
        return this.#stop(outcome);
      }
      // After a 429 nothing was done. After a lost response or a 5xx, it may have been.
      isUncertain ||=
        outcome.kind === 'lost' || outcome.rejection.status >= 500 || outcome.rejection.status === 408;
      if (outcome.kind === 'rejected' && outcome.rejection.code === 'internal_error') internalErrors += 1;
      const progress = { attempts, internalErrors, isPairKnown: this.#isPairKnown };
      const delayMs =
        attempts < limits.maxAttempts ? retryDelayMs(outcome, progress, clock.random) : undefined;
      const isInTime = delayMs !== undefined && clock.now() + delayMs < deadline;
      this.#log(request, outcome, attempts, clock.now() - startedAt, isInTime ? delayMs : undefined);
      if (signal?.aborted) return { failure: aborted(signal, isUncertain, requestIdOf(outcome)) };
      if (!isInTime) return { failure: toFailure(outcome, isUncertain, delayMs !== undefined) };
      await clock.wait(delayMs, signal);
      if (signal?.aborted) return { failure: aborted(signal, isUncertain, requestIdOf(outcome)) };
    }
  }

  #succeed<T>(
    { status, headers, body, requestId }: Outcome & { kind: 'success' },
    attempts: number,
  ): CallResult<T> {
    this.#isPairKnown = true;
    const replayed = headers.get('Idempotent-Replayed') === 'true';
    return { response: { data: body as T, status, headers, requestId, replayed, attempts } };
  }

  /** What the service did is unknown: its response did not arrive. */
  #stop({ environment, requestId }: Outcome & { kind: 'foreign' }): { failure: CallFailure } {
    const { environment: expected } = this.#settings;
    const error = new WrongEnvironment(
      `The response is from ${environment}, but you expect ${expected}. Check baseUrl and the proxies in between.`,
    );
    return { failure: { error, requestId, rejection: undefined, isUncertain: true } };
  }

  #log(
    request: ApiRequest,
    outcome: Outcome,
    attempts: number,
    durationMs: number,
    retryInMs?: number,
  ): void {
    const { logger } = this.#settings;
    if (!logger) return;
    const rejection = outcome.kind === 'rejected' ? outcome.rejection : undefined;
    const event: LogEvent = {
      method: request.method,
      path: request.path,
      attempt: attempts,
      durationMs,
      status: rejection?.status ?? (outcome.kind === 'rejected' ? undefined : outcome.status),
      code: rejection?.code,
      requestId: requestIdOf(outcome),
      failure: outcome.kind === 'lost' ? outcome.failure.message : undefined,
      retryInMs,
    };
    try {
      logger(event);
    } catch {
      // A logger must not turn a recorded contribution into an error.
    }
  }
}

const requestIdOf = (outcome: Outcome): string | undefined =>
  outcome.kind === 'rejected' ? outcome.rejection.requestId : outcome.requestId;

function aborted(signal: AbortSignal, isUncertain: boolean, requestId: string | undefined): CallFailure {
  const reason: unknown = signal.reason;
  const error = reason instanceof Error ? reason : new Error('The call was aborted.', { cause: reason });
  return { error, requestId, rejection: undefined, isUncertain };
}

/** @param isOutOfTime whether only the deadline prevented another attempt */
function toFailure(
  outcome: Exclude<Outcome, { kind: 'success' | 'foreign' }>,
  isUncertain: boolean,
  isOutOfTime: boolean,
): CallFailure {
  const requestId = requestIdOf(outcome);
  if (outcome.kind === 'rejected') {
    const { rejection: facts } = outcome;
    const rejection = facts.status === 429 ? new RateLimited(facts) : new RequestRejected(facts);
    return { error: rejection, requestId, rejection, isUncertain };
  }
  const advice = `Check baseUrl and the network, then try again. Last failure: ${outcome.failure.message}.`;
  const error = isOutOfTime
    ? new DeadlineExceeded(`The deadline of the call ended. ${advice}`, { cause: outcome.failure })
    : new ConnectionFailed(`No response arrived from the service. ${advice}`, { cause: outcome.failure });
  return { error, requestId, rejection: undefined, isUncertain };
}
