import { setTimeout as setTimeoutPromise } from 'node:timers/promises';

import { Client } from 'pg';

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

/** Whether the process that the server announced is the one that answers: a pooler announces a number of its own. */
async function isDirect(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid === (client as Client & { processID?: number }).processID;
}

/**
 * Listens on a channel over a connection of its own, which goes to the server directly (a pooler in transaction mode
 * cannot LISTEN). A heartbeat proves that the connection carries: PostgreSQL delivers notifications in order and before
 * it answers, so an answered heartbeat means that nothing sent before it is missing.
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
      await next.query(`LISTEN ${next.escapeIdentifier(channel)}`);
      if (!(await isDirect(next))) {
        // A pooler forgets the LISTEN between statements while every heartbeat succeeds.
        handlers.onPooler();
        drop();
        return;
      }
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
