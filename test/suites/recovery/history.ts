import type { TenantEnvironment } from '../faults/clients/environments';

/**
 * A request that a client sent, in the order of all that happened: `sent` and `acknowledged` are
 * moments of one `History`.
 */
export interface Step {
  readonly sent: number;
  /** When the answer that it is done had arrived; undefined while there is none. */
  acknowledged: number | undefined;
  /** The same on the clock. */
  acknowledgedAtMs: number | undefined;
}

/** A contribution as its partner and its bank know it. */
export interface Contribution {
  readonly environment: TenantEnvironment;
  /** Unique in a run. */
  readonly amountCents: number;
  readonly userHash: string;
  readonly projectId: number;
  readonly idempotencyKey: string;
  readonly bankReference: string;
  readonly create: Step;
  /** As the latest answer says. */
  transactionId: string | undefined;
  completion: Step | undefined;
}

/**
 * A statement of the operator lies between these moments: what was acknowledged before is on one
 * side, what was sent after on the other.
 */
export interface Mark {
  readonly before: number;
  readonly after: number;
}

/** Everything that clients were told, and in which order. */
export class History {
  private moment = 0;
  readonly contributions: Contribution[] = [];
  /** Answers that nobody should get while the database is there. */
  readonly complaints: string[] = [];

  /** The next moment. */
  next(): number {
    this.moment += 1;
    return this.moment;
  }

  send(): Step {
    return { sent: this.next(), acknowledged: undefined, acknowledgedAtMs: undefined };
  }

  acknowledge(step: Step): void {
    step.acknowledged = this.next();
    step.acknowledgedAtMs = Date.now();
  }

  /** Runs a statement of the operator and says where in the order it lies. */
  async mark<Result>(statement: () => Promise<Result>): Promise<{ mark: Mark; result: Result }> {
    const before = this.next();
    const result = await statement();
    return { mark: { before, after: this.next() }, result };
  }

  /** How many creates and completions were acknowledged before a moment, or ever. */
  countAcknowledged(before = Infinity): { creates: number; completions: number } {
    const has = (step: Step | undefined): boolean => (step?.acknowledged ?? Infinity) < before;
    return {
      creates: this.contributions.filter(({ create }) => has(create)).length,
      completions: this.contributions.filter(({ completion }) => has(completion)).length,
    };
  }
}
