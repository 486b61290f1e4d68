import type { RequestRejected } from './errors.js';
import { InvalidInput, OutcomeUnknown, WrongEnvironment } from './errors.js';
import type { Intent, IntentStore, Recovery, Settlement } from './intents.js';
import { type CallOptions, callOptionsOf } from './options.js';
import { type ApiRequest, hasText } from './request.js';
import type { CallFailure, FullResponse, Transport } from './transport.js';

type Body = Record<string, unknown>;

/** The request of an intent. */
export function requestOf(intent: Intent): ApiRequest {
  const { kind, key, transaction_id: transactionId = '', return_id: returnId = '', body } = intent;
  switch (kind) {
    case 'create':
      return {
        method: 'PUT',
        path: '/contributions/create',
        body,
        key: key ?? '',
        personal: [body['user_hash'], body['name']].filter((text) => typeof text === 'string'),
        isComplete: hasText('transaction_id'),
      };
    case 'complete':
      return {
        method: 'PUT',
        path: '/contributions/{transaction_id}',
        ids: [transactionId],
        body,
        isComplete: hasText('status'),
      };
    case 'return':
      return {
        method: 'POST',
        path: '/contributions/{transaction_id}/returns',
        ids: [transactionId],
        body,
        isComplete: hasText('return_id'),
      };
    case 'undo':
      return {
        method: 'POST',
        path: '/contributions/{transaction_id}/returns/{return_id}/undo',
        ids: [transactionId, returnId],
        body,
        isComplete: hasText('undo_id'),
      };
  }
}

/** They concern the caller or the moment, and do not show whether an earlier attempt succeeded. */
const undecided = new Set([401, 403, 404, 405, 408, 429, 431]);
/** Codes with such a status that do show it: the service first looks for an earlier success. */
const decided = new Set<string | undefined>([
  'company_suspended',
  'completion_reserved_for_bank',
  'return_not_found',
  'return_reserved',
  'transaction_not_found',
]);

/** Whether a rejection is final even if an earlier attempt may have reached the service. */
function isFinal({ code, status }: RequestRejected): boolean {
  if (code === undefined || status < 400 || status >= 500) return false;
  return decided.has(code) || !undecided.has(status);
}

function isSameRequest(one: Intent, other: Intent): boolean {
  const names = new Set([...Object.keys(one.body), ...Object.keys(other.body)]);
  names.delete('name');
  return [...names].every((name) => one.body[name] === other.body[name]);
}

function outcomeUnknown(
  { kind, key, transaction_id: transactionId }: Intent,
  failure: CallFailure,
): OutcomeUnknown {
  const advice = {
    create: `The contribution may be recorded. Call create again with the same key, ${JSON.stringify(key)}, or call recover(). Never use a new key.`,
    complete: `The completion of ${transactionId ?? ''} may be recorded. Complete it again with the same evidence, or call recover().`,
    return: `The return of ${transactionId ?? ''} may be recorded. Call recordReturn again with the same bank_reference, or call recover().`,
    undo: `The undo for ${transactionId ?? ''} may be recorded. Call undoReturn again with the same bank_reference, or call recover().`,
  }[kind];
  return new OutcomeUnknown(
    {
      ...(key !== undefined && { key }),
      ...(transactionId !== undefined && { transactionId }),
      requestId: failure.requestId,
      advice: `${advice} Last failure: ${failure.error.message}`,
    },
    failure.error,
  );
}

/** How many intents `recover` sends at once. */
const recoveredAtOnce = 8;

/**
 * Sends creates, completions, returns and undos so that each ends in a success, a definite
 * rejection or OutcomeUnknown. With a store, an intent is durable before its first attempt.
 */
export class Settler {
  readonly #transport: Transport;
  readonly #store: IntentStore | undefined;
  /** The own API-Key, then those of the company's other pairs. */
  readonly #apiKeys: readonly [own: string, ...others: string[]];
  readonly #onSettled: ((settlement: Settlement) => void | Promise<void>) | undefined;

  constructor(
    transport: Transport,
    store: IntentStore | undefined,
    onSettled: ((settlement: Settlement) => void | Promise<void>) | undefined,
    apiKeys: readonly [own: string, ...others: string[]],
  ) {
    this.#transport = transport;
    this.#store = store;
    this.#onSettled = onSettled;
    this.#apiKeys = apiKeys;
  }

  get hasStore(): boolean {
    return this.#store !== undefined;
  }

  /**
   * @param isStored false for a request that the caller does not want to survive a crash
   * @throws OutcomeUnknown if the request may have succeeded; the intent stays in the store
   * @throws RequestRejected, RateLimited and others if nothing was recorded
   */
  async send<T>(intent: Intent, options: CallOptions, isStored: boolean): Promise<FullResponse<T>> {
    callOptionsOf(options);
    const store = isStored ? this.#store : undefined;
    const known = await store?.get(intent.id);
    if (known) this.#checkOwner(known);
    if (known && !isSameRequest(known, intent))
      throw new InvalidInput(
        'key',
        'Another request is stored under this key. Use a new key for a new contribution.',
      );
    if (!known) await store?.put({ ...intent, api_key: this.#apiKeys[0] });
    const end = await this.#finish<T>(intent, options, store, known !== undefined);
    if ('rejection' in end) throw end.rejection;
    return end.response;
  }

  /**
   * Another company's request would create or complete under this company.
   *
   * @throws InvalidInput if the pair that sent it is not known to be this company's
   */
  #checkOwner({ api_key: apiKey }: Intent): void {
    if (apiKey === undefined || this.#apiKeys.includes(apiKey)) return;
    throw new InvalidInput(
      'store',
      `It has a request of another key pair, ${apiKey}. Use one store for each company. If the pair belongs to your company, for example before a rotation, pass companyApiKeys: ['${apiKey}'].`,
    );
  }

  /** Sends every stored intent of the environment again. See `Client.recover`. */
  async recover(environment: string, options: CallOptions): Promise<Recovery> {
    callOptionsOf(options);
    const store = this.#store;
    if (!store)
      throw new InvalidInput('store', 'Pass a store to the client. Without one, nothing can be recovered.');
    const recovery: Recovery = { succeeded: [], rejected: [], remaining: [] };
    const intents = (await store.list()).filter((intent) => intent.environment === environment);
    const next = intents.values();
    const work = async (): Promise<void> => {
      for (const intent of next) {
        try {
          this.#checkOwner(intent);
          const end = await this.#finish<Body>(intent, options, store, true);
          if ('rejection' in end) recovery.rejected.push({ intent, error: end.rejection });
          else recovery.succeeded.push({ intent, response: end.response.data });
        } catch (error) {
          recovery.remaining.push({ intent, error: error as Error });
        }
      }
    };
    await Promise.all(Array.from({ length: recoveredAtOnce }, work));
    return recovery;
  }

  /**
   * @throws OutcomeUnknown, WrongEnvironment, and what `onSettled` throws. The intent stays in the
   *   store
   */
  async #finish<T>(
    intent: Intent,
    options: CallOptions,
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
    // An intent that stays is sent again by recover(), which changes nothing.
    await store.delete(settlement.intent.id).catch(() => undefined);
  }
}
