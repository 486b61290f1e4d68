import { setTimeout as delay } from 'node:timers/promises';

import type { Completion, Intention, Journal } from '../journal/journal';
import type { Random } from '../random';
import type { TenantEnvironment, Tenants } from './environments';
import type { Call, HttpClient } from './http';
import { judgeCreate, judgeRefusal } from './judge';

export interface PartnerWorld {
  readonly http: HttpClient;
  readonly journal: Journal;
  readonly tenants: Tenants;
  readonly random: Random;
  /** Called for every transaction that may be completed. */
  readonly onCreated: (environment: TenantEnvironment, completion: Completion) => void;
}

const usersPerEnvironment = 2_000;
const paths = [
  { method: 'PUT', path: 'contributions/create' },
  { method: 'POST', path: 'orders/make' },
  { method: 'POST', path: 'create/payment' },
] as const;

/** The retry delay of a client. It is shorter than Retry-After, to put more load on the service. */
const retryDelayMs = (random: Random): number => random.integer(20, 250);

function createCall(environment: TenantEnvironment, intention: Intention, random: Random): Call {
  const dollars = (intention.amountCents / 100).toFixed(2);
  return {
    ...random.pick(paths),
    pair: environment.company,
    body: {
      project_id: intention.projectId,
      amount: random.chance(0.5) ? dollars : Number(dollars),
      user_hash: intention.userHash,
      ...(random.chance(0.3) ? { name: random.pick(['Amelia', 'Noor', 'Tomás']) } : {}),
    },
    ...(intention.idempotencyKey === undefined
      ? {}
      : { headers: { 'Idempotency-Key': intention.idempotencyKey } }),
  };
}

/**
 * Creates one contribution as partners do: mostly with a key, and mostly with retries until a
 * response arrives.
 */
export async function createContribution(world: PartnerWorld): Promise<void> {
  const { journal, random, tenants } = world;
  const environment = random.pick(tenants.environments);
  const hasKey = random.chance(0.75);
  const intention = journal.intend({
    environmentId: environment.environmentId,
    userHash: `user-${environment.environmentId}-${random.integer(1, usersPerEnvironment)}`,
    projectId: random.pick(tenants.activeProjects),
    idempotencyKey: hasKey ? `order ${journal.intentions.size + 1}` : undefined,
  });
  if (hasKey) await createWithKey(world, environment, intention);
  else await createWithoutKey(world, environment, intention);
}

async function attempt(
  world: PartnerWorld,
  environment: TenantEnvironment,
  intention: Intention,
  abandonAfterMs?: number,
) {
  const call = createCall(environment, intention, world.random);
  const exchange = await world.http.send(abandonAfterMs === undefined ? call : { ...call, abandonAfterMs });
  // The client itself closed the connection, so the service is not to blame.
  const judged =
    abandonAfterMs !== undefined && exchange.response === undefined
      ? abandon(world.journal, intention)
      : judgeCreate(world.journal, intention, exchange);
  if (judged.completion) world.onCreated(environment, judged.completion);
  return judged;
}

function abandon(journal: Journal, intention: Intention) {
  journal.counts.mutatingRequests += 1;
  journal.counts.creates += 1;
  journal.counts.unanswered += 1;
  journal.touched.amounts.add(intention.amountCents);
  intention.uncertain += 1;
  return { verdict: 'uncertain' as const, completion: undefined };
}

async function createWithKey(
  world: PartnerWorld,
  environment: TenantEnvironment,
  intention: Intention,
): Promise<void> {
  const { random } = world;
  // Sometimes the same request is sent concurrently, or its response is not awaited.
  const copies = random.chance(0.05) ? random.integer(2, 4) : 1;
  const first = Array.from({ length: copies }, () =>
    attempt(world, environment, intention, random.chance(0.05) ? random.integer(0, 5) : undefined),
  );
  let isAcknowledged = (await Promise.all(first)).some(({ verdict }) => verdict === 'acknowledged');
  while (!isAcknowledged) {
    await delay(retryDelayMs(random));
    const { verdict } = await attempt(world, environment, intention);
    if (verdict === 'refused') return;
    isAcknowledged = verdict === 'acknowledged';
  }
  // A client that repeats a request although it has the response.
  if (random.chance(0.05)) await attempt(world, environment, intention);
  if (random.chance(0.01)) await reuseKey(world, environment, intention);
}

/** Repeats the key with another amount, which must be rejected without effect. */
async function reuseKey(
  { http, journal, random }: PartnerWorld,
  environment: TenantEnvironment,
  intention: Intention,
): Promise<void> {
  const call = createCall(environment, intention, random);
  const exchange = await http.send({ ...call, body: { ...call.body, amount: '999999.99' } });
  judgeRefusal(journal, 'key reused', 422, exchange);
}

async function createWithoutKey(
  world: PartnerWorld,
  environment: TenantEnvironment,
  intention: Intention,
): Promise<void> {
  const { random } = world;
  for (;;) {
    const { verdict } = await attempt(
      world,
      environment,
      intention,
      random.chance(0.03) ? random.integer(0, 5) : undefined,
    );
    if (verdict === 'acknowledged' || verdict === 'refused') return;
    await delay(retryDelayMs(random));
    // The client looks up the outcome as the error advises. Some clients repeat blindly, which may
    // create a duplicate.
    if (verdict === 'uncertain' && random.chance(0.8)) {
      await lookUp(world, environment, intention);
      return;
    }
  }
}

async function lookUp(
  { http }: PartnerWorld,
  environment: TenantEnvironment,
  intention: Intention,
): Promise<void> {
  await http.send({
    method: 'GET',
    path: `contributions?user_hash=${intention.userHash}&limit=20`,
    pair: environment.company,
  });
}
