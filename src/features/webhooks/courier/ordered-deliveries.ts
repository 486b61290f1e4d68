import { subjectOf } from '../../events/feed-event';
import type { Attempted, AttemptResult, Delivery, HeldBack } from './delivery';
import type { LateAttempts } from '../attempts/late-attempts';
import type { Permits } from '../requests/permits';

export interface BatchOutcome {
  attempted: Attempted[];
  held: (HeldBack & { delivery: Delivery })[];
  /**
   * Deliveries that were aborted, or that did not start in time because an earlier delivery of the
   * same contribution failed or did not end.
   */
  blocked: Delivery[];
  /** Deliveries whose attempts are in progress. `late` gets their results. */
  unfinished: Delivery[];
  /** The number of deliveries, counted from the first, that are in one of these lists. */
  handled: number;
  /** Whether all deliveries and retries are in one of these lists. */
  isComplete: boolean;
}

export interface DeliveryOptions {
  attempt: (delivery: Delivery) => Promise<AttemptResult | HeldBack>;
  /** Waits for a slot of the process. The returned function frees the slot. */
  takeSlot: (attempted: readonly Attempted[]) => Promise<() => void>;
  /** Retries of other subjects, attempted concurrently with the deliveries. */
  retries?: readonly Delivery[];
  /** Limits the number of concurrent deliveries, or of concurrent retries. */
  permitsFor: (kind: Delivery['kind']) => Permits;
  onResult?: (result: AttemptResult) => void;
  /**
   * Whether to start no more attempts. Receives the ended attempts, and whether any has started.
   */
  isOver: (attempted: readonly Attempted[], hasStarted: boolean) => boolean;
  /** Whether this process has closed its connections. Failures are then not the receiver's. */
  isAborted: () => boolean;
  /**
   * Reads further deliveries while earlier ones are in progress, at most until `ended` resolves. An
   * empty list ends the batch.
   */
  readMore?: (ended: Promise<unknown>) => Promise<readonly Delivery[]>;
  /** Attempts of earlier batches. Without it, the batch waits until all its attempts have ended. */
  late?: LateAttempts;
  /** Waits until `ended` resolves, or until the batch may end before its attempts. */
  waitForEnd?: (ended: Promise<unknown>) => Promise<unknown>;
}

/** The deliveries of one batch. The batch may grow. */
class OrderedBatch {
  private readonly attempted: Attempted[] = [];
  private readonly held: BatchOutcome['held'] = [];
  private readonly blocked: Delivery[] = [];
  private handled = 0;
  private hasStarted = false;
  private hasStartedAll = false;
  /** Whether the outcome is final. Attempts that end afterwards are late. */
  private hasEnded = false;
  private readonly inProgress = new Map<Delivery, { ended: Promise<void>; freePermit: () => void }>();
  private isRetrying = false;
  private retrying: Promise<void> | undefined;
  /** Deliveries that wait for an earlier one of their subject. */
  private readonly waiting = new Set<Delivery>();
  /** The last delivery of each subject that has not ended. */
  private readonly lastOf = new Map<string, Promise<void>>();
  /** Subjects whose next deliveries must not start. */
  private readonly stoppedSubjects = new Set<string>();
  /** Errors of attempts that have no result. One of them fails the whole batch. */
  private readonly errors: unknown[] = [];

  constructor(private readonly options: DeliveryOptions) {}

  async deliver(first: readonly Delivery[]): Promise<BatchOutcome> {
    const { retries = [], waitForEnd } = this.options;
    const starting = this.startAndGrow(first).then((hasStartedAll) => {
      this.hasStartedAll = hasStartedAll;
    });
    // A retry that hangs delays no other delivery.
    this.retrying = this.startRetries(retries);
    const ended = starting.then(() => this.ended());
    // The batch may also end while a delivery waits for a permit.
    await (waitForEnd ? waitForEnd(ended) : ended);
    if (this.errors.length > 0) throw this.errors[0];
    return this.end();
  }

  /**
   * Starts deliveries, including those that are read while others are in progress.
   *
   * @returns whether all have started
   */
  private async startAndGrow(first: readonly Delivery[]): Promise<boolean> {
    const { readMore, late } = this.options;
    try {
      for (let some = first; await this.startAll(some);) {
        if (!readMore || !(this.isRetrying || this.lastOf.size > 0 || late?.hasAny())) return true;
        some = await readMore(this.ended());
        if (some.length === 0) return true;
      }
    } catch (error) {
      this.errors.push(error);
    }
    return false;
  }

  /** Resolves when the retries and the attempts that are now in progress have ended. */
  private async ended(): Promise<void> {
    await this.retrying;
    await Promise.all([...this.lastOf.values(), this.options.late?.ended()]);
  }

  private end(): BatchOutcome {
    this.hasEnded = true;
    for (const [delivery, { ended, freePermit }] of this.inProgress)
      this.options.late?.add(delivery, ended, freePermit);
    const { attempted, held, handled } = this;
    const isComplete = this.hasStartedAll && !this.isRetrying;
    const blocked = [...this.blocked, ...this.waiting];
    return { attempted, held, blocked, unfinished: [...this.inProgress.keys()], handled, isComplete };
  }

  private async startRetries(retries: readonly Delivery[]): Promise<void> {
    this.isRetrying = retries.length > 0;
    for (const delivery of retries) {
      const subject = subjectOf(delivery.event);
      const started = await this.start(delivery, subject);
      if (!started) return;
      this.note(subject, started.ended);
    }
    this.isRetrying = false;
  }

  /** @returns whether all have started, are blocked, or wait for an earlier one of their subject */
  private async startAll(deliveries: readonly Delivery[]): Promise<boolean> {
    for (const delivery of deliveries) {
      if (this.hasEnded || this.errors.length > 0) return false;
      const subject = subjectOf(delivery.event);
      const before = this.lastOf.get(subject);
      if (delivery.isBlocked || (!before && this.stoppedSubjects.has(subject))) this.block(delivery, subject);
      else if (before) this.note(subject, this.follow(before, delivery, subject));
      else {
        const started = await this.start(delivery, subject);
        if (!started) return false;
        this.note(subject, started.ended);
      }
      this.handled += 1;
    }
    return true;
  }

  private mayStart(): boolean {
    return (
      !this.hasEnded && this.errors.length === 0 && !this.options.isOver(this.attempted, this.hasStarted)
    );
  }

  /** @returns undefined if it must not start */
  private async start(delivery: Delivery, subject: string): Promise<{ ended: Promise<void> } | undefined> {
    const { permitsFor, takeSlot } = this.options;
    const permits = permitsFor(delivery.kind);
    await permits.take();
    if (!this.mayStart()) {
      permits.free();
      return undefined;
    }
    const freeSlot = await takeSlot(this.attempted);
    let hasPermit = true;
    const freePermit = (): void => {
      if (hasPermit) permits.free();
      hasPermit = false;
    };
    const free = (): void => {
      this.inProgress.delete(delivery);
      freeSlot();
      freePermit();
    };
    // Check again, because waiting for a slot can take long.
    if (!this.mayStart()) {
      free();
      return undefined;
    }
    this.hasStarted = true;
    this.waiting.delete(delivery);
    const ended = this.attempt(delivery, subject).finally(free);
    this.inProgress.set(delivery, { ended, freePermit });
    return { ended };
  }

  private async attempt(delivery: Delivery, subject: string): Promise<void> {
    const result = await this.options.attempt(delivery);
    // The outcome contains an attempt once: either in progress or with its result.
    this.inProgress.delete(delivery);
    const isAborted = 'isSuccess' in result && !result.isSuccess && this.options.isAborted();
    if (this.hasEnded) {
      // A delayed or aborted attempt has no result. Its stored retry repeats it.
      if ('isSuccess' in result && !isAborted)
        this.options.late?.end({ delivery, result, endedAt: performance.now() });
      return;
    }
    if ('heldForMs' in result) {
      this.held.push({ delivery, ...result });
      if (result.keepsOrder) this.stoppedSubjects.add(subject);
      return;
    }
    if (isAborted) this.blocked.push(delivery);
    else this.attempted.push({ delivery, result, endedAt: performance.now() });
    this.options.onResult?.(result);
    if (!result.isSuccess) this.stoppedSubjects.add(subject);
  }

  private async follow(before: Promise<void>, delivery: Delivery, subject: string): Promise<void> {
    this.waiting.add(delivery);
    await before;
    const started = this.stoppedSubjects.has(subject) ? undefined : await this.start(delivery, subject);
    if (started) await started.ended;
    else if (!this.hasEnded) this.block(delivery, subject);
  }

  private block(delivery: Delivery, subject: string): void {
    this.waiting.delete(delivery);
    this.blocked.push(delivery);
    this.stoppedSubjects.add(subject);
  }

  private note(subject: string, ended: Promise<void>): void {
    const last = ended
      .catch((error: unknown) => {
        this.errors.push(error);
        this.stoppedSubjects.add(subject);
      })
      .finally(() => {
        if (this.lastOf.get(subject) === last) this.lastOf.delete(subject);
      });
    this.lastOf.set(subject, last);
  }
}

/**
 * Attempts deliveries in order, several at a time. A delivery waits until the earlier ones of its
 * subject have ended, but not for other subjects.
 *
 * @throws the error of an attempt, after the attempts in progress have ended; all outcomes are then
 *   lost, so record nothing and attempt all deliveries again
 */
export function deliverInOrder(
  deliveries: readonly Delivery[],
  options: DeliveryOptions,
): Promise<BatchOutcome> {
  return new OrderedBatch(options).deliver(deliveries);
}
