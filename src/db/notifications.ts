import { setTimeout as setTimeoutPromise } from 'node:timers/promises';

import { Client } from 'pg';

import { contained } from '../shared/contained';
import { isDirect } from './pool/direct';

export interface NotificationHandlers {
  onNotification: (payload: string) => void;
  /** Called for each new connection. Notifications sent while there was none are lost. */
  onConnected: () => void;
  /**
   * Called if the connection goes through a pooler, which passes on no notifications. There is no
   * retry.
   */
  onPooler: () => void;
}

/** A direct address of the server, and the longest that opening a connection takes. */
export interface NotificationsServer {
  connectionString: string;
  connectTimeoutMs: number;
}

export type Notifications = ReturnType<typeof watchNotifications>;

const heartbeatMs = 200;
const freshForMs = 500;
const reconnectMs = 250;

function createClient(
  { connectionString, connectTimeoutMs }: NotificationsServer,
  onNotification: (payload: string) => void,
): Client {
  // Sends no settings, which a pooler would reject before it is recognized. LISTEN needs none.
  const client = new Client({
    connectionString,
    application_name: 'contribution-service notifications',
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: freshForMs,
    keepAlive: true,
  });
  // The next heartbeat fails and reconnects.
  client.on('error', () => undefined);
  client.on(
    'notification',
    contained(({ payload }) => {
      onNotification(payload ?? '');
    }),
  );
  return client;
}

/**
 * Listens on a channel over its own connection, directly to the server: a pooler in transaction
 * mode does not support LISTEN.
 *
 * A heartbeat proves that the connection works. PostgreSQL delivers notifications in order and
 * before its reply, so after a successful heartbeat no earlier notification is missing.
 */
export function watchNotifications(
  server: NotificationsServer,
  channel: string,
  handlers: NotificationHandlers,
) {
  let freshUntil = 0;
  let stopped = false;
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  function schedule(delayMs: number, step: () => Promise<void>): void {
    if (stopped) return;
    timer = setTimeout(() => void step(), delayMs);
    timer.unref();
  }

  function disconnect(): void {
    freshUntil = 0;
    const previous = client;
    client = undefined;
    // A broken connection may also fail to close.
    void previous?.end().catch(() => undefined);
  }

  async function connect(): Promise<void> {
    const next = createClient(server, handlers.onNotification);
    client = next;
    try {
      await next.connect();
      if (!(await isDirect(next))) {
        // A pooler would run LISTEN on any free server connection. Notifications would be lost,
        // although every heartbeat succeeds.
        handlers.onPooler();
        disconnect();
        return;
      }
      await next.query(`LISTEN ${next.escapeIdentifier(channel)}`);
      handlers.onConnected();
      await sendHeartbeat();
    } catch {
      disconnect();
      schedule(reconnectMs, connect);
    }
  }

  async function sendHeartbeat(): Promise<void> {
    const sentAt = performance.now();
    try {
      await client?.query('SELECT 1');
      freshUntil = sentAt + freshForMs;
      schedule(heartbeatMs, sendHeartbeat);
    } catch {
      disconnect();
      schedule(reconnectMs, connect);
    }
  }

  void connect();
  return {
    /** Whether all notifications up to a moment ago have arrived. */
    isFresh: () => performance.now() < freshUntil,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      freshUntil = 0;
      // A broken connection would never confirm that it closed.
      await Promise.race([
        client?.end().catch(() => undefined),
        setTimeoutPromise(reconnectMs, undefined, { ref: false }),
      ]);
    },
  };
}
