import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { writeQueueBytes } from '../../internals/write-queue';

export interface UnsentLimits {
  /** Unsent bytes of one environment or client address. Beyond them, its reads get 503. */
  bytesOfFlow: number;
  /** Unsent bytes of all together. Beyond them, the flow with the most loses connections. */
  bytesInTotal: number;
  /** A connection whose client takes no byte for this long is destroyed. */
  stalledAfterMs: number;
}

const defaultLimits: UnsentLimits = {
  bytesOfFlow: 8 * 1024 * 1024,
  bytesInTotal: 48 * 1024 * 1024,
  stalledAfterMs: 30_000,
};

/**
 * Unsent bytes of a connection beyond which none of its requests starts. At least as many as Node's
 * `highWaterMark`, so that Node has also stopped reading from the connection.
 */
const mostBytesOfConnection = 64 * 1024;

/**
 * Approximate size of the request, the response and their context, which stay in memory until the
 * response is sent.
 */
const bytesOfMessages = 8 * 1024;

const checksPerStall = 6;

/** Whether the client of a connection reads its responses more slowly than they are made. */
export const isBackedUp = (socket: Duplex): boolean => socket.writableLength > mostBytesOfConnection;

type FlowKey = string | number;

export interface UnsentResponses {
  /**
   * Counts a response that has just been written until `remove`. Costs nothing if the operating
   * system has taken it.
   */
  add: (res: ServerResponse, flow: FlowKey) => void;
  /** The response is sent, or its connection is closed. */
  remove: (res: ServerResponse) => void;
  /** Whether this flow leaves so much unread that none of its reads may start. */
  isFull: (flow: FlowKey) => boolean;
}

interface Unsent {
  readonly bytes: number;
  readonly flow: FlowKey;
  readonly connection: UnsentOfConnection;
}

interface UnsentOfConnection {
  readonly socket: Socket;
  readonly responses: Set<ServerResponse>;
  /** As of the last check. */
  queuedBytes: number;
  progressAt: number;
}

/**
 * Bounds the memory of responses that are written but not sent. A client that reads slowly keeps
 * its connection; a client that reads nothing loses it.
 */
export function createUnsentResponses(settings: {
  onConnectionClosed: () => void;
  limits?: UnsentLimits;
}): UnsentResponses {
  const { onConnectionClosed, limits = defaultLimits } = settings;
  const responses = new Map<ServerResponse, Unsent>();
  const connections = new Map<Socket, UnsentOfConnection>();
  /** In order of their first unsent response. */
  const flows = new Map<FlowKey, { bytes: number; responses: Set<ServerResponse> }>();
  let total = 0;
  let isCheckScheduled = false;

  function connectionOf(socket: Socket): UnsentOfConnection {
    const known = connections.get(socket);
    if (known) return known;
    const connection = {
      socket,
      responses: new Set<ServerResponse>(),
      queuedBytes: writeQueueBytes(socket),
      progressAt: performance.now(),
    };
    connections.set(socket, connection);
    return connection;
  }

  function remove(res: ServerResponse): void {
    const unsent = responses.get(res);
    if (!unsent) return;
    const { bytes, connection } = unsent;
    responses.delete(res);
    total -= bytes;
    const flow = flows.get(unsent.flow);
    if (flow) {
      flow.bytes -= bytes;
      flow.responses.delete(res);
      if (flow.responses.size === 0) flows.delete(unsent.flow);
    }
    connection.responses.delete(res);
    connection.progressAt = performance.now();
    if (connection.responses.size === 0) connections.delete(connection.socket);
  }

  function destroy({ socket, responses: ofConnection }: UnsentOfConnection): void {
    // Counted no longer than now: 'close' comes later.
    for (const res of [...ofConnection]) remove(res);
    onConnectionClosed();
    socket.destroy();
  }

  /**
   * Takes connections from the flow with the most unsent bytes, beginning with its oldest unsent
   * response.
   */
  function makeSpace(): void {
    while (total > limits.bytesInTotal) {
      let largest: { bytes: number; responses: Set<ServerResponse> } | undefined;
      for (const flow of flows.values()) if (!largest || flow.bytes > largest.bytes) largest = flow;
      const [oldest] = largest?.responses ?? [];
      const unsent = oldest && responses.get(oldest);
      if (!unsent) return;
      destroy(unsent.connection);
    }
  }

  function destroyStalled(): void {
    const now = performance.now();
    for (const connection of [...connections.values()]) {
      const queuedBytes = writeQueueBytes(connection.socket);
      // Responses that wait behind an unfinished request do not wait for the client.
      if (connection.socket.writableLength === 0 || queuedBytes !== connection.queuedBytes) {
        connection.queuedBytes = queuedBytes;
        connection.progressAt = now;
      } else if (now - connection.progressAt >= limits.stalledAfterMs) destroy(connection);
    }
  }

  function scheduleCheck(): void {
    if (isCheckScheduled || connections.size === 0) return;
    isCheckScheduled = true;
    const check = (): void => {
      isCheckScheduled = false;
      destroyStalled();
      scheduleCheck();
    };
    setTimeout(check, limits.stalledAfterMs / checksPerStall).unref();
  }

  return {
    add(res, flow) {
      const { socket } = res.req;
      const { writableLength } = res;
      if (writableLength === 0 || socket.destroyed || responses.has(res)) return;
      const bytes = writableLength + bytesOfMessages;
      const connection = connectionOf(socket);
      connection.responses.add(res);
      responses.set(res, { bytes, flow, connection });
      const ofFlow = flows.get(flow) ?? { bytes: 0, responses: new Set() };
      ofFlow.bytes += bytes;
      ofFlow.responses.add(res);
      flows.set(flow, ofFlow);
      total += bytes;
      scheduleCheck();
      makeSpace();
    },
    remove,
    isFull: (flow) => (flows.get(flow)?.bytes ?? 0) > limits.bytesOfFlow,
  };
}
