import type { RequestRejected } from './errors.js';
import { assertInput, ContributionError, OutcomeUnknown, WrongEnvironment } from './errors.js';
import {
  completeContribution,
  correctContribution,
  createContribution,
  recordReturn,
  undoReturn,
} from './generated/api.js';
import type { Environment } from './credentials.js';
import type { Intent, IntentStore, Recovery, Settlement } from './intents.js';
import {
  type CallOptions,
  callOptionsOf,
  type ContributionServiceOptions,
  type Settings,
} from './options.js';
import type { ApiRequest } from './request.js';
import type { FullResponse, Transport } from './transport.js';

type Body = Record<string, unknown>;

/**
 * For each kind of intent: its operation, a second member that identifies its response, the method
 * that sends it, and what a repeat has in common with it.
 */
const kinds = {
  create: [createContribution, 'status', 'create', 'idempotencyKey (never a new one)'],
  complete: [completeContribution, 'status', 'complete', 'evidence'],
  return: [recordReturn, 'return_id', 'recordReturn', 'bank_reference'],
  undo: [undoReturn, 'undo_id', 'undoReturn', 'bank_reference'],
  correct: [correctContribution, 'corrected_at', 'correct', 'reason'],
} as const;

/** The request of an intent. */
export function requestOf({ kind, key, transaction_id, return_id, body }: Intent): ApiRequest {
  const [operation, own] = kinds[kind];
  // A gateway's {"status": 200, "message": "OK"} must not count as a success.
  const has = `transaction_id ${own}`;
  const ids = [transaction_id, return_id];
  // A create without a key could be recorded twice. The service rejects an empty key.
  return { operation, has, ids, body, ...(kind === 'create' && { key: key ?? '' }) };
}

/**
 * Statuses that do not show whether an earlier attempt succeeded, except with a code in `decided`.
 * They report a problem of the caller, a temporary state, or bytes that a proxy changed.
 */
const undecided = [401, 403, 404, 405, 408, 413, 415, 429, 431];
/**
 * Codes for which the service first looks for an earlier success. They are final despite their
 * status.
 */
const decided: readonly (string | undefined)[] = [
  'company_suspended',
  'completion_reserved_for_bank',
  'correction_reserved',
  'return_not_found',
  'return_reserved',
  'transaction_not_found',
];

/** Whether a rejection is final even if an earlier attempt may have reached the service. */
function isFinal({ code, status }: RequestRejected): boolean {
  if (code === undefined || status < 400 || status >= 500) return false;
  return decided.includes(code) || !(undecided.includes(status) || code.startsWith('malformed'));
}

function isSameRequest(one: Intent, other: Intent): boolean {
  return Object.keys({ ...one.body, ...other.body }).every(
    (name) => name === 'name' || one.body[name] === other.body[name],
  );
}

function outcomeUnknown(
  { kind, key, transaction_id: transactionId }: Intent,
  { error, requestId }: { error: Error; requestId?: string | undefined },
): OutcomeUnknown {
  const [, , method, same] = kinds[kind];
  const name = transactionId ?? JSON.stringify(key);
  return new OutcomeUnknown(
    `The request may be recorded. Call ${method} again for ${name} with the same ${same}, or call recover(). Last failure: ${error.message}`,
    { idempotencyKey: key, transactionId, requestId },
    error,
  );
}

/**
 * Stores an intent before its first attempt.
 *
 * @throws OutcomeUnknown if `put` failed after the store kept the intent, for example because the
 *   connection to its database broke: `recover` will send it, so a call with another key would
 *   record it twice
 */
async function keep(store: IntentStore, intent: Intent): Promise<void> {
  try {
    await store.put(intent);
  } catch (error) {
    const isKept = await store.get(intent.id).catch(() => true);
    throw isKept ? outcomeUnknown(intent, { error: error as Error }) : error;
  }
}

/** Keeps the message of an error of `onSettled` in JSON, which omits that of an `Error`. */
const toOwnError = (error: unknown): ContributionError =>
  error instanceof ContributionError
    ? error
    : new ContributionError((error as { message?: string }).message ?? String(error), { cause: error });

/** An intent as the caller describes it. */
export type NewIntent = Omit<Intent, 'environment' | 'api_key' | 'stored_at'>;

/** How many intents `recover` sends at once. */
const recoveredAtOnce = 8;

/**
 * Sends creates, completions, returns, undos and corrections so that each ends in a success, a
 * definite rejection or OutcomeUnknown. With a store, an intent is durable before its first
 * attempt.
 */
export class Settler {
  readonly #transport: Transport;
  readonly environment: Environment;
  readonly #store: IntentStore | undefined;
  /** The API-Key of this client, then the API-Keys of the company's other pairs. */
  readonly #apiKeys: readonly [own: string, ...others: string[]];
  readonly #onSettled: ContributionServiceOptions['onSettled'];

  constructor(
    transport: Transport,
    { apiKey, environment }: Settings,
    { store, onSettled, companyApiKeys = [] }: ContributionServiceOptions,
  ) {
    this.environment = environment;
    this.#transport = transport;
    this.#store = store;
    this.#onSettled = onSettled;
    this.#apiKeys = [apiKey, ...companyApiKeys];
  }

  get hasStore(): boolean {
    return this.#store !== undefined;
  }

  /**
   * @param isStored false if the request does not have to survive a crash
   * @throws OutcomeUnknown if the request may have succeeded; the intent stays in the store
   * @throws RequestRejected, RateLimited and others if nothing was recorded
   */
  async send<T>(
    request: NewIntent,
    options: CallOptions | undefined,
    isStored: boolean,
  ): Promise<FullResponse<T>> {
    const [apiKey] = this.#apiKeys;
    const stored_at = new Date().toISOString();
    const intent = { ...request, environment: this.environment, api_key: apiKey, stored_at };
    callOptionsOf(options);
    const store = isStored ? this.#store : undefined;
    const known = await store?.get(intent.id);
    if (known) this.#checkOwner(known);
    assertInput(
      !known || isSameRequest(known, intent),
      'idempotencyKey',
      'Another request is stored under this key. Use a new key for a new contribution.',
    );
    if (store && !known) await keep(store, intent);
    const end = await this.#finish<T>(intent, options, store, known !== undefined);
    if ('rejection' in end) throw end.rejection;
    return end.response;
  }

  /**
   * Rejects the request of another company, which would otherwise be recorded for this company.
   *
   * @throws InvalidInput if the pair that sent it is not known to be this company's
   */
  #checkOwner({ api_key: apiKey }: Intent): void {
    assertInput(
      apiKey === undefined || this.#apiKeys.includes(apiKey),
      'store',
      `It has a request of another key pair. Use one store for each company. If the pair is your company's, pass companyApiKeys: ['${apiKey ?? ''}'].`,
    );
  }

  /** Sends every stored intent of the environment again. See `ContributionService.recover`. */
  async recover(options: CallOptions | undefined): Promise<Recovery> {
    callOptionsOf(options);
    const store = this.#store;
    assertInput(store !== undefined, 'store', 'Pass a store to the client.');
    const recovery: Recovery = { succeeded: [], rejected: [], remaining: [] };
    const intents = (await store.list()).filter(({ environment }) => environment === this.environment);
    const next = intents.values();
    const work = async (): Promise<void> => {
      for (const intent of next) {
        try {
          this.#checkOwner(intent);
          const end = await this.#finish<Body>(intent, options, store, true);
          if ('rejection' in end) recovery.rejected.push({ intent, error: end.rejection });
          else recovery.succeeded.push({ intent, response: end.response.data });
        } catch (error) {
          recovery.remaining.push({ intent, error: toOwnError(error) });
        }
      }
    };
    await Promise.all(Array.from({ length: recoveredAtOnce }, work));
    return recovery;
  }

  /**
   * @throws OutcomeUnknown, WrongEnvironment, or the error of `onSettled`; the intent stays in the
   *   store
   */
  async #finish<T>(
    intent: Intent,
    options: CallOptions | undefined,
    store: IntentStore | undefined,
    wasSentBefore: boolean,
  ): Promise<{ response: FullResponse<T> } | { rejection: Error }> {
    const result = await this.#transport.call<T>(requestOf(intent), options);
    if ('response' in result) {
      await this.#settle(store, { intent, outcome: 'succeeded', response: result.response.data as Body });
      return result;
    }
    const { failure } = result;
    const { error, rejection } = failure;
    if (error instanceof WrongEnvironment) throw error;
    const mayHaveSucceeded = failure.isUncertain || wasSentBefore;
    if (mayHaveSucceeded && !(rejection && isFinal(rejection))) throw outcomeUnknown(intent, failure);
    await this.#settle(store, { intent, outcome: 'rejected', error });
    return { rejection: error };
  }

  async #settle(store: IntentStore | undefined, settlement: Settlement): Promise<void> {
    if (!store) return;
    await this.#onSettled?.(settlement);
    // If this fails, recover() sends the intent again, which changes nothing.
    await store.delete(settlement.intent.id).catch(() => undefined);
  }
}
