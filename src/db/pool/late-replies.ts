import type { PoolClient } from 'pg';

import { createWriteGuard, type WriteGuard, type WriteGuardOptions } from './write-guard';

/** How long a connection is kept for the late reply to its write. */
const keptForMs = 15_000;

export interface LateRepliesOptions extends Omit<WriteGuardOptions, 'onAccepted'> {
  /** The most connections kept, at least 1. At this number, a trial commit is needed. */
  limit: number;
}

/**
 * Keeps the connections whose write has no reply yet, and decides whether further writes are sent.
 */
export interface LateReplies extends Omit<WriteGuard, 'doubt'> {
  /**
   * Keeps a connection until its reply arrives. Returns false when the limit is reached: the caller
   * then closes the connection.
   */
  hold(client: PoolClient, reply: Promise<unknown>): boolean;
  count(): number;
  stop(): void;
}

/**
 * A commit that waits for a synchronous standby does not notice that its client disconnected. If
 * the service closed such connections, each write would leave a server process behind. Instead, the
 * connection stays in the pool until the reply arrives.
 *
 * Replies are also late when the network silently lost the connections. A trial commit on a fresh
 * connection distinguishes the two cases. If it is prompt, the kept connections are closed and
 * writes continue. Otherwise writes are rejected until a trial commit is prompt.
 */
export function createLateReplies(options: LateRepliesOptions): LateReplies {
  const { limit } = options;
  const kept = new Set<() => void>();
  const stopped = new AbortController();
  const closeAll = (): void => {
    for (const close of kept) close();
  };
  const guard = createWriteGuard({ ...options, onAccepted: closeAll }, stopped.signal);

  return {
    hold(client, reply) {
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
      if (kept.size >= limit) guard.doubt();
      return true;
    },
    count: () => kept.size,
    areWritesInDoubt: guard.areWritesInDoubt,
    decided: guard.decided,
    rejection: guard.rejection,
    waitingCount: guard.waitingCount,
    stop() {
      stopped.abort();
      closeAll();
    },
  };
}
