import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import type { Query } from '../journal/check';
import type { Journal } from '../journal/journal';
import type { Random } from '../random';
import type { Tenants } from './environments';

interface SentEvent {
  id: string;
  sequence: number;
  data: { transaction_id: string };
}

/** What one receiver has accepted, checked as it arrives. */
export class ReceivedWebhooks {
  /** The ids of the accepted events, by `sequence`. */
  readonly accepted = new Map<number, string>();
  repeats = 0;
  private readonly lastOf = new Map<string, number>();

  constructor(
    readonly environmentId: number,
    private readonly journal: Pick<Journal, 'violate'>,
  ) {}

  accept({ id, sequence, data: { transaction_id: transactionId } }: SentEvent): void {
    const name = `webhook ${sequence} of feed ${this.environmentId}`;
    const known = this.accepted.get(sequence);
    if (known !== undefined) {
      this.repeats += 1;
      if (known !== id) this.journal.violate('doubled', `${name} was ${known}, and is ${id} now`);
      return;
    }
    this.accepted.set(sequence, id);
    const last = this.lastOf.get(transactionId) ?? 0;
    if (last > sequence) this.journal.violate('illegal', `${name} of ${transactionId} came after ${last}`);
    this.lastOf.set(transactionId, Math.max(last, sequence));
  }

  /** Compares what was accepted with the feed in the database: the ids by their numbers. */
  compare(stored: ReadonlyMap<number, string>): void {
    for (const [sequence, id] of this.accepted)
      if (stored.get(sequence) !== id)
        this.journal.violate(
          'illegal',
          `webhook ${sequence} of feed ${this.environmentId} was ${id}, and the feed has ${stored.get(sequence) ?? 'none'}`,
        );
    for (const [sequence, id] of stored)
      if (!this.accepted.has(sequence))
        this.journal.violate(
          'lost',
          `event ${sequence} of feed ${this.environmentId}, ${id}, was not delivered`,
        );
  }
}

export interface WebhookReceivers {
  /** Waits until everything is delivered, and compares it with the feeds. */
  check(query: Query): Promise<void>;
  acceptedCount(): number;
  repeatCount(): number;
  stop(): Promise<void>;
}

/** A killed process keeps its endpoints for 30 seconds. */
const progressWithinMs = 60_000;
const hungMs = 2_000;
/**
 * One request in this many hangs, and its batch waits. A lower number would make deliveries slower
 * than the load.
 */
const requestsPerHung = 400;

/**
 * The receivers of all environments. They fail, hang and cut connections now and then, and their
 * endpoints are in the database.
 */
export async function startWebhookReceivers(given: {
  query: Query;
  journal: Journal;
  tenants: Tenants;
  random: Random;
}): Promise<WebhookReceivers> {
  const { query, journal, tenants, random } = given;
  const ids = new Set(
    tenants.environments.flatMap(({ environmentId, completerEnvironmentId }) => [
      environmentId,
      completerEnvironmentId,
    ]),
  );
  const receivers = new Map([...ids].map((id) => [id, new ReceivedWebhooks(id, journal)]));
  const sum = (count: (one: ReceivedWebhooks) => number): number =>
    [...receivers.values()].reduce((total, one) => total + count(one), 0);
  const acceptedCount = (): number => sum(({ accepted }) => accepted.size);

  async function respond(environmentId: number, event: SentEvent, response: ServerResponse): Promise<void> {
    const fate = random.integer(1, requestsPerHung);
    if (fate <= requestsPerHung / 100) {
      response.destroy();
      return;
    }
    if (fate === requestsPerHung) await delay(hungMs);
    else if (fate <= requestsPerHung / 50) {
      response.writeHead(503).end();
      return;
    }
    receivers.get(environmentId)?.accept(event);
    response.writeHead(204).end();
  }

  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => (body += part));
    request.on('end', () => {
      void respond(Number(request.url?.slice(1)), JSON.parse(body) as SentEvent, response);
    });
    request.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  for (const environmentId of ids)
    await query(
      `INSERT INTO webhook_endpoints (environment_id, endpoint_id, environment_kind, slot, url, types, created_at,
         updated_at, verified_at, secret_version, key_version, position, failure_count, probe_count, notice_count)
       SELECT environment_id, $2, kind, 1, $3, '{}', now(), now(), now(), 1, 1, 0, 0, 0, 0
         FROM environments WHERE environment_id = $1`,
      [environmentId, randomUUID(), `http://127.0.0.1:${port}/${environmentId}`],
    );

  /** Makes all waiting retries and probes due. */
  const hurry = async (): Promise<void> => {
    await query('UPDATE webhook_retries SET next_attempt_at = now() WHERE next_attempt_at > now()');
    await query('UPDATE webhook_endpoints SET next_probe_at = now() WHERE next_probe_at > now()');
  };

  async function catchUp(): Promise<boolean> {
    let count = acceptedCount();
    for (let progressAt = Date.now(); Date.now() < progressAt + progressWithinMs;) {
      await hurry();
      const behind = await query(
        `SELECT FROM webhook_endpoints w JOIN feeds f ON f.environment_id = w.environment_id
          WHERE f.last_sequence > w.position
             OR EXISTS (SELECT FROM webhook_retries r WHERE r.environment_id = w.environment_id)`,
      );
      if (behind.length === 0) return true;
      await delay(200);
      if (acceptedCount() > count) progressAt = Date.now();
      count = acceptedCount();
    }
    return false;
  }

  return {
    async check(queryNow) {
      if (!(await catchUp()))
        journal.violate('unexplained', `no webhook was delivered for ${progressWithinMs} ms`);
      for (const one of receivers.values()) {
        const rows = await queryNow<{ sequence: string; event_id: string }>(
          'SELECT e.sequence, e.event_id FROM feed_events e WHERE e.environment_id = $1',
          [one.environmentId],
        );
        one.compare(new Map(rows.map((row) => [Number(row.sequence), row.event_id])));
      }
    },
    acceptedCount,
    repeatCount: () => sum(({ repeats }) => repeats),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
