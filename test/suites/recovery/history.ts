import type { TenantEnvironment } from '../faults/clients/environments';

/**
 * A client's request in the order of all events: `sent` and `acknowledged` are moments of one
 * `History`.
 */
export interface Step {
  readonly sent: number;
  /** When the confirming response arrived; undefined while there is none. */
  acknowledged: number | undefined;
  /** The same as wall-clock time. */
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
  /** The status in the latest response. */
  transactionId: string | undefined;
  completion: Step | undefined;
}

/**
 * A statement of the operator happened between these moments: requests acknowledged before are on
 * one side, requests sent after on the other.
 */
export interface Mark {
  readonly before: number;
  readonly after: number;
}

/** All responses that the clients received, in order. */
export class History {
  private moment = 0;
  readonly contributions: Contribution[] = [];
  /** Responses that no client should get while the database is available. */
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

  /** Runs a statement of the operator and returns its place in the order. */
  async mark<Result>(statement: () => Promise<Result>): Promise<{ mark: Mark; result: Result }> {
    const before = this.next();
    const result = await statement();
    return { mark: { before, after: this.next() }, result };
  }

  /** The number of creates and completions that were acknowledged before a moment, or ever. */
  countAcknowledged(before = Infinity): { creates: number; completions: number } {
    const has = (step: Step | undefined): boolean => (step?.acknowledged ?? Infinity) < before;
    return {
      creates: this.contributions.filter(({ create }) => has(create)).length,
      completions: this.contributions.filter(({ completion }) => has(completion)).length,
    };
  }
}
