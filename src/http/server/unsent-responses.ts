import type { ServerResponse } from 'node:http';

import { contained } from '../../shared/contained';
import { writeQueueBytes } from '../../internals/write-queue';
import { type FlowKey, type UnsentConnection, UnsentTotals } from './unsent-totals';

export interface UnsentLimits {
  /** Unsent bytes of one environment or client address. Beyond them, its reads get 503. */
  bytesOfFlow: number;
  /**
   * Unsent bytes of all flows. Beyond them, the flow with the most unsent bytes loses connections.
   */
  bytesInTotal: number;
  /** A connection whose client reads nothing for this long is destroyed. */
  stalledAfterMs: number;
}

const defaultLimits: UnsentLimits = {
  bytesOfFlow: 8 * 1024 * 1024,
  bytesInTotal: 48 * 1024 * 1024,
  stalledAfterMs: 30_000,
};

/**
 * Approximate size of the request, the response and their context, which stay in memory until the
 * response is sent.
 */
const bytesOfMessages = 8 * 1024;

const checksPerStall = 6;

/**
 * Bounds the memory of responses that are written but not sent. A client that reads slowly keeps
 * its connection. A client that reads nothing loses it.
 */
export function createUnsentResponses(settings: { onConnectionClosed: () => void; limits?: UnsentLimits }) {
  const { onConnectionClosed, limits = defaultLimits } = settings;
  const totals = new UnsentTotals();
  let isCheckScheduled = false;

  function destroy({ socket, responses }: UnsentConnection): void {
    // Remove them now, because 'close' is emitted later.
    for (const res of [...responses]) totals.remove(res);
    onConnectionClosed();
    socket.destroy();
  }

  function enforceTotal(): void {
    while (totals.bytes > limits.bytesInTotal) {
      const connection = totals.oldestOfLargestFlow();
      if (!connection) return;
      destroy(connection);
    }
  }

  function destroyStalled(): void {
    const now = performance.now();
    for (const connection of [...totals.connections.values()]) {
      const queuedBytes = writeQueueBytes(connection.socket);
      // With an empty socket buffer, responses wait for an earlier response and not for the client.
      if (connection.socket.writableLength === 0 || queuedBytes !== connection.queuedBytes) {
        connection.queuedBytes = queuedBytes;
        connection.progressAt = now;
      } else if (now - connection.progressAt >= limits.stalledAfterMs) destroy(connection);
    }
  }

  function scheduleCheck(): void {
    if (isCheckScheduled || totals.connections.size === 0) return;
    isCheckScheduled = true;
    setTimeout(check, limits.stalledAfterMs / checksPerStall).unref();
  }

  const check = contained(() => {
    isCheckScheduled = false;
    destroyStalled();
    scheduleCheck();
  }, scheduleCheck);

  return {
    /**
     * Counts a written response until `remove`. Does nothing if the operating system has already
     * taken the whole response.
     */
    add(res: ServerResponse, flow: FlowKey) {
      const { writableLength } = res;
      if (writableLength === 0 || res.req.socket.destroyed || totals.has(res)) return;
      totals.add(res, flow, writableLength + bytesOfMessages);
      scheduleCheck();
      enforceTotal();
    },
    /** Call this when the response is sent or its connection is closed. */
    remove(res: ServerResponse) {
      totals.remove(res);
    },
    /** Whether this flow has too many unsent bytes to start another read. */
    isFull: (flow: FlowKey) => totals.bytesOf(flow) > limits.bytesOfFlow,
  };
}
