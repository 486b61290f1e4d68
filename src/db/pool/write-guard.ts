import { setTimeout as delay } from 'node:timers/promises';

export interface WriteGuardOptions {
  /**
   * Writes wait at most this long for a trial commit, which shows whether commits get a reply. A
   * trial commit that takes longer does not end a rejection of writes.
   */
  promptMs: number;
  /**
   * Commits a transaction that changes no table on a fresh connection. On a busy machine,
   * connecting alone may take long, so the result excludes this time.
   *
   * @returns how long the commit took, in milliseconds
   * @throws when the commit fails, takes longer than `timeoutMs`, or is aborted
   */
  tryCommit: (timeoutMs: number, signal: AbortSignal) => Promise<number>;
  /** Called when writes are accepted again, before waiting writes continue. */
  onAccepted: () => void;
  /** Called when the rejection of writes begins (true) and ends (false). */
  onWritesRejected: (isRejected: boolean) => void;
}

/** Decides whether writes are sent while commits get no reply. */
export interface WriteGuard {
  /** Starts trial commits. Until one is prompt, writes wait or are rejected. */
  doubt: () => void;
  /** Whether writes wait for a trial commit or are rejected. If so, call `mayWrite`. */
  areWritesInDoubt: () => boolean;
  areWritesRejected: () => boolean;
  /** Whether a write may be sent. Resolves within `promptMs`. */
  mayWrite: () => Promise<boolean>;
  /** The number of writes that wait in `mayWrite`. */
  waitingCount: () => number;
}

const trialTimeoutMs = 15_000;
/** The pause between two trial commits. */
const pauseMs = 1_000;

/** @param stopped ends the trial commits when the database closes */
export function createWriteGuard(options: WriteGuardOptions, stopped: AbortSignal): WriteGuard {
  const { promptMs, onAccepted, onWritesRejected } = options;
  let waiting = 0;
  let state: 'accepted' | 'in doubt' | 'rejected' = 'accepted';
  /** Resolves when the state is no longer `in doubt`: true for accepted, false for rejected. */
  let decision = Promise.resolve(true);

  async function resolveDoubt(decide: (mayWrite: boolean) => void): Promise<void> {
    const reject = (): void => {
      if (state !== 'in doubt') return;
      state = 'rejected';
      decide(false);
      onWritesRejected(true);
    };
    const timer = setTimeout(reject, promptMs);
    // A trial commit that succeeds late is also repeated, so writes to a slow server stay rejected.
    while (!(await commitsPromptly(options, stopped))) {
      if (stopped.aborted) break;
      reject();
      await pause(pauseMs, stopped);
    }
    clearTimeout(timer);
    const wasRejected = state === 'rejected';
    state = 'accepted';
    onAccepted();
    decide(true);
    if (wasRejected && !stopped.aborted) onWritesRejected(false);
  }

  return {
    doubt() {
      if (state !== 'accepted') return;
      state = 'in doubt';
      decision = new Promise((resolve) => void resolveDoubt(resolve));
    },
    areWritesInDoubt: () => state !== 'accepted',
    areWritesRejected: () => state === 'rejected',
    async mayWrite() {
      if (state !== 'in doubt') return state === 'accepted';
      waiting += 1;
      try {
        return await decision;
      } finally {
        waiting -= 1;
      }
    },
    waitingCount: () => waiting,
  };
}

async function commitsPromptly(
  { promptMs, tryCommit }: WriteGuardOptions,
  stopped: AbortSignal,
): Promise<boolean> {
  try {
    return (await tryCommit(trialTimeoutMs, stopped)) <= promptMs;
  } catch {
    return false;
  }
}

/** Resolves early when the signal is aborted. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
}
