import { FlowsByLength } from './flows-by-length';
import type { FlowHistory } from './standing-queue';

/** What one connection has in the admission queues at this moment. */
export interface Connection {
  /** Requests that have started and have no response yet. */
  inFlight: number;
  /** Its waiting requests, in all queues. */
  readonly lanes: Set<{ resume(): void; clear(): void }>;
  /** Whether its client reads responses more slowly than they are made. */
  readonly isBackedUp: () => boolean;
}

export const newConnection = (isBackedUp = (): boolean => false): Connection => ({
  inFlight: 0,
  lanes: new Set(),
  isBackedUp,
});

/** Lets the requests of a connection start again that waited because it was backed up. */
export function resumeConnection({ lanes }: Connection): void {
  for (const lane of lanes) lane.resume();
}

/** Takes all waiting requests of a connection out of their queues. */
export function clearConnection({ lanes }: Connection): void {
  for (const lane of lanes) lane.clear();
}

export interface Queueable {
  /** Who shares a turn: an environment, or a client address. */
  readonly flow: string | number;
  readonly connection: Connection;
}

export interface FairQueueLimits {
  /** Requests of one flow in progress. */
  perFlow: number;
  /** Requests of one connection in flight, over all queues. */
  perConnection: number;
  /** Whether requests wait while their connection is backed up. */
  waitsForReaders?: boolean;
}

/** The requests of everybody who shares a turn. */
export interface Flow<T> {
  readonly key: string | number;
  readonly lanes: Map<Connection, Lane<T>>;
  /** Lanes whose next request may start, in the order of their turns. */
  readonly ready: Set<Lane<T>>;
  /** All waiting requests in order of arrival. */
  readonly waiting: Set<T>;
  inProgress: number;
  /** Since its first request began to wait. */
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
 * A queue that takes turns between flows and, within a flow, between connections. A flow with a
 * thousand waiting requests delays a request of another flow by one turn.
 */
export class FairQueue<T extends Queueable> {
  readonly flows = new Map<string | number, Flow<T>>();
  /** Flows whose next request may start, in the order of their turns. */
  private readonly ready = new Set<Flow<T>>();
  private readonly byLength = new FlowsByLength<Flow<T>>();
  waiting = 0;
  inProgress = 0;

  constructor(private readonly limits: FairQueueLimits) {}

  canStart(): boolean {
    return this.ready.size > 0;
  }

  /** Whether an arriving request may start at once without taking anybody's turn. */
  startsAtOnce({ flow, connection }: Queueable): boolean {
    return (
      this.waiting === 0 &&
      this.hasPlace(connection) &&
      (this.flows.get(flow)?.inProgress ?? 0) < this.limits.perFlow
    );
  }

  add(item: T): Flow<T> {
    const flow = this.flowOf(item.flow);
    const lane = this.laneOf(flow, item.connection);
    lane.queue.push(item);
    flow.waiting.add(item);
    this.byLength.update(flow);
    this.waiting += 1;
    this.offer(lane);
    return flow;
  }

  /** Takes the request whose turn it is. @param begins counts it as in progress until `end` */
  take(begins = true): T | undefined {
    for (let flow = first(this.ready); flow; flow = first(this.ready)) {
      this.ready.delete(flow);
      const lane = first(flow.ready);
      if (!lane) continue;
      flow.ready.delete(lane);
      const item = this.hasPlace(lane.connection) ? lane.queue.shift() : undefined;
      if (item !== undefined) {
        flow.waiting.delete(item);
        this.byLength.update(flow);
        this.waiting -= 1;
        if (begins) this.begin(item);
      }
      // Both go behind the others, whose turn it is now.
      this.offer(lane);
      this.offerFlow(flow);
      if (item !== undefined) return item;
    }
    return undefined;
  }

  /** Takes the request of a flow that has waited longest, whether or not it may start. */
  takeOldest(flow: Flow<T>): T | undefined {
    const item = first(flow.waiting);
    const lane = item && flow.lanes.get(item.connection);
    if (item === undefined || !lane) return undefined;
    // The oldest request of a flow is the first of its connection.
    lane.queue.shift();
    flow.waiting.delete(item);
    this.byLength.update(flow);
    this.waiting -= 1;
    this.offer(lane);
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
    this.offerFlow(flow);
    this.forgetIfIdle(flow);
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
        this.offer(lane);
      },
      clear: () => {
        for (const item of lane.queue) flow.waiting.delete(item);
        this.byLength.update(flow);
        this.waiting -= lane.queue.length;
        lane.queue.length = 0;
        this.offer(lane);
      },
    };
    flow.lanes.set(connection, lane);
    connection.lanes.add(lane);
    return lane;
  }

  private hasPlace(connection: Connection): boolean {
    const { perConnection, waitsForReaders = false } = this.limits;
    return connection.inFlight < perConnection && !(waitsForReaders && connection.isBackedUp());
  }

  /**
   * Puts a lane behind the ready ones, takes it from them while its connection has no place, and
   * forgets it when it is empty.
   */
  private offer(lane: Lane<T>): void {
    const { flow, connection } = lane;
    if (lane.queue.length > 0 && this.hasPlace(connection)) {
      flow.ready.add(lane);
      this.offerFlow(flow);
      return;
    }
    flow.ready.delete(lane);
    if (flow.ready.size === 0) this.ready.delete(flow);
    if (lane.queue.length === 0) {
      connection.lanes.delete(lane);
      flow.lanes.delete(connection);
      this.forgetIfIdle(flow);
    }
  }

  private offerFlow(flow: Flow<T>): void {
    if (flow.ready.size > 0 && flow.inProgress < this.limits.perFlow) this.ready.add(flow);
  }

  private forgetIfIdle(flow: Flow<T>): void {
    if (flow.waiting.size === 0 && flow.inProgress === 0) this.flows.delete(flow.key);
  }
}
