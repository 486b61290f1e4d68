import { FlowsByLength } from './flows-by-length';
import type { FlowHistory } from './standing-queue';

/** The requests of one connection in the admission queues. */
export interface Connection {
  /** Started requests without a written response. */
  inFlight: number;
  /** Its waiting requests, one lane in each flow. */
  readonly lanes: Set<{ resume(): void; clear(): void }>;
  /** Whether the client reads responses more slowly than the service writes them. */
  readonly isBackedUp: () => boolean;
}

export const newConnection = (isBackedUp = (): boolean => false): Connection => ({
  inFlight: 0,
  lanes: new Set(),
  isBackedUp,
});

/**
 * Makes the requests of a connection ready again when it is no longer backed up or at its limit.
 */
export function resumeConnection({ lanes }: Connection): void {
  for (const lane of lanes) lane.resume();
}

/** Removes all waiting requests of a connection from their queues. */
export function clearConnection({ lanes }: Connection): void {
  for (const lane of lanes) lane.clear();
}

export interface Queueable {
  /** An environment or a client address. Its requests share its place in the round. */
  readonly flow: string | number;
  readonly connection: Connection;
}

export interface FairQueueLimits {
  /** Requests of one flow in progress. */
  perFlow: number;
  /** Requests of one connection in flight, in all queues together. */
  perConnection: number;
  /** Whether requests wait while their connection is backed up. */
  waitsForReaders?: boolean;
}

/** The requests of one environment or client address. */
export interface Flow<T> {
  readonly key: string | number;
  readonly lanes: Map<Connection, Lane<T>>;
  /** Lanes whose next request can start, in round-robin order. */
  readonly ready: Set<Lane<T>>;
  /** All waiting requests in order of arrival. */
  readonly waiting: Set<T>;
  inProgress: number;
  /** Arrivals and starts since the queue was last empty. */
  history: FlowHistory | undefined;
}

/** The requests of one connection within a flow, in order of arrival. */
interface Lane<T> {
  readonly flow: Flow<T>;
  readonly connection: Connection;
  readonly queue: T[];
  resume(): void;
  clear(): void;
}

const first = <T>(set: ReadonlySet<T>): T | undefined => set.values().next().value;

/**
 * A round-robin queue: flows take turns, and so do the connections of each flow. A flow with a
 * thousand waiting requests delays a request of another flow by one round only.
 */
export class FairQueue<T extends Queueable> {
  readonly flows = new Map<string | number, Flow<T>>();
  /** Flows whose next request can start, in round-robin order. */
  private readonly ready = new Set<Flow<T>>();
  private readonly byLength = new FlowsByLength<Flow<T>>();
  waiting = 0;
  inProgress = 0;

  constructor(private readonly limits: FairQueueLimits) {}

  canStart(): boolean {
    return this.ready.size > 0;
  }

  /** Whether a new request may start at once, because no other request waits. */
  startsAtOnce(item: Queueable): boolean {
    return this.waiting === 0 && this.hasFreeSlots(item);
  }

  /** Whether the flow and the connection of a request have a free slot. */
  hasFreeSlots({ flow, connection }: Queueable): boolean {
    return this.hasFreeSlot(connection) && (this.flows.get(flow)?.inProgress ?? 0) < this.limits.perFlow;
  }

  add(item: T): Flow<T> {
    const flow = this.flowOf(item.flow);
    const lane = this.laneOf(flow, item.connection);
    lane.queue.push(item);
    flow.waiting.add(item);
    this.byLength.update(flow);
    this.waiting += 1;
    this.updateLane(lane);
    return flow;
  }

  /**
   * Removes and returns the next request.
   *
   * @param begins whether to count it as in progress until `end`
   */
  take(begins = true): T | undefined {
    for (let flow = first(this.ready); flow; flow = first(this.ready)) {
      this.ready.delete(flow);
      const lane = first(flow.ready);
      if (!lane) continue;
      flow.ready.delete(lane);
      const item = this.hasFreeSlot(lane.connection) ? lane.queue.shift() : undefined;
      if (item !== undefined) {
        flow.waiting.delete(item);
        this.byLength.update(flow);
        this.waiting -= 1;
        if (begins) this.begin(item);
      }
      // The lane and the flow have started a request and go to the back.
      this.updateLane(lane);
      this.updateFlow(flow);
      if (item !== undefined) return item;
    }
    return undefined;
  }

  /** Removes and returns the oldest waiting request of a flow, even if it cannot start. */
  takeOldest(flow: Flow<T>): T | undefined {
    const item = first(flow.waiting);
    const lane = item && flow.lanes.get(item.connection);
    if (item === undefined || !lane) return undefined;
    // The oldest request of a flow is also the oldest of its lane.
    lane.queue.shift();
    flow.waiting.delete(item);
    this.byLength.update(flow);
    this.waiting -= 1;
    this.updateLane(lane);
    return item;
  }

  /** The flow with the most waiting requests. */
  longest(): Flow<T> | undefined {
    return this.byLength.longest();
  }

  /** Counts a request as in progress until `end`. */
  begin({ flow: key, connection }: T): void {
    const flow = this.flowOf(key);
    flow.inProgress += 1;
    this.inProgress += 1;
    connection.inFlight += 1;
    if (flow.inProgress >= this.limits.perFlow) this.ready.delete(flow);
  }

  end({ flow: key, connection }: T): void {
    const flow = this.flowOf(key);
    flow.inProgress -= 1;
    this.inProgress -= 1;
    connection.inFlight -= 1;
    if (connection.inFlight === this.limits.perConnection - 1) {
      resumeConnection(connection);
    }
    if (flow.waiting.size > 0) this.updateFlow(flow);
    else if (flow.inProgress === 0) this.flows.delete(key);
  }

  private flowOf(key: string | number): Flow<T> {
    let flow = this.flows.get(key);
    if (!flow) {
      flow = {
        key,
        lanes: new Map(),
        ready: new Set(),
        waiting: new Set(),
        inProgress: 0,
        history: undefined,
      };
      this.flows.set(key, flow);
    }
    return flow;
  }

  private laneOf(flow: Flow<T>, connection: Connection): Lane<T> {
    const known = flow.lanes.get(connection);
    if (known) return known;
    const lane: Lane<T> = {
      flow,
      connection,
      queue: [],
      resume: () => {
        this.updateLane(lane);
      },
      clear: () => {
        for (const item of lane.queue) flow.waiting.delete(item);
        this.byLength.update(flow);
        this.waiting -= lane.queue.length;
        lane.queue.length = 0;
        this.updateLane(lane);
      },
    };
    flow.lanes.set(connection, lane);
    connection.lanes.add(lane);
    return lane;
  }

  private hasFreeSlot(connection: Connection): boolean {
    const { perConnection, waitsForReaders = false } = this.limits;
    return connection.inFlight < perConnection && !(waitsForReaders && connection.isBackedUp());
  }

  /**
   * Adds a lane to the ready lanes. Removes it from them while its connection is at its limit, and
   * deletes it when it is empty.
   */
  private updateLane(lane: Lane<T>): void {
    const { flow, connection } = lane;
    if (lane.queue.length > 0 && this.hasFreeSlot(connection)) {
      flow.ready.add(lane);
      this.updateFlow(flow);
      return;
    }
    flow.ready.delete(lane);
    if (flow.ready.size === 0) this.ready.delete(flow);
    if (lane.queue.length === 0) {
      connection.lanes.delete(lane);
      flow.lanes.delete(connection);
      this.deleteIfIdle(flow);
    }
  }

  private updateFlow(flow: Flow<T>): void {
    if (flow.ready.size > 0 && flow.inProgress < this.limits.perFlow) this.ready.add(flow);
  }

  private deleteIfIdle(flow: Flow<T>): void {
    if (flow.waiting.size === 0 && flow.inProgress === 0) this.flows.delete(flow.key);
  }
}
