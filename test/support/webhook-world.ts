import { verifyEndpoint } from './added-endpoint';
import type { Completions } from './completions';
import { createCompletions } from './completions';
import { relayAll } from './feed';
import type { TestCompany, TestService } from './service';
import { until } from './until';
import { startReceiver, type WebhookReceiver } from './webhook-receiver';

const path = '/company/integration/webhook-endpoints';

/** The settings with which a service delivers to receivers on this machine. */
export const deliversHere = { DELIVERY: 'on', WEBHOOK_DESTINATIONS: 'loopback' } as const;

/** A company with an endpoint in its test environment, and the receiver behind it. */
export interface WebhookWorld {
  company: TestCompany;
  completions: Completions;
  receiver: WebhookReceiver;
  endpointId: string;
  /** The path of the endpoint. */
  one: string;
  endpoint(): Promise<Record<string, unknown>>;
  /** Adds an endpoint with a receiver of its own. */
  addEndpoint(settings?: object): Promise<{ endpointId: string; receiver: WebhookReceiver }>;
  /** Creates a contribution and completes it. Returns its id. */
  createAndComplete(): Promise<string>;
  /** Waits until the endpoint has received the event with this number. */
  positionReaches(sequence: number): Promise<void>;
  /** Makes all waiting retries and probes due. */
  hurry(): Promise<void>;
}

export function createWebhookWorlds(service: TestService) {
  const receivers: WebhookReceiver[] = [];
  const { admin } = service.database;

  async function receiver(): Promise<WebhookReceiver> {
    const started = await startReceiver();
    receivers.push(started);
    return started;
  }

  async function world(settings: object = {}): Promise<WebhookWorld> {
    const company = await service.addCompany();
    const completions = await createCompletions(service, company);
    async function addEndpoint(more: object = {}) {
      const own = await receiver();
      const { body } = await company.test.post(path, { url: own.url, ...more }).expect(201);
      await verifyEndpoint(admin, body.endpoint_id as string);
      return { endpointId: body.endpoint_id as string, receiver: own };
    }
    const { endpointId, receiver: first } = await addEndpoint(settings);
    const one = `${path}/${endpointId}`;
    const endpoint = async () => (await company.test.get(one).expect(200)).body as Record<string, unknown>;
    return {
      ...{ company, completions, receiver: first, endpointId, one, endpoint, addEndpoint },
      createAndComplete: () => completions.createCompleted('5.00'),
      positionReaches: (sequence) =>
        until('the position advances', async () => (await endpoint())['position'] === sequence),
      async hurry() {
        await admin.query(
          `WITH retries AS (UPDATE webhook_retries SET next_attempt_at = now() WHERE endpoint_id = $1)
           UPDATE webhook_endpoints SET next_probe_at = now() WHERE endpoint_id = $1 AND next_probe_at IS NOT NULL`,
          [endpointId],
        );
      },
    };
  }

  const relay = () => relayAll(admin);

  return {
    /** A receiver without an endpoint. */
    receiver,
    world,
    relay,
    /** A world whose endpoint has received this many events. The number must be even. */
    async worldWith(count: number): Promise<WebhookWorld> {
      const it = await world();
      for (let created = 0; created < count; created += 2) await it.createAndComplete();
      await relay();
      await it.positionReaches(count);
      return it;
    },
    /** Endpoints that stay would fail in later tests. */
    async end() {
      await admin.query('DELETE FROM webhook_endpoints');
      await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
    },
  };
}

export const receives = (receiver: WebhookReceiver, count: number): Promise<void> =>
  until(`${count} webhooks arrive`, () => receiver.received.length >= count);
