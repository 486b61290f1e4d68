import type { CitusNode } from '../../support/citus/cluster';
import { type OwnCluster, startOwnCluster } from '../../support/citus/own-cluster';
import { startService, type TestService } from '../../support/service';
import { until } from '../../support/until';
import { createWebhookWorlds, deliversHere, receives, type WebhookWorld } from '../../support/webhook-world';
import { accept, respondWith, type WebhookReceiver } from '../../support/webhook-receiver';

/** The webhooks of tenants of a worker, and of other tenants, while that worker is stopped. */
let own: OwnCluster;
let service: TestService;
let worlds: ReturnType<typeof createWebhookWorlds>;
let worker: CitusNode;
/** A company on the worker that fails, and one elsewhere. */
let affected: WebhookWorld;
let other: WebhookWorld;

beforeAll(async () => {
  own = await startOwnCluster();
  service = await startService({
    database: own.database,
    settings: {
      DATABASE_ACQUIRE_TIMEOUT_MS: '1000',
      DATABASE_STATEMENT_TIMEOUT_MS: '1000',
      DATABASE_LOCK_TIMEOUT_MS: '500',
      DATABASE_ANSWER_TIMEOUT_MS: '5000',
      ...deliversHere,
    },
  });
  worlds = createWebhookWorlds(service);
  affected = await worlds.world();
  const port = await own.portOf(affected.company);
  worker = own.cluster.workers.find((node) => node.port === port)!;
  do other = await worlds.world();
  while ((await own.portOf(other.company)) === port);
});
afterAll(async () => {
  await worlds.end();
  await service.stop();
  await own.remove();
});

const idsIn = ({ received }: WebhookReceiver): string[] =>
  received.map(({ event }) => event.data['transaction_id'] as string);
const has = (receiver: WebhookReceiver, ids: readonly string[], timeoutMs: number): Promise<void> =>
  until('the webhooks arrive', () => ids.every((id) => idsIn(receiver).includes(id)), timeoutMs);

async function createMany({ completions }: WebhookWorld, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await completions.create());
  return ids;
}

test('a stopped worker delays only the webhooks of its own tenants, and loses none', async () => {
  affected.receiver.behave(respondWith(503));
  const failed = await createMany(affected, 2);
  await receives(affected.receiver, 1);
  const queued = await createMany(affected, 5);
  await worker.stop('immediate');
  try {
    await has(other.receiver, await createMany(other, 5), 40_000);
    // The process uses only the other workers by now, and notifies at its usual pace.
    await has(other.receiver, await createMany(other, 5), 10_000);
    affected.receiver.received.length = 0;
    affected.receiver.behave(accept);
  } finally {
    await worker.start();
  }
  await has(affected.receiver, [...failed, ...queued], 90_000);
});
