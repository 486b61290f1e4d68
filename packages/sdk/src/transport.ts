import { attempt, type Failure, type Outcome } from './attempt.js';
import { assertInput, ConnectionFailed, DeadlineExceeded, type RequestRejected } from './errors.js';
import { type CallOptions, callOptionsOf, checkLimits, type Settings } from './options.js';
import { type ApiRequest, checkRequest, routeOf } from './request.js';
import { retryDelayMs } from './retry.js';

/** The data, status, headers and attempts of a successful response. */
export interface FullResponse<T> {
  /** The body. `await call` gives it directly. */
  data: T;
  /** The HTTP status. */
  status: number;
  /** The headers of the last attempt's response. */
  headers: Headers;
  /** Quote it when you report a problem to the operator. */
  requestId: string | undefined;
  /** Whether the service repeated the response to an earlier request, and recorded nothing new. */
  replayed: boolean;
  /** The number of attempts, 1 if the first one succeeded. */
  attempts: number;
}

/** The failure of a call. */
export interface CallFailure {
  error: Error;
  requestId: string | undefined;
  /** The last response, if it came from the service. */
  rejection?: RequestRejected;
  /** Whether an attempt may have taken effect. */
  isUncertain: boolean;
}

export type CallResult<T> = { response: FullResponse<T> } | { failure: CallFailure };

/** The time and the random numbers, which tests replace. */
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

/** Sends requests with retries. All calls of a client share one transport. */
export class Transport {
  readonly #settings: Settings;
  readonly #clock: Clock;
  #isPairKnown = false;

  constructor(settings: Settings, clock: Clock = systemClock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** @throws ContributionError as `CallFailure.error` */
  async send<T>(request: ApiRequest, options?: CallOptions): Promise<FullResponse<T>> {
    assertInput(
      this.#settings.environment === 'test' || !routeOf(request).path.startsWith('/sandbox/'),
      'apiKey',
      'The sandbox is only in the test environment.',
    );
    callOptionsOf(options);
    const result = await this.call<T>(checkRequest(request), options);
    if ('failure' in result) throw result.failure.error;
    return result.response;
  }

  /** Sends a request until it succeeds, must not be repeated, or the limits of the call end. */
  async call<T>(request: ApiRequest, options: CallOptions = {}): Promise<CallResult<T>> {
    const clock = this.#clock;
    const limits = checkLimits(options, this.#settings.limits);
    const { signal } = options;
    const deadline = clock.now() + limits.deadlineMs;
    let isUncertain = false;
    let internalErrors = 0;
    if (signal?.aborted) return { failure: aborted(signal, false) };
    for (let attempts = 1; ; attempts += 1) {
      const startedAt = clock.now();
      const timeoutMs = Math.max(1, Math.min(limits.timeoutMs, deadline - startedAt));
      const outcome = await attempt(this.#settings, request, { timeoutMs, signal });
      const log = (retryInMs?: number): void => {
        this.#log(request, outcome, attempts, clock.now() - startedAt, retryInMs);
      };
      if (outcome.kind === 'success') {
        log();
        return this.#succeed(outcome, attempts);
      }
      isUncertain ||= mayHaveTakenEffect(outcome);
      if (codeOf(outcome) === 'internal_error') internalErrors += 1;
      const progress = { attempts, internalErrors, isPairKnown: this.#isPairKnown };
      const delayMs =
        attempts < limits.maxAttempts ? retryDelayMs(outcome, progress, clock.random) : undefined;
      const isInTime = delayMs !== undefined && clock.now() + delayMs < deadline;
      log(isInTime ? delayMs : undefined);
      if (isInTime && !signal?.aborted) await clock.wait(delayMs, signal);
      if (signal?.aborted) return { failure: aborted(signal, isUncertain, outcome.requestId) };
      if (!isInTime) return { failure: toFailure(outcome, isUncertain, delayMs !== undefined) };
    }
  }

  #succeed<T>(
    { status, headers, body, requestId }: Outcome & { kind: 'success' },
    attempts: number,
  ): CallResult<T> {
    this.#isPairKnown = true;
    return {
      response: {
        data: body as T,
        status,
        headers,
        requestId,
        replayed: headers.get('Idempotent-Replayed') === 'true',
        attempts,
      },
    };
  }

  #log(
    request: ApiRequest,
    outcome: Outcome,
    attempt: number,
    durationMs: number,
    retryInMs: number | undefined,
  ): void {
    const { status, requestId, kind } = outcome;
    const code = codeOf(outcome);
    const failure = kind === 'lost' ? outcome.error.message : undefined;
    try {
      const { logger } = this.#settings;
      logger?.({ ...routeOf(request), attempt, durationMs, status, code, requestId, failure, retryInMs });
    } catch {
      // An error of the logger must not make a recorded contribution look failed.
    }
  }
}

const codeOf = (outcome: Outcome): string | undefined =>
  outcome.kind === 'rejected' ? outcome.error.code : undefined;

/**
 * Whether the service may have carried out the request. Its own 4xx mean that it did nothing,
 * except 408. A proxy or firewall may send a 4xx instead of the response to a recorded
 * contribution.
 */
function mayHaveTakenEffect(outcome: Failure): boolean {
  if (outcome.kind !== 'rejected') return true;
  const { code, status } = outcome.error;
  return code === undefined || status >= 500 || status === 408;
}

function aborted(signal: AbortSignal, isUncertain: boolean, requestId?: string): CallFailure {
  const reason: unknown = signal.reason;
  const error = reason instanceof Error ? reason : new Error('The call was aborted.', { cause: reason });
  return { error, requestId, isUncertain };
}

/** @param isOutOfTime whether only the deadline prevented another attempt */
function toFailure(outcome: Failure, isUncertain: boolean, isOutOfTime: boolean): CallFailure {
  const { kind, error: cause, requestId } = outcome;
  if (kind === 'rejected') return { error: cause, requestId, rejection: cause, isUncertain };
  const advice = `Check apiUrl and the network, then try again. Last failure: ${cause.message}.`;
  let error: Error = cause;
  if (kind === 'lost')
    error = isOutOfTime
      ? new DeadlineExceeded(`The deadline of the call ended. ${advice}`, { cause })
      : new ConnectionFailed(`No response arrived from the service. ${advice}`, { cause });
  return { error, requestId, isUncertain };
}
