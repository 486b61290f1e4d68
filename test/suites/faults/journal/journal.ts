import type { Exchange } from '../clients/http';

/**
 * A contribution that a partner wants to record. Its amount is unique in a run and identifies its
 * row in the database.
 */
export interface Intention {
  readonly amountCents: number;
  readonly environmentId: number;
  readonly userHash: string;
  readonly projectId: number;
  readonly idempotencyKey: string | undefined;
  /** The transaction_id of every response that confirmed it. */
  readonly acknowledged: string[];
  /** Attempts with an unknown outcome. */
  uncertain: number;
}

/** An acknowledged transaction, and the responses to its banks since. */
export interface Completion {
  readonly transactionId: string;
  readonly intention: Intention;
  /** The evidence of permitted completion attempts. */
  readonly references: (string | null)[];
  /** The number of responses that confirmed the completion. */
  acknowledged: number;
  /** Whether its bank has taken it back. */
  correction?: 'sent' | 'acknowledged';
  /** Whether its bank has then completed it again, with the last of the references. */
  replacement?: 'sent' | 'acknowledged';
}

/** A failure that only a fault explains: 5xx, 408, or no response. */
export interface Disturbance {
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly what: string;
  readonly operation: string;
}

export interface Violation {
  readonly kind: 'lost' | 'doubled' | 'illegal' | 'unexplained';
  readonly what: string;
}

/** All responses that the clients have received. */
export class Journal {
  readonly intentions = new Map<number, Intention>();
  readonly completions = new Map<string, Completion>();
  readonly violations: Violation[] = [];
  /** Disturbances that no fault has explained yet. */
  disturbances: Disturbance[] = [];
  /** Amounts and transactions that have changed since the last check. */
  readonly touched = { amounts: new Set<number>(), transactions: new Set<string>() };
  readonly counts = {
    mutatingRequests: 0,
    creates: 0,
    completions: 0,
    corrections: 0,
    acknowledgedCreates: 0,
    acknowledgedCompletions: 0,
    replayedResponses: 0,
    unanswered: 0,
    retryableErrors: 0,
    unknownOutcomes: 0,
  };
  /** When the latest acknowledged write was sent, and when its response arrived. */
  lastAcknowledged = { sentAt: 0, receivedAt: 0 };
  private onAcknowledged: ((exchange: Exchange) => void)[] = [];

  intend(intention: Omit<Intention, 'amountCents' | 'acknowledged' | 'uncertain'>): Intention {
    const added = { ...intention, amountCents: this.intentions.size + 1, acknowledged: [], uncertain: 0 };
    this.intentions.set(added.amountCents, added);
    return added;
  }

  acknowledgedCreate(intention: Intention, transactionId: string, exchange: Exchange): Completion {
    this.counts.acknowledgedCreates += 1;
    intention.acknowledged.push(transactionId);
    this.touched.amounts.add(intention.amountCents);
    this.noteAcknowledged(exchange);
    const known = this.completions.get(transactionId);
    if (known && known.intention !== intention) {
      this.violate('doubled', `responses to two intentions named ${transactionId}`);
    }
    const completion = known ?? { transactionId, intention, references: [], acknowledged: 0 };
    this.completions.set(transactionId, completion);
    return completion;
  }

  acknowledgedCompletion(completion: Completion, exchange: Exchange): void {
    this.counts.acknowledgedCompletions += 1;
    completion.acknowledged += 1;
    this.touched.transactions.add(completion.transactionId);
    this.noteAcknowledged(exchange);
  }

  disturbed(operation: string, exchange: Exchange): void {
    const { sentAt, receivedAt, response } = exchange;
    const what = response ? `${response.status} ${String(response.body['code'])}` : 'no response';
    this.disturbances.push({ sentAt, receivedAt, what, operation });
  }

  violate(kind: Violation['kind'], what: string): void {
    this.violations.push({ kind, what });
  }

  /** The first acknowledged write that is sent from now on. */
  nextAcknowledged(withinMs: number): Promise<Exchange | undefined> {
    const from = Date.now();
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        resolve(undefined);
      }, withinMs);
      const listen = (exchange: Exchange): void => {
        if (exchange.sentAt < from) {
          this.onAcknowledged.push(listen);
          return;
        }
        clearTimeout(timer);
        resolve(exchange);
      };
      this.onAcknowledged.push(listen);
    });
  }

  private noteAcknowledged(exchange: Exchange): void {
    if (exchange.sentAt > this.lastAcknowledged.sentAt) {
      this.lastAcknowledged = { sentAt: exchange.sentAt, receivedAt: exchange.receivedAt };
    }
    const listeners = this.onAcknowledged;
    this.onAcknowledged = [];
    for (const listener of listeners) listener(exchange);
  }
}
