import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { writeQueueBytes } from '../../internals/write-queue';

/** An environment id or a client address. */
export type FlowKey = string | number;

/** A connection with unsent responses. */
export interface UnsentConnection {
  readonly socket: Socket;
  readonly responses: Set<ServerResponse>;
  /** The queued bytes at the last check. */
  queuedBytes: number;
  progressAt: number;
}

interface Unsent {
  readonly bytes: number;
  readonly flow: FlowKey;
  readonly connection: UnsentConnection;
}

interface UnsentFlow {
  bytes: number;
  readonly responses: Set<ServerResponse>;
}

/** Unsent responses and their bytes, by connection and by flow. */
export class UnsentTotals {
  readonly connections = new Map<Socket, UnsentConnection>();
  private readonly responses = new Map<ServerResponse, Unsent>();
  /** The flows, in order of their first unsent response. */
  private readonly flows = new Map<FlowKey, UnsentFlow>();
  bytes = 0;

  has(res: ServerResponse): boolean {
    return this.responses.has(res);
  }

  add(res: ServerResponse, key: FlowKey, bytes: number): void {
    const connection = this.connectionOf(res.req.socket);
    connection.responses.add(res);
    this.responses.set(res, { bytes, flow: key, connection });
    const flow = this.flows.get(key) ?? { bytes: 0, responses: new Set() };
    flow.bytes += bytes;
    flow.responses.add(res);
    this.flows.set(key, flow);
    this.bytes += bytes;
  }

  remove(res: ServerResponse): void {
    const unsent = this.responses.get(res);
    if (!unsent) return;
    const { bytes, connection } = unsent;
    this.responses.delete(res);
    this.bytes -= bytes;
    const flow = this.flows.get(unsent.flow);
    if (flow) {
      flow.bytes -= bytes;
      flow.responses.delete(res);
      if (flow.responses.size === 0) this.flows.delete(unsent.flow);
    }
    connection.responses.delete(res);
    connection.progressAt = performance.now();
    if (connection.responses.size === 0) this.connections.delete(connection.socket);
  }

  bytesOf(flow: FlowKey): number {
    return this.flows.get(flow)?.bytes ?? 0;
  }

  /** In the flow with the most unsent bytes, the connection with the oldest unsent response. */
  oldestOfLargestFlow(): UnsentConnection | undefined {
    let largest: UnsentFlow | undefined;
    for (const flow of this.flows.values()) if (!largest || flow.bytes > largest.bytes) largest = flow;
    const [oldest] = largest?.responses ?? [];
    return oldest && this.responses.get(oldest)?.connection;
  }

  private connectionOf(socket: Socket): UnsentConnection {
    const known = this.connections.get(socket);
    if (known) return known;
    const connection = {
      socket,
      responses: new Set<ServerResponse>(),
      queuedBytes: writeQueueBytes(socket),
      progressAt: performance.now(),
    };
    this.connections.set(socket, connection);
    return connection;
  }
}
