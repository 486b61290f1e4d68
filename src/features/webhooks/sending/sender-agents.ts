import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';

import type { SenderSettings } from './sender-settings';

const idleMs = 30_000;
const sweepMs = 60_000;

type Agent = HttpAgent | HttpsAgent;

/** Lets requests fail instead of opening connections, also those that wait for a connection. */
function openNothing(agent: HttpAgent): void {
  agent.createConnection = (_options, done) => {
    done?.(Object.assign(new Error('the sender is stopped'), { code: 'ECONNRESET' }), undefined as never);
    return undefined;
  };
}

/** An agent whose connections end after their lifetime, or after one request. */
function createAgent(url: URL, settings: SenderSettings, keepAlive: boolean): Agent {
  const options = { keepAlive, maxSockets: settings.connectionsPerEndpoint, timeout: idleMs };
  const agent =
    url.protocol === 'https:'
      ? new HttpsAgent({ ...options, ...(settings.ca !== undefined && { ca: settings.ca }) })
      : new HttpAgent(options);
  const bornAt = new WeakMap<object, number>();
  agent.on('free', (socket: Socket) => {
    const born = bornAt.get(socket) ?? performance.now();
    bornAt.set(socket, born);
    if (performance.now() - born >= settings.connectionLifetimeMs) socket.destroy();
  });
  return agent;
}

/**
 * Each endpoint and origin has its own agent, because requests to an old URL may still be in
 * progress after a change. An agent that is unused for a while is closed.
 */
export function createSenderAgents(settings: SenderSettings) {
  const agents = new Map<string, { agent: Agent; usedAt: number }>();
  let isStopped = false;
  const sweep = setInterval(() => {
    for (const [key, { agent, usedAt }] of agents) {
      if (performance.now() - usedAt < settings.connectionLifetimeMs) continue;
      agent.destroy();
      agents.delete(key);
    }
  }, sweepMs).unref();

  return {
    /** @param keepAlive false for a request that must not use an existing connection */
    of(endpointId: string, url: URL, keepAlive: boolean): Agent {
      const key = `${endpointId} ${url.origin} ${keepAlive}`;
      const entry = agents.get(key) ?? { agent: createAgent(url, settings, keepAlive), usedAt: 0 };
      if (isStopped) openNothing(entry.agent);
      agents.set(key, entry);
      entry.usedAt = performance.now();
      return entry.agent;
    },
    /** Closes all connections, and opens no more. */
    stop(): void {
      clearInterval(sweep);
      isStopped = true;
      for (const { agent } of agents.values()) {
        openNothing(agent);
        agent.destroy();
      }
    },
  };
}
