import { contained } from '../../../shared/contained';
import type { TrafficClass } from '../../../shared/traffic-classes';
import type { ClassLimits } from './class-limits';
import { type ClassQueue, ClassQueues, waitingIn } from './class-queues';
import { type Connection, resumeConnection } from './fair-queue';
import { createOverdueRequests, type Waiting } from './overdue-requests';
import { newHistory } from './standing-queue';

export interface Admissible extends Waiting {
  trafficClass: TrafficClass;
  flow: string | number;
}

export interface AdmissionSettings<T extends Admissible> {
  classes: Record<TrafficClass, ClassLimits>;
  start: (request: T) => void;
  /** Ends a request after an exception at its start. */
  fail: (request: T) => void;
  /** Rejects a request that waited too long or found its queue full. Nothing was done for it. */
  shed: (request: T) => void;
  /**
   * Checks again whether the key pair of an `unverified` request has been verified. If so, submits
   * the request to its new class.
   *
   * @returns whether the request has a new class
   */
  reclassify?: (request: T) => boolean;
  nowMs?: () => number;
}

/**
 * Requests that start in one turn of the event loop. Node reads the database's results between
 * turns, so long turns leave its connections idle.
 */
const startsPerTurn = 4;

/**
 * Decides when each request starts. Classes share the starts by weight. Within a class,
 * environments and client addresses take turns, and so do the connections of each. Bursts wait for
 * their turn. Queues that do not drain are shed early, so that started requests have waited only
 * briefly.
 */
export class Admission<T extends Admissible> {
  private readonly queues;
  private readonly overdue;
  private readonly nowMs;
  private startsInTurn = 0;
  private isTurnScheduled = false;

  constructor(private readonly settings: AdmissionSettings<T>) {
    const { classes, shed, nowMs = () => performance.now() } = settings;
    this.nowMs = nowMs;
    this.queues = new ClassQueues<T>(classes);
    this.overdue = createOverdueRequests({ queues: this.queues, shed, nowMs });
  }

  /** Starts a request now, queues it, or sheds it. */
  submit(request: T): void {
    const { queues } = this;
    const own = queues.byName[request.trafficClass];
    const mayStart = this.startsInTurn < startsPerTurn && queues.hasFreeSlot(own);
    if (mayStart && own.queue.startsAtOnce(request) && !queues.next()) {
      own.queue.begin(request);
      this.startNow(own, request);
      this.scheduleTurn();
      return;
    }
    this.enqueue(own, request);
    if (queues.canStart(own)) this.scheduleTurn();
  }

  private enqueue(own: ClassQueue<T>, request: T): void {
    request.since = this.nowMs();
    if (own.queue.waiting === 0) this.queues.rejoin(own);
    if (waitingIn(own) >= own.limits.waiting) this.overdue.shedOne(own);
    const flow = own.queue.add(request);
    if (flow.waiting.size === 1 || !flow.history) flow.history = newHistory(request.since);
    flow.history.arrivals += 1;
    this.overdue.schedule();
  }

  /** @returns whether there was a request that could start */
  private startNext(): boolean {
    const next = this.queues.next();
    const request = next ? next.queue.take() : this.overdue.take();
    if (!request) return next !== undefined;
    const own = this.queues.byName[request.trafficClass];
    const history = own.queue.flows.get(request.flow)?.history;
    if (history) history.starts += 1;
    if (own.name === 'unverified') {
      own.queue.end(request);
      if (this.settings.reclassify?.(request)) return true;
      own.queue.begin(request);
    }
    this.startNow(own, request);
    return true;
  }

  private readonly startNow = contained(
    (own: ClassQueue<T>, request: T) => {
      this.startsInTurn += 1;
      this.queues.charge(own);
      this.settings.start(request);
    },
    (_own, request) => {
      this.settings.fail(request);
    },
  );

  /** Frees the slot of a started request. Call this when its response is written. */
  finish(request: T): void {
    this.queues.byName[request.trafficClass].queue.end(request);
    this.scheduleStarts();
  }

  /** Call this when a connection may no longer be backed up. */
  resume(connection: Connection): void {
    if (connection.lanes.size === 0 && this.overdue.isEmpty()) return;
    resumeConnection(connection);
    this.scheduleStarts();
  }

  private scheduleStarts(): void {
    if (this.queues.next() || !this.overdue.isEmpty()) this.scheduleTurn();
  }

  private scheduleTurn(): void {
    if (this.isTurnScheduled) return;
    this.isTurnScheduled = true;
    setImmediate(this.turn);
  }

  // After an exception, the next request or the next response schedules the next turn.
  private readonly turn = contained(() => {
    this.isTurnScheduled = false;
    this.startsInTurn = 0;
    while (this.startsInTurn < startsPerTurn) {
      if (!this.startNext()) return;
    }
    this.scheduleTurn();
  });

  waiting(name: TrafficClass): number {
    return waitingIn(this.queues.byName[name]);
  }

  inProgress(name: TrafficClass): number {
    return this.queues.byName[name].queue.inProgress;
  }
}
