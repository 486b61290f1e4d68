import { type Figure, figure as hold } from '../results';
import { say } from '../say';
import { queryAt } from '../world/server';
import { arrived, type Bench, createAtRate } from './bench';
import { createEndpoint, replay } from './endpoints';

const replayed = 1_000_000;
const livePerSecond = 50;
/** The events that a replay sends before its first pause. */
const batchOfReplay = 100;

/** Adds events of contributions to the feed of the tenant, without contributions. */
async function fillFeed({ adminUrl, world }: Bench, count: number): Promise<void> {
  await queryAt(
    adminUrl,
    `WITH head AS (
       INSERT INTO feeds AS f (environment_id, last_sequence, oldest_written_at) VALUES ($1, $2, now())
       ON CONFLICT ON CONSTRAINT feeds_pkey DO UPDATE SET last_sequence = f.last_sequence + $2
       RETURNING last_sequence
     )
     INSERT INTO feed_events (environment_id, sequence, event_id, owner_environment_id, transaction_id, type, recorded_at,
       audience, data)
     SELECT $1, head.last_sequence - $2 + number, gen_random_uuid(), $1, 'T' || (number + 1) / 2,
            CASE number % 2 WHEN 1 THEN 'contribution.created' ELSE 'contribution.completed' END, now(), '{}',
            jsonb_build_object('company_id', gen_random_uuid(), 'project_id', number % 500, 'amount_cents', 1000,
              'idempotency_key', 'order ' || number)
       FROM head, generate_series(1, $2) AS number`,
    [world.tenant.environmentId, count],
  );
  await queryAt(adminUrl, 'VACUUM ANALYZE feed_events');
}

/** New events go to the endpoint that gets the replay, and to another one. */
export async function besideReplay(bench: Bench): Promise<Figure[]> {
  const { world, program, receiver, addresses, seconds } = bench;
  await fillFeed(bench, replayed);
  const endpoint = (place: string): Promise<string> =>
    createEndpoint(program.url, world.tenant, `https://127.0.0.1:${addresses.port}${place}`);
  const id = await endpoint('/replay');
  await endpoint('/live');
  const { eventCount, from } = await replay(program.url, world.tenant, id, replayed);
  await receiver.forget();
  say(`replaying ${eventCount} events from ${from} on`);
  const created = await createAtRate(bench, livePerSecond);
  const same = await arrived(bench, '/replay', created, 30);
  const other = await arrived(bench, '/live', created, 30);
  const again = await arrived(bench, '/replay again', 1, 1);
  say(`beside a replay: ${JSON.stringify({ same: same.delay, other: other.delay })}`);
  say(`${again.delay.count} events replayed in ${again.seconds} s`);
  const beside = `at ${livePerSecond} events/s beside a replay of ${eventCount.toLocaleString('en-US')} events`;
  const figures = [
    hold(`ms from commit to first attempt, p50, ${beside}, same endpoint`, same.delay.p50, '≤', 300),
    hold(`ms from commit to first attempt, p99, ${beside}, same endpoint`, same.delay.p99, '≤', 2_000),
    hold(`ms from commit to first attempt, p99, ${beside}, other endpoint`, other.delay.p99, '≤', 2_000),
    // The time starts with the first batch, so the rate is that of the others.
    hold(
      'events replayed per second beside them',
      (again.delay.count - batchOfReplay) / again.seconds,
      '≤',
      100,
    ),
  ];
  if (again.delay.count < eventCount)
    say(
      `the replay would take ${Math.round((eventCount * again.seconds) / again.delay.count / 60)} minutes; the load lasted ${seconds} s`,
    );
  return figures;
}
