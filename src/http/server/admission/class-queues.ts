import { type TrafficClass, trafficClasses } from '../../../shared/traffic-classes';
import { type ClassLimits, perConnectionInProgress } from './class-limits';
import { DrainRate } from './drain-rate';
import { FairQueue, type Queueable } from './fair-queue';

/** Overdue requests get their rejections within about this time. */
const longestOverdueMs = 600;

export interface ClassQueue<T extends Queueable> {
  readonly name: TrafficClass;
  readonly limits: ClassLimits;
  readonly queue: FairQueue<T>;
  /** Requests that have waited too long, and now wait for their rejection. */
  overdue: T[];
  /** The rate at which the overdue requests get their rejections, per millisecond. */
  readonly overdueRate: DrainRate;
  /** Stride scheduling: grows by 1 ÷ weight with each start. The smallest pass is next. */
  pass: number;
}

export const waitingIn = <T extends Queueable>({ queue, overdue }: ClassQueue<T>): number =>
  queue.waiting + overdue.length;

/** One queue for each traffic class, with its weight. Some classes share slots. */
export class ClassQueues<T extends Queueable> {
  readonly all: readonly ClassQueue<T>[];
  readonly byName: Readonly<Record<TrafficClass, ClassQueue<T>>>;
  /** Classes that share slots. Each leaves some free for the classes after it. */
  private readonly sharing: readonly ClassQueue<T>[];
  private virtualTime = 0;

  constructor(limits: Readonly<Record<TrafficClass, ClassLimits>>) {
    this.all = trafficClasses.map((name) => newClassQueue(name, limits[name]));
    this.byName = Object.fromEntries(this.all.map((own) => [own.name, own])) as typeof this.byName;
    const { lists, others, creates, completions } = this.byName;
    this.sharing = [lists, others, creates, completions];
  }

  hasFreeSlot(own: ClassQueue<T>): boolean {
    let taken = 0;
    let isShared = false;
    for (const one of this.sharing) {
      taken += one.queue.inProgress;
      isShared ||= one === own;
      // The limit of each later class includes the slots that earlier classes have taken.
      if (isShared && taken >= one.limits.inProgress) return false;
    }
    return isShared || own.queue.inProgress < own.limits.inProgress;
  }

  /** Whether a waiting request of this class can start. */
  canStart(own: ClassQueue<T>): boolean {
    return own.queue.canStart() && this.hasFreeSlot(own);
  }

  /** The class that starts a request next; undefined if no request can start. */
  next(): ClassQueue<T> | undefined {
    let next: ClassQueue<T> | undefined;
    for (const candidate of this.all) {
      if (candidate.queue.waiting === 0 || (next && candidate.pass >= next.pass)) continue;
      if (this.canStart(candidate)) next = candidate;
    }
    return next;
  }

  /** Charges a start to its class. */
  charge(own: ClassQueue<T>): void {
    this.virtualTime = Math.max(this.virtualTime, own.pass);
    own.pass = this.virtualTime + 1 / own.limits.weight;
  }

  /**
   * Called when the queue of a class is no longer empty. A class does not save up starts while its
   * queue is empty.
   */
  rejoin(own: ClassQueue<T>): void {
    own.pass = Math.max(own.pass, this.virtualTime);
  }
}

function newClassQueue<T extends Queueable>(name: TrafficClass, limits: ClassLimits): ClassQueue<T> {
  const queue = new FairQueue<T>({
    perFlow: limits.perFlow,
    perConnection: perConnectionInProgress,
    waitsForReaders: true,
  });
  return { name, limits, queue, overdue: [], overdueRate: new DrainRate(longestOverdueMs), pass: 0 };
}
