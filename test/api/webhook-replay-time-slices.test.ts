import { createReplayLaneStore } from '../../src/features/webhooks/replays/replay-lane.store';
import { longTest } from '../support/full-run';
import { startService, type TestService } from '../support/service';
import { until } from '../support/until';
import { createWebhookWorlds, deliversHere, type WebhookWorld } from '../support/webhook-world';

/** Environments with many replays share a process with other environments. */
const path = '/company/integration/webhook-endpoints';

async function startReplay({ company }: WebhookWorld, endpointId: string): Promise<string> {
  const { body } = await company.test.post(`${path}/${endpointId}/replays`, { from_sequence: 1 }).expect(201);
  return body.replay_id as string;
}

describe('a service', () => {
  let service: TestService;
  let worlds: ReturnType<typeof createWebhookWorlds>;

  beforeAll(async () => {
    service = await startService({ settings: deliversHere, pollMs: 50 });
    worlds = createWebhookWorlds(service);
  });
  afterAll(async () => {
    await worlds.end();
    await service.stop();
  });

  longTest('sends a replay while those of another environment wait for responses', async () => {
    const other = await worlds.worldWith(2);
    const it = await worlds.worldWith(2);
    let hanging = 0;
    for (let count = 0; count < 6; count += 1) {
      const { endpointId, receiver } = await other.addEndpoint();
      receiver.behave(() => {
        hanging += 1;
      });
      await startReplay(other, endpointId);
    }
    await until('replays wait for responses', () => hanging >= 3);
    const replay = await startReplay(it, it.endpointId);
    const isCompleted = async (): Promise<boolean> =>
      (await it.company.test.get(`${it.one}/replays/${replay}`).expect(200)).body.status === 'completed';
    await until('the replay is completed', isCompleted);
  });
});

test('an environment without a replay in progress comes first', async () => {
  // This service sends nothing.
  const quiet = await startService({ settings: { WEBHOOK_DESTINATIONS: 'loopback' } });
  const worlds = createWebhookWorlds(quiet);
  try {
    const [other, it] = [await worlds.world(), await worlds.world()];
    for (const each of [other, it]) await each.createAndComplete();
    await worlds.relay();
    const more = await other.addEndpoint();
    await quiet.database.admin.query('UPDATE webhook_endpoints SET position = 2');
    const first = await startReplay(other, other.endpointId);
    const second = await startReplay(other, more.endpointId);
    const last = await startReplay(it, it.endpointId);

    const store = createReplayLaneStore(quiet.container.database);
    const [work] = await store.findWork(3, []);
    const found = async (except: number[] = []) =>
      (await store.findWork(3, except)).map(({ replayId }) => replayId);
    expect(await found()).toEqual([first, last, second]);
    expect(await found([work!.environmentId])).toEqual([last]);
    await store.claim(work!, '00000000-0000-0000-0000-000000000001');
    expect(await found()).toEqual([last, second]);
  } finally {
    await worlds.end();
    await quiet.stop();
  }
});
