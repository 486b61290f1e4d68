import { setTimeout as delay } from 'node:timers/promises';

import { DatabaseFailure, type FailureReason, translateQueryError } from '../errors';

/** Why writes are rejected before they are sent. */
export type RejectionCause = Exclude<FailureReason, 'timeout' | 'conflict' | 'pool_exhausted'>;

export interface WriteGuardOptions {
  /**
   * Commits a transaction that changes no table on a fresh connection.
   *
   * @param onOpened called when the connection is open. Opening has a limit of its own: on a busy
   *   machine or network, it takes long although commits are prompt
   * @returns how long the commit took, in milliseconds
   * @throws when no connection opens, and when the commit fails, takes longer than `timeoutMs`, or
   *   is aborted
   */
  tryCommit: (onOpened: () => void, timeoutMs: number, signal: AbortSignal) => Promise<number>;
  /** Called when writes are accepted again, before waiting writes continue. */
  onAccepted: () => void;
  /** Called when writes are rejected, for this or another cause, and with undefined at the end. */
  onWritesRejected: (cause: RejectionCause | undefined) => void;
}

/** Decides whether writes are sent while commits get no reply. */
export type WriteGuard = ReturnType<typeof createWriteGuard>;

/**
 * The longest that a prompt commit takes. Writes wait no longer for a trial commit, and one that
 * takes longer does not end the rejection of writes.
 */
export const promptMs = 1_000;
const trialTimeoutMs = 15_000;
/** The pause between two trial commits. */
const pauseMs = 1_000;

/** @param stopped ends the trial commits when the database closes */
export function createWriteGuard(options: WriteGuardOptions, stopped: AbortSignal) {
  const { onAccepted, onWritesRejected } = options;
  let waiting = 0;
  let isInDoubt = false;
  let rejection: RejectionCause | undefined;
  /** Resolves when writes are accepted or rejected. */
  let decision = Promise.resolve();

  async function resolveDoubt(decide: () => void): Promise<void> {
    const reject = (cause: RejectionCause): void => {
      if (rejection === cause || stopped.aborted) return;
      rejection = cause;
      decide();
      onWritesRejected(cause);
    };
    // A trial commit that succeeds late is also repeated, so writes to a slow server stay rejected.
    while (!(await commitsPromptly(options, stopped, reject))) {
      if (stopped.aborted) break;
      await pause(pauseMs, stopped);
    }
    const wasRejected = rejection !== undefined;
    isInDoubt = false;
    rejection = undefined;
    onAccepted();
    decide();
    if (wasRejected && !stopped.aborted) onWritesRejected(undefined);
  }

  return {
    /** Starts trial commits. Until one is prompt, writes wait or are rejected. */
    doubt() {
      if (isInDoubt) return;
      isInDoubt = true;
      decision = new Promise((resolve) => void resolveDoubt(resolve));
    },
    /** Whether writes wait for a trial commit or are rejected. If so, wait for `decided`. */
    areWritesInDoubt: () => isInDoubt,
    /** Resolves when writes are accepted or rejected: after opening a connection and `promptMs`. */
    decided: async () => {
      waiting += 1;
      try {
        await decision;
      } finally {
        waiting -= 1;
      }
    },
    /** Why writes are rejected; undefined while they are accepted or in doubt. */
    rejection: () => rejection,
    /** The number of writes that wait in `decided`. */
    waitingCount: () => waiting,
  };
}

/** @param reject called as soon as the commit has failed or takes too long */
async function commitsPromptly(
  { tryCommit }: WriteGuardOptions,
  stopped: AbortSignal,
  reject: (cause: RejectionCause) => void,
): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const onOpened = (): void => {
    timer = setTimeout(reject, promptMs, 'unconfirmed');
  };
  try {
    const isPrompt = (await tryCommit(onOpened, trialTimeoutMs, stopped)) <= promptMs;
    if (!isPrompt) reject('unconfirmed');
    return isPrompt;
  } catch (error) {
    reject(timer === undefined ? 'unavailable' : causeOf(error));
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** @param error of a trial commit that was sent */
function causeOf(error: unknown): RejectionCause {
  const failure = translateQueryError(error);
  const reason = failure instanceof DatabaseFailure ? failure.reason : undefined;
  return reason === 'no_room' || reason === 'read_only' ? reason : 'unconfirmed';
}

/** Resolves early when the signal is aborted. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
}
