import { setTimeout as setTimeoutPromise } from 'node:timers/promises';

import { Client } from 'pg';

import { isDirect } from './pool/direct';

/** What a watcher of notifications is told. */
export interface NotificationHandlers {
  onNotification(payload: string): void;
  /** The connection is new: what was sent while there was none is lost. */
  onConnected(): void;
  /** There is a connection pooler in between, so nothing can be heard; nothing more is tried. */
  onPooler(): void;
}

export interface Notifications {
  /** Whether everything sent up to a moment ago has arrived here. */
  isFresh: () => boolean;
  stop(): Promise<void>;
}

const heartbeatMs = 200;
const freshForMs = 500;
const reconnectMs = 250;

/**
 * Listens on a channel over a connection of its own, which goes to the server directly (a pooler in
 * transaction mode cannot LISTEN). A heartbeat proves that the connection carries: PostgreSQL
 * delivers notifications in order and before it answers, so an answered heartbeat means that
 * nothing sent before it is missing.
 */
export function watchNotifications(
  connectionString: string,
  channel: string,
  handlers: NotificationHandlers,
): Notifications {
  let freshUntil = 0;
  let stopped = false;
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  function again(delayMs: number, step: () => Promise<void>): void {
    if (stopped) return;
    timer = setTimeout(() => void step(), delayMs);
    timer.unref();
  }

  function drop(): void {
    freshUntil = 0;
    const dropped = client;
    client = undefined;
    // Ended connections may complain; nobody waits for them any more.
    void dropped?.end().catch(() => undefined);
  }

  async function connect(): Promise<void> {
    const next = new Client({
      connectionString,
      application_name: 'contribution-service notifications',
      connectionTimeoutMillis: 2_000,
      query_timeout: freshForMs,
      keepAlive: true,
    });
    next.on('error', () => undefined); // the failing heartbeat notices
    next.on('notification', ({ payload }) => {
      handlers.onNotification(payload ?? '');
    });
    client = next;
    try {
      await next.connect();
      if (!(await isDirect(next))) {
        // A pooler would give the LISTEN to whichever connection is free, and every heartbeat would
        // succeed.
        handlers.onPooler();
        drop();
        return;
      }
      await next.query(`LISTEN ${next.escapeIdentifier(channel)}`);
      handlers.onConnected();
      await beat();
    } catch {
      drop();
      again(reconnectMs, connect);
    }
  }

  async function beat(): Promise<void> {
    const sentAt = performance.now();
    try {
      await client?.query('SELECT 1');
      freshUntil = sentAt + freshForMs;
      again(heartbeatMs, beat);
    } catch {
      drop();
      again(reconnectMs, connect);
    }
  }

  void connect();
  return {
    isFresh: () => performance.now() < freshUntil,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      freshUntil = 0;
      // A connection that no longer carries would never confirm its end.
      await Promise.race([
        client?.end().catch(() => undefined),
        setTimeoutPromise(reconnectMs, undefined, { ref: false }),
      ]);
    },
  };
}
