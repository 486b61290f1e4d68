import { type Connection, FairQueue, type Flow, type Queueable, resumeConnection } from './fair-queue';
import { isStanding, newHistory } from './standing';
import { type TrafficClass, trafficClasses } from '../../../shared/traffic-classes';
import { type ClassLimits, perConnectionInProgress } from './class-limits';

export interface Admissible extends Queueable {
  trafficClass: TrafficClass;
  flow: string | number;
  /** When it came to wait, in milliseconds of the admission's clock. */
  since: number;
}

export interface AdmissionSettings<T extends Admissible> {
  classes: Record<TrafficClass, ClassLimits>;
  start: (request: T) => void;
  /** Rejects a request that waited too long, or that finds no place. Nothing was done for it. */
  shed: (request: T) => void;
  /**
   * Looks once more at an unverified request whose turn it is: its key pair may have been verified
   * meanwhile.
   *
   * @returns whether it was given another class, and so has left this queue
   */
  reclassify?: (request: T) => boolean;
  nowMs?: () => number;
}

export interface Admission<T extends Admissible> {
  /** Starts a request now, or when it is its turn, or sheds it. */
  submit: (request: T) => void;
  /** Says that the response of a started request is written. */
  finish: (request: T) => void;
  /** Says that a connection may be backed up no longer. */
  resume: (connection: Connection) => void;
  waiting: (trafficClass: TrafficClass) => number;
  inProgress: (trafficClass: TrafficClass) => number;
}

/**
 * Requests started in one turn of the event loop. Between turns the database's results are read:
 * long turns idle its connections.
 */
const startsPerTurn = 4;
/** How often requests that waited too long are looked for. */
const sheddingIntervalMs = 4;
/**
 * Rejections cost time that served requests need, and each is followed by the client's next
 * request. While few requests wait, all overdue ones are rejected, which keeps the queue short and
 * cheap. When many wait, rejecting as fast as possible would leave nothing for those that are
 * served, so the rate is limited: clients that wait for their rejection send nothing else.
 */
const manyWaiting = 500;
const shedPerMs = { few: 16, many: 3 };
const mostShedPerInterval = { few: 128, many: 32 };
/**
 * So many requests of one flow are no standing queue: a client with some connections just takes
 * turns with itself.
 */
const fewWaiting = 32;
/** No rejection waits for more intervals than this, however many there are. */
const intervalsAtMost = 100;

interface ClassQueue<T extends Admissible> {
  readonly name: TrafficClass;
  readonly limits: ClassLimits;
  readonly queue: FairQueue<T>;
  /**
   * Grows by 1 ÷ weight with each start; the class with the smallest pass is next (stride
   * scheduling).
   */
  pass: number;
}

/**
 * Decides when each request starts. Classes share the starts by weight, environments and client
 * addresses take turns within a class, and connections take turns within those. Bursts wait until
 * it is their turn. Queues that do not drain are cut short, so that those who are served are served
 * soon.
 */
export function createAdmission<T extends Admissible>(settings: AdmissionSettings<T>): Admission<T> {
  const { start, shed, reclassify = () => false, nowMs = () => performance.now() } = settings;
  const byName = Object.fromEntries(
    trafficClasses.map((name): [TrafficClass, ClassQueue<T>] => {
      const limits = settings.classes[name];
      const queue = new FairQueue<T>({
        perFlow: limits.perFlow,
        perConnection: perConnectionInProgress,
        waitsForReaders: true,
      });
      return [name, { name, limits, queue, pass: 0 }];
    }),
  ) as Record<TrafficClass, ClassQueue<T>>;
  const classes = Object.values(byName);
  let startedInTurn = 0;
  let virtualTime = 0;
  let isTurnScheduled = false;
  let isSheddingScheduled = false;
  let shedSince = 0;

  const sharing = [byName.lists, byName.others, byName.creates, byName.completions];
  /**
   * Each class that shares places leaves some for those behind it in `sharing`, also together with
   * those before it.
   */
  function hasPlace(own: ClassQueue<T>): boolean {
    let taken = 0;
    let isShared = false;
    for (const one of sharing) {
      taken += one.queue.inProgress;
      isShared ||= one === own;
      if (isShared && taken >= one.limits.inProgress) return false;
    }
    return isShared || own.queue.inProgress < own.limits.inProgress;
  }

  function nextClass(): ClassQueue<T> | undefined {
    let next: ClassQueue<T> | undefined;
    for (const candidate of classes) {
      if (candidate.queue.canStart() && hasPlace(candidate) && (!next || candidate.pass < next.pass))
        next = candidate;
    }
    return next;
  }

  function startNow(own: ClassQueue<T>, request: T): void {
    startedInTurn += 1;
    virtualTime = Math.max(virtualTime, own.pass);
    own.pass = virtualTime + 1 / own.limits.weight;
    start(request);
  }

  function startNext(own: ClassQueue<T>): void {
    const request = own.queue.take();
    if (!request) return;
    const history = own.queue.flows.get(request.flow)?.history;
    if (history) history.starts += 1;
    if (own.name === 'unverified') {
      own.queue.end(request);
      if (reclassify(request)) return;
      own.queue.begin(request);
    }
    startNow(own, request);
  }

  function scheduleTurn(): void {
    if (isTurnScheduled) return;
    isTurnScheduled = true;
    setImmediate(turn);
  }

  function turn(): void {
    isTurnScheduled = false;
    startedInTurn = 0;
    while (startedInTurn < startsPerTurn) {
      const own = nextClass();
      if (!own) return;
      startNext(own);
    }
    scheduleTurn();
  }

  function scheduleShedding(): void {
    if (isSheddingScheduled || !classes.some(({ queue }) => queue.waiting > 0)) return;
    isSheddingScheduled = true;
    shedSince = nowMs();
    setTimeout(shedOverdue, sheddingIntervalMs);
  }

  function shedOverdue(): void {
    isSheddingScheduled = false;
    const now = nowMs();
    for (const own of classes) {
      const load = own.queue.waiting < manyWaiting ? 'few' : 'many';
      const allowed = Math.min(mostShedPerInterval[load], (now - shedSince) * shedPerMs[load]);
      let left = Math.ceil(Math.max(allowed, own.queue.waiting / intervalsAtMost));
      for (const flow of own.queue.flows.values()) {
        left = shedOverdueOf(own, flow, now, left);
        if (left === 0) break;
      }
    }
    scheduleShedding();
  }

  function shedOverdueOf(own: ClassQueue<T>, flow: Flow<T>, now: number, most: number): number {
    const { limits } = own;
    const { history } = flow;
    let left = most;
    if (!history) return left;
    const isMany = flow.waiting.size > fewWaiting;
    const waitMs =
      isMany && isStanding(history, limits.standingAfterMs, now) ? limits.standingWaitMs : limits.burstWaitMs;
    for (const request of flow.waiting) {
      if (left === 0 || now - request.since <= waitMs) break;
      shedOldest(own, flow);
      left -= 1;
    }
    return left;
  }

  function shedOldest(own: ClassQueue<T>, flow: Flow<T>): void {
    const request = own.queue.takeOldest(flow);
    if (request) shed(request);
  }

  function submit(request: T): void {
    const own = byName[request.trafficClass];
    request.since = nowMs();
    if (startedInTurn < startsPerTurn && hasPlace(own) && own.queue.startsAtOnce(request) && !nextClass()) {
      own.queue.begin(request);
      startNow(own, request);
      scheduleTurn();
      return;
    }
    if (own.queue.waiting === 0) own.pass = Math.max(own.pass, virtualTime);
    if (own.queue.waiting >= own.limits.waiting) {
      // The flow with the most waiting requests gives up its oldest one.
      const longest = own.queue.longest();
      if (longest) shedOldest(own, longest);
    }
    const flow = own.queue.add(request);
    if (flow.waiting.size === 1 || !flow.history) flow.history = newHistory(request.since);
    flow.history.arrivals += 1;
    if (own.queue.canStart() && hasPlace(own)) scheduleTurn();
    scheduleShedding();
  }

  return {
    submit,
    finish(request) {
      byName[request.trafficClass].queue.end(request);
      if (nextClass()) scheduleTurn();
    },
    resume(connection) {
      if (connection.lanes.size === 0) return;
      resumeConnection(connection);
      if (nextClass()) scheduleTurn();
    },
    waiting: (name) => byName[name].queue.waiting,
    inProgress: (name) => byName[name].queue.inProgress,
  };
}
