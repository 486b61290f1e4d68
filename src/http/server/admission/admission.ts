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

export interface Admission<T extends Admissible> {
  /** Starts a request now, queues it, or sheds it. */
  submit: (request: T) => void;
  /** Frees the slot of a started request. Call this when its response is written. */
  finish: (request: T) => void;
  /** Call this when a connection may no longer be backed up. */
  resume: (connection: Connection) => void;
  waiting: (trafficClass: TrafficClass) => number;
  inProgress: (trafficClass: TrafficClass) => number;
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
export function createAdmission<T extends Admissible>(settings: AdmissionSettings<T>): Admission<T> {
  const { start, fail, shed, reclassify = () => false, nowMs = () => performance.now() } = settings;
  const queues = new ClassQueues<T>(settings.classes);
  const overdue = createOverdueRequests({ queues, shed, nowMs });
  const turns = createTurns(startNext);

  const startNow = contained(
    (own: ClassQueue<T>, request: T) => {
      turns.countStart();
      queues.charge(own);
      start(request);
    },
    (_own, request) => {
      fail(request);
    },
  );

  /** @returns whether there was a request that could start */
  function startNext(): boolean {
    const next = queues.next();
    const request = next ? next.queue.take() : overdue.take();
    if (!request) return next !== undefined;
    const own = queues.byName[request.trafficClass];
    const history = own.queue.flows.get(request.flow)?.history;
    if (history) history.starts += 1;
    if (own.name === 'unverified') {
      own.queue.end(request);
      if (reclassify(request)) return true;
      own.queue.begin(request);
    }
    startNow(own, request);
    return true;
  }

  function scheduleStarts(): void {
    if (queues.next() || !overdue.isEmpty()) turns.schedule();
  }

  function enqueue(own: ClassQueue<T>, request: T): void {
    if (own.queue.waiting === 0) queues.rejoin(own);
    if (waitingIn(own) >= own.limits.waiting) overdue.shedOne(own);
    const flow = own.queue.add(request);
    if (flow.waiting.size === 1 || !flow.history) flow.history = newHistory(request.since);
    flow.history.arrivals += 1;
    overdue.schedule();
  }

  return {
    submit(request) {
      const own = queues.byName[request.trafficClass];
      request.since = nowMs();
      if (turns.hasStarts() && queues.hasFreeSlot(own) && own.queue.startsAtOnce(request) && !queues.next()) {
        own.queue.begin(request);
        startNow(own, request);
        turns.schedule();
        return;
      }
      enqueue(own, request);
      if (queues.canStart(own)) turns.schedule();
    },
    finish(request) {
      queues.byName[request.trafficClass].queue.end(request);
      scheduleStarts();
    },
    resume(connection) {
      if (connection.lanes.size === 0 && overdue.isEmpty()) return;
      resumeConnection(connection);
      scheduleStarts();
    },
    waiting: (name) => waitingIn(queues.byName[name]),
    inProgress: (name) => queues.byName[name].queue.inProgress,
  };
}

/** Limits the starts in each turn of the event loop. */
function createTurns(startNext: () => boolean) {
  let started = 0;
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(turn);
  }

  // After an exception, the next request or the next response schedules the next turn.
  const turn = contained(() => {
    isScheduled = false;
    started = 0;
    while (started < startsPerTurn) {
      if (!startNext()) return;
    }
    schedule();
  });

  return {
    schedule,
    hasStarts: (): boolean => started < startsPerTurn,
    countStart: (): void => void (started += 1),
  };
}
