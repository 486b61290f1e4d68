import type { KnownCode, KnownInputCode } from './generated/api.js';

/** A code of this version, or one that a later version of the service added. */
export type Code = KnownCode | (string & {});

/** An entry of `errors`: one invalid part of the request. */
export interface InputError {
  /** A code that names the problem. Later versions of the service may add codes. */
  code: KnownInputCode | (string & {});
  /** Says what is wrong and what to send instead. */
  detail: string;
  /** JSON Pointer (RFC 6901) into the body. */
  pointer?: string;
  /** The parameter of the path or the query, if the invalid part is one. */
  parameter?: string;
  /** The header, if the invalid part is one. */
  header?: string;
}

/** An error response of the service or of a proxy. */
export interface Rejection {
  /** The HTTP status. */
  status: number;
  /** Undefined if a proxy responded instead of the service. */
  code: Code | undefined;
  /** What happened and what to do, for people. */
  detail: string;
  /** The invalid parts of the request. Empty for most codes. */
  errors: readonly InputError[];
  /** Whether the same request may succeed later. */
  retryable: boolean;
  /** The `X-Request-Id` of the response. Quote it when you report a problem to the operator. */
  requestId: string | undefined;
  /** `Retry-After` in milliseconds. Undefined if the response has none. */
  retryAfterMs: number | undefined;
  /** With `idempotency_key_reused`: the contribution that the key created. */
  transactionId?: string | undefined;
  /** With `idempotency_key_reused`: the key, unless it contains a user_hash. */
  idempotencyKey?: string | undefined;
}

/**
 * Makes `instanceof` true for errors of another copy of the SDK: a program may load both formats of
 * the package, or two versions. A class that extends one of these stays its own.
 */
export function recognize(errors: Readonly<Record<string, abstract new (...input: never[]) => Error>>): void {
  for (const [name, Class] of Object.entries(errors)) {
    const brand = Symbol.for(`contribution-service-sdk.${name}`);
    Object.defineProperty(Class.prototype, brand, { value: true });
    Object.defineProperty(Class, Symbol.hasInstance, {
      value(this: unknown, error: unknown): boolean {
        if (this !== Class) return Function.prototype[Symbol.hasInstance].call(this as never, error);
        return Object(error) === error && brand in (error as object);
      },
    });
  }
}

/** The base class of all errors that the SDK throws. None contains the secret or a user_hash. */
export class ContributionError extends Error {
  override readonly name: string = 'ContributionError';

  /** Keeps `message` in `JSON.stringify`, which omits it for an `Error`. */
  toJSON(): Record<string, unknown> {
    return { ...(this as object), message: this.message };
  }
}

/**
 * The SDK rejected an option or a value. Correct `field`. Nothing was sent, except earlier files of
 * `bank.completeMany`.
 */
export class InvalidInput extends ContributionError {
  override readonly name: string = 'InvalidInput';
  /** The option or field to correct, for example `amount`. */
  declare readonly field: string;

  constructor(field: string, advice: string) {
    super(`${field}: ${advice}`);
    this.field = field;
  }
}

/** @throws InvalidInput unless the condition holds */
export function assertInput(condition: boolean, field: string, advice: string): asserts condition {
  if (!condition) throw new InvalidInput(field, advice);
}

/**
 * The service rejected the request. Branch on `code`, and handle an unknown code by its `status`.
 *
 * @example
 * if (error instanceof RequestRejected && error.code === 'project_not_accepting') hide(project);
 */
export class RequestRejected extends ContributionError implements Rejection {
  override readonly name: string = 'RequestRejected';
  /** The HTTP status. */
  declare readonly status: number;
  /** Undefined if a proxy responded instead of the service. */
  declare readonly code: Code | undefined;
  /** What happened and what to do, for people. */
  declare readonly detail: string;
  /** The invalid parts of the request. Empty for most codes. */
  declare readonly errors: readonly InputError[];
  /** Whether the same request may succeed later. */
  declare readonly retryable: boolean;
  /** Quote it when you report a problem to the operator. */
  declare readonly requestId: string | undefined;
  /** `Retry-After` in milliseconds. */
  declare readonly retryAfterMs: number | undefined;
  /** With `idempotency_key_reused`: the contribution that the key created. */
  declare readonly transactionId?: string | undefined;
  /** With `idempotency_key_reused`: the key, unless it contains a user_hash. */
  declare readonly idempotencyKey?: string | undefined;

  constructor(rejection: Rejection) {
    const { status, code, detail, errors } = rejection;
    const places = errors.map(
      ({ pointer, parameter, header, ...error }) =>
        ` ${pointer || (parameter ?? header ?? 'body')}: ${error.detail}`,
    );
    super(`${code ?? status}: ${detail.replace(/ See errors\.$/, '')}${places.join('')}`);
    Object.assign(this, rejection);
  }
}

/**
 * 429: the rate limit is exceeded. No changes were made. Send the same request again after
 * `retryAfterMs`.
 */
export class RateLimited extends RequestRejected {
  override readonly name: string = 'RateLimited';
}

/**
 * No response arrived from the service in any attempt. Check the network and `apiUrl`. `cause` is
 * the last failure. A request of the store gets `OutcomeUnknown` instead.
 */
export class ConnectionFailed extends ContributionError {
  override readonly name: string = 'ConnectionFailed';
}

/**
 * The call took longer than `deadlineMs`. Try again later, or pass a longer deadline. `cause` is
 * the last failure.
 */
export class DeadlineExceeded extends ContributionError {
  override readonly name: string = 'DeadlineExceeded';
}

/** The response comes from the other environment. Check the base URL and any proxy in between. */
export class WrongEnvironment extends ContributionError {
  override readonly name: string = 'WrongEnvironment';
}

/**
 * A create, a completion, a return, an undo or a correction may have succeeded. Repeat the call
 * with the same `idempotencyKey` or `transactionId`, never with another key. With a store, call
 * `client.recover()`.
 */
export class OutcomeUnknown extends ContributionError {
  override readonly name: string = 'OutcomeUnknown';
  /** The idempotency key of the create. */
  declare readonly idempotencyKey: string | undefined;
  /** The transaction. Undefined for a create. */
  declare readonly transactionId: string | undefined;
  /** The `X-Request-Id` of the last attempt. */
  declare readonly requestId: string | undefined;

  constructor(
    advice: string,
    subject: Pick<OutcomeUnknown, 'idempotencyKey' | 'transactionId' | 'requestId'>,
    cause: unknown,
  ) {
    super(advice, { cause });
    Object.assign(this, subject);
  }
}

recognize({
  ContributionError,
  InvalidInput,
  RequestRejected,
  RateLimited,
  ConnectionFailed,
  DeadlineExceeded,
  WrongEnvironment,
  OutcomeUnknown,
});
