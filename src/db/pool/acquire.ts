import type { Pool, PoolClient } from 'pg';

/** No connection of a pool became free in time. */
export class NoFreeConnection extends Error {}

export interface AcquireLimits {
  /** The most connections of the pool. */
  connections: number;
  /** The longest wait for a free connection. */
  waitMs: number;
  /** The longest that opening a connection takes. */
  openMs: number;
}

export type Acquire = ReturnType<typeof createAcquire>;

/** @param pool has no timeout, which it would apply to both waits. Its clients have `openMs` */
export function createAcquire(pool: Pool, { connections, waitMs, openMs }: AcquireLimits) {
  let waiting = 0;
  let lent = 0;
  pool.on('acquire', () => {
    lent += 1;
  });
  pool.on('release', () => {
    lent -= 1;
  });
  const isOpening = (): boolean => pool.totalCount - pool.idleCount - lent > 0;

  function waitForFree(): Promise<PoolClient> {
    return new Promise((resolve, reject) => {
      const lastAt = performance.now() + openMs;
      let isWaiting = true;
      const stopWaiting = (): void => {
        if (!isWaiting) return;
        isWaiting = false;
        waiting -= 1;
        clearTimeout(timer);
      };
      const giveUp = (): void => {
        if (isOpening() && performance.now() < lastAt) {
          timer = setTimeout(giveUp, waitMs);
          return;
        }
        stopWaiting();
        reject(new NoFreeConnection(`no connection became free within ${waitMs} ms`));
      };
      let timer = setTimeout(giveUp, waitMs);
      waiting += 1;
      // With a callback, so that the count is right in the same turn of the event loop.
      pool.connect((error, client) => {
        const isLate = !isWaiting;
        stopWaiting();
        if (isLate) client?.release();
        else if (client) resolve(client);
        else reject(error ?? new Error('no connection'));
      });
    });
  }

  return {
    /**
     * Lends a free connection of the pool, or opens one if the pool has fewer than its limit. The
     * limit `waitMs` is for connections that others use. While connections are opening, the call
     * waits for them too, for at most `openMs` more.
     *
     * @throws NoFreeConnection; other errors if a connection does not open
     */
    acquire: () => {
      const isFull = pool.totalCount >= connections;
      // While one is idle, the pool lends it to the first call of a turn, and the others wait.
      return isFull || pool.idleCount > 0 ? waitForFree() : pool.connect();
    },
    /** The number of calls that wait for a free connection. */
    waitingCount: () => waiting,
  };
}
