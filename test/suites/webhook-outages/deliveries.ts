import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';

/** What the receiver stored of one environment, checked in the order of its arrival. */
export class Deliveries {
  /** The events by their ids. */
  private readonly events = new Map<string, Record<string, unknown>>();
  private readonly lastOf = new Map<string, number>();
  repeats = 0;

  constructor(
    readonly environmentId: number,
    private readonly report: (problem: string) => void,
  ) {}

  get count(): number {
    return this.events.size;
  }

  receive(id: string, body: string): void {
    const event = JSON.parse(body) as Record<string, unknown>;
    // A ping belongs to no feed.
    if (event['type'] === 'ping') return;
    const name = `webhook ${id} of environment ${this.environmentId}`;
    if (event['id'] !== id) this.report(`${name} has the event ${String(event['id'])}`);
    const known = this.events.get(id);
    if (known) {
      this.repeats += 1;
      if (!isDeepStrictEqual(known, event)) this.report(`${name} came with two bodies`);
      return;
    }
    this.events.set(id, event);
    this.checkOrder(event, name);
  }

  private checkOrder({ data, sequence }: Record<string, unknown>, name: string): void {
    const transactionId = (data as Record<string, unknown>)['transaction_id'];
    if (typeof transactionId !== 'string') return;
    const last = this.lastOf.get(transactionId) ?? 0;
    if (last > Number(sequence))
      this.report(`${name}, event ${Number(sequence)} of ${transactionId}, came after ${last}`);
    this.lastOf.set(transactionId, Math.max(last, Number(sequence)));
  }

  /** Compares with the events of the feed. */
  compare(feed: readonly Record<string, unknown>[]): void {
    const foreign = new Set(this.events.keys());
    for (const event of feed) {
      const id = String(event['id']);
      foreign.delete(id);
      const delivered = this.events.get(id);
      if (!delivered) this.report(`event ${id} of environment ${this.environmentId} was not delivered`);
      else if (!isDeepStrictEqual(delivered, event))
        this.report(`event ${id} of environment ${this.environmentId} was delivered with another body`);
    }
    for (const id of foreign)
      this.report(`webhook ${id} of environment ${this.environmentId} is not in its feed`);
  }
}

/** Reads the file of the receivers. */
export async function readDeliveries(
  file: string,
  environmentIds: readonly number[],
  report: (problem: string) => void,
): Promise<Map<number, Deliveries>> {
  const found = new Map(environmentIds.map((id) => [id, new Deliveries(id, report)]));
  for await (const line of createInterface(createReadStream(file))) {
    const stored = JSON.parse(line) as
      { problem: string } | { environmentId: number; id: string; body: string };
    if ('problem' in stored) report(stored.problem);
    else found.get(stored.environmentId)?.receive(stored.id, stored.body);
  }
  return found;
}
