import type { Environment } from './credentials.js';

/**
 * A create, a completion, a return, an undo or a correction whose outcome is not yet known. It is
 * plain JSON.
 */
export interface Intent {
  /** Identifies the intent in the store. Treat it as opaque. */
  id: string;
  /** The call: `contributions.create`, or a method of `bank`. */
  kind: 'create' | 'complete' | 'return' | 'undo' | 'correct';
  /** The environment of the key pair that sent it. */
  environment: Environment;
  /**
   * The API-Key of the pair that sent it, which identifies the company. Version 0.1.0 did not store
   * it.
   */
  api_key?: string;
  /** The idempotency key of a create. */
  key?: string;
  /** The transaction. Undefined for a create. */
  transaction_id?: string;
  /** The return that the undo refers to. */
  return_id?: string;
  /** The body of the request. It contains the user_hash, so protect the store like user data. */
  body: Record<string, unknown>;
  /** When the SDK stored it, in UTC. */
  stored_at: string;
}

/**
 * Keeps intents across crashes. `put` must not resolve before the intent is durable. Use one store
 * for each company; several processes of the company can share it. A client does not send the
 * intents of another key pair, unless it is told that the pair belongs to its company.
 *
 * `contribution-service-sdk/node` has stores in a folder and in PostgreSQL.
 */
export interface IntentStore {
  /** Stores an intent durably. It replaces the intent with the same `id`. */
  put(intent: Intent): Promise<void>;
  /**
   * Reads an intent. Undefined if the store does not have it.
   *
   * @param id the `id` of the intent
   */
  get(id: string): Promise<Intent | undefined>;
  /**
   * Deletes an intent. It succeeds if the store does not have it.
   *
   * @param id the `id` of the intent
   */
  delete(id: string): Promise<void>;
  /** All intents, oldest first. */
  list(): Promise<Intent[]>;
}

/** The final outcome of an intent. */
export type Settlement =
  | { intent: Intent; outcome: 'succeeded'; response: Record<string, unknown> }
  | { intent: Intent; outcome: 'rejected'; error: Error };

/** The result of `client.recover()`: the requests that succeeded, were rejected, or remain. */
export interface Recovery {
  /** Requests that were recorded now or earlier. */
  succeeded: { intent: Intent; response: Record<string, unknown> }[];
  /**
   * Requests that were permanently rejected, and removed from the store. Investigate each of them.
   */
  rejected: { intent: Intent; error: Error }[];
  /**
   * Requests whose outcome is still unknown. The store keeps their intents. Call `recover()` again
   * later. An error that `onSettled` threw is the `cause` of `error`.
   */
  remaining: { intent: Intent; error: Error }[];
}
