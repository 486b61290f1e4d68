import { setTimeout as delay } from 'node:timers/promises';

import type { PoolClient } from 'pg';

/**
 * How long a connection is kept for the late reply to its write, and a trial commit for its own.
 */
const keptForMs = 15_000;
/** Between two trials that failed. */
const pauseMs = 1_000;

export interface LateRepliesOptions {
  /** How many connections may be kept, at least 1. When as many are, writes are in doubt. */
  limit: number;
  /**
   * A trial commit that takes longer does not end a rejection of writes, and writes in doubt wait
   * no longer for its result.
   */
  promptMs: number;
  /**
   * Commits something harmless on a fresh connection.
   *
   * @throws when that fails or takes longer than `timeoutMs`, or when it is aborted
   */
  tryCommit: (timeoutMs: number, signal: AbortSignal) => Promise<void>;
  /** Told when the rejection of writes begins and when it ends. */
  onWritesRejected: (isRejected: boolean) => void;
}

/** The connections that owe the reply to a write, and what follows from them for further writes. */
export interface LateReplies {
  /**
   * Keeps a connection until its reply arrives. Returns false if there is no room: the caller
   * closes the connection.
   */
  keep(client: PoolClient, reply: Promise<unknown>): boolean;
  count(): number;
  /** Writes wait for the result of a trial commit, or are rejected: ask `mayWrite`. */
  areWritesInDoubt(): boolean;
  areWritesRejected(): boolean;
  /** Whether a write may be sent. Decides within `promptMs`. */
  mayWrite(): Promise<boolean>;
  /** How many writes wait for that decision. */
  waitingCount(): number;
  stop(): void;
}

/**
 * A commit that waits for a synchronous standby does not notice that its client has gone: closing
 * the connection would leave a server process behind with each write. So the connection stays in
 * the pool until the reply arrives.
 *
 * Replies are also late when the network has silently lost the connections. A trial commit on a
 * fresh connection tells the two apart: if it is quick, the kept connections are closed and writes
 * continue. Otherwise writes are rejected until one is.
 */
export function createLateReplies(options: LateRepliesOptions): LateReplies {
  const { limit, promptMs, tryCommit, onWritesRejected } = options;
  const kept = new Set<() => void>();
  const stopped = new AbortController();
  let waiting = 0;
  let state: 'accepted' | 'in doubt' | 'rejected' = 'accepted';
  /** Of the doubt at this moment: settled when writes are accepted again or rejected. */
  let decision = Promise.resolve(true);

  function closeAll(): void {
    for (const close of kept) close();
  }

  async function commitsPromptly(): Promise<boolean> {
    const startedAt = performance.now();
    try {
      await tryCommit(keptForMs, stopped.signal);
    } catch {
      return false;
    }
    return performance.now() - startedAt <= promptMs;
  }

  async function resolveDoubt(decide: (mayWrite: boolean) => void): Promise<void> {
    const reject = (): void => {
      if (state !== 'in doubt') return;
      state = 'rejected';
      decide(false);
      onWritesRejected(true);
    };
    const timer = setTimeout(reject, promptMs);
    // A commit that was only late is tried again after the pause: a server that stays slow stays
    // rejected.
    while (!(await commitsPromptly())) {
      if (stopped.signal.aborted) break;
      reject();
      await pause(pauseMs, stopped.signal);
    }
    clearTimeout(timer);
    const wasRejected = state === 'rejected';
    state = 'accepted';
    closeAll();
    decide(true);
    if (wasRejected && !stopped.signal.aborted) onWritesRejected(false);
  }

  function doubt(): void {
    if (state !== 'accepted') return;
    state = 'in doubt';
    decision = new Promise((resolve) => void resolveDoubt(resolve));
  }

  return {
    keep(client, reply) {
      if (kept.size >= limit || stopped.signal.aborted) return false;
      const finish = (isBroken: boolean): void => {
        if (!kept.delete(close)) return;
        clearTimeout(timer);
        client.release(isBroken);
      };
      const close = (): void => {
        finish(true);
      };
      const timer = setTimeout(close, keptForMs);
      kept.add(close);
      reply.then(() => {
        finish(false);
      }, close);
      if (kept.size >= limit) doubt();
      return true;
    },
    count: () => kept.size,
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
    stop() {
      stopped.abort();
      closeAll();
    },
  };
}

/** Ends early, without an error, when the signal is aborted. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
}
