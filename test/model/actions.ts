import type { Principal } from './world';

/** The request that makes a contribution. */
export interface Creation {
  readonly user: string;
  readonly project: number;
  readonly cents: number;
  readonly key: string | null;
}

interface Sent {
  readonly by: Principal;
  readonly apiKey: string;
}

export type Request = Sent &
  (
    | ({ readonly kind: 'create' } & Creation)
    | {
        readonly kind: 'complete';
        readonly id: string;
        readonly cents: number | null;
        readonly reference: string | null;
      }
    | { readonly kind: 'read'; readonly id: string }
    | {
        readonly kind: 'list';
        readonly filter: { status?: 'pending' | 'completed'; user_hash?: string; idempotency_key?: string };
      }
    | { readonly kind: 'show'; readonly user: string }
  );

/** What the operator's commands do. */
export type Command =
  | { readonly kind: 'issue'; readonly of: Principal }
  | { readonly kind: 'revoke'; readonly of: Principal; readonly apiKey: string }
  | { readonly kind: 'link' }
  | { readonly kind: 'unlink' };

/** One thing that happens, fixed to the last detail before it does. */
export type Action = Request | Command;

/** What an answer says of a transaction; times only as far as they are there. */
export interface View {
  readonly id: string;
  readonly status: 'pending' | 'completed';
  readonly project: number;
  readonly amount: string;
  readonly hasCompletionTime: boolean;
  readonly reference: string | null;
  /** Only for the company itself. */
  readonly own: { readonly user: string; readonly key: string | null } | undefined;
}

export type ErrorCode =
  | 'credentials_invalid'
  | 'scope_missing'
  | 'completion_reserved_for_bank'
  | 'transaction_not_found'
  | 'amount_mismatch'
  | 'idempotency_key_reused';

/** What the caller learns, in the model's words: nothing in it depends on the form of HTTP. */
export type Answer =
  | { readonly outcome: 'created' | 'created before'; readonly id: string }
  | { readonly outcome: 'completed' | 'completed before'; readonly id: string }
  | { readonly outcome: 'found'; readonly transaction: View }
  | { readonly outcome: 'listed'; readonly transactions: readonly View[] }
  | {
      readonly outcome: 'shown';
      readonly projects: readonly { readonly id: number; readonly isSupported: boolean }[];
    }
  | { readonly outcome: 'issued'; readonly apiKey: string }
  | { readonly outcome: 'done' | 'refused' }
  | { readonly outcome: ErrorCode };

/** An action, what came of it, and when, in milliseconds of the test's clock. */
export interface Happening {
  readonly action: Action;
  readonly answer: Answer;
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** In words, for the history of a sequence that failed. */
export function describe({ action, answer }: Happening): string {
  const words = (value: object) =>
    Object.entries(value)
      .filter(([name, each]) => name !== 'kind' && each !== null && each !== undefined)
      .map(([name, each]) => `${name} ${typeof each === 'string' ? each : JSON.stringify(each)}`)
      .join(', ');
  const { outcome, ...rest } = answer;
  return `${action.kind} (${words(action)}) → ${outcome}${Object.keys(rest).length > 0 ? ` (${words(rest)})` : ''}`;
}
