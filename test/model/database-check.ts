import { isDeepStrictEqual } from 'node:util';

import { ModelMismatch, type Session } from './session';
import { usersOf } from './targets';
import { utcNow } from './tenants';
import { type Environment, environmentOf, type Transaction, type World } from './world';

/** Rows of a sequence, as the database has them or as the model wants them, sorted. */
interface Holdings {
  transactions: string[];
  events: string[];
  supports: string[];
  livePairs: string[];
}

/** $1 environments, $2 a time before the sequence, $3 its users */
const storedRows = `
  SELECT 'transactions' AS place, jsonb_build_object(
           'id', t.transaction_id, 'environment', t.environment_id, 'user', u.user_hash, 'project', t.project_id,
           'cents', t.amount_cents, 'currency', t.currency, 'key', t.idempotency_key, 'status', t.status,
           'created_by', t.created_by_api_key, 'completed_by', t.completed_by_environment_id,
           'completed_by_key', t.completed_by_api_key, 'reference', t.bank_reference, 'value_date', t.value_date) AS row
    FROM transactions t JOIN users u USING (environment_id, user_id)
   WHERE t.environment_id = ANY ($1) AND t.created_at >= $2
  UNION ALL
  SELECT 'events', jsonb_build_object(
           'id', e.transaction_id, 'environment', e.environment_id, 'type', e.type,
           'actor', e.actor_environment_id, 'actor_key', e.actor_api_key, 'evidence', e.evidence)
    FROM events e
   WHERE e.environment_id = ANY ($1) AND e.recorded_at >= $2
  UNION ALL
  SELECT 'supports', jsonb_build_object('environment', s.environment_id, 'user', u.user_hash, 'project', s.project_id)
    FROM users u JOIN supports s USING (environment_id, user_id)
   WHERE u.environment_id = ANY ($1) AND u.user_hash = ANY ($3)
  UNION ALL
  SELECT 'livePairs', jsonb_build_object('key', k.api_key)
    FROM key_pairs k WHERE k.environment_id = ANY ($1) AND k.revoked_at IS NULL
  UNION ALL
  SELECT 'quietAt', to_jsonb(${utcNow})`;

/** With the names in one order, whoever put the row together. */
const text = (row: object): string =>
  JSON.stringify(row, (_name, value: unknown) =>
    value !== null && typeof value === 'object'
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );

/** Also notes that the sequence has come to its end. */
async function stored(session: Session): Promise<Holdings> {
  const { stage, tenants, createdFrom } = session;
  const { rows } = await stage.service.database.admin.query<{ place: string; row: object }>({
    name: 'model_stored_rows',
    text: storedRows,
    values: [Object.values(tenants.environmentIds), createdFrom, usersOf(session)],
  });
  const of = (place: string): string[] =>
    rows
      .filter((each) => each.place === place)
      .map(({ row }) => text(row))
      .sort();
  tenants.quietAt = JSON.parse(of('quietAt')[0]!) as string;
  return {
    transactions: of('transactions'),
    events: of('events'),
    supports: of('supports'),
    livePairs: of('livePairs'),
  };
}

function wanted(world: World, ids: Readonly<Record<Environment, number>>): Holdings {
  const actorOf = (apiKey: string): number =>
    ids[environmentOf[world.pairs.find((pair) => pair.apiKey === apiKey)!.of]];
  const evidence = (said: { cents: number | null; reference: string | null }) => ({
    ...(said.cents === null ? {} : { amount_cents: said.cents }),
    ...(said.reference === null ? {} : { bank_reference: said.reference }),
  });

  function transactionRow(transaction: Transaction): object {
    const { id, environment, user, project, cents, key, createdBy, completion } = transaction;
    return {
      ...{ id, environment: ids[environment], user, project, cents, currency: 'USD', key },
      created_by: createdBy,
      status: completion ? 'completed' : 'pending',
      completed_by: completion ? ids[completion.by] : null,
      completed_by_key: completion?.apiKey ?? null,
      reference: completion?.reference ?? null,
      value_date: null,
    };
  }

  function eventRowsOf(transaction: Transaction): object[] {
    const { id, environment, project, cents, createdBy, completion, attempts } = transaction;
    const event = (type: string, apiKey: string, said: object) => ({
      ...{ id, environment: ids[environment], type: `contribution.${type}` },
      ...{ actor: actorOf(apiKey), actor_key: apiKey, evidence: said },
    });
    return [
      event('created', createdBy, { amount_cents: cents, project_id: project }),
      ...(completion ? [event('completed', completion.apiKey, evidence(completion))] : []),
      ...attempts.map((each) => event(`completion_${each.type}`, each.apiKey, evidence(each))),
    ];
  }

  const { transactions } = world;
  const supports = transactions
    .filter(({ completion }) => completion)
    .map(({ environment, user, project }) => text({ environment: ids[environment], user, project }));
  return {
    transactions: transactions.map((each) => text(transactionRow(each))).sort(),
    events: transactions.flatMap((each) => eventRowsOf(each).map(text)).sort(),
    supports: [...new Set(supports)].sort(),
    livePairs: world.pairs
      .filter(({ revokedAtMs }) => revokedAtMs === undefined)
      .map(({ apiKey }) => text({ key: apiKey }))
      .sort(),
  };
}

/** What the database has and what the model wants, as far as they differ. */
function difference(one: Holdings, other: Holdings): string {
  return (Object.keys(one) as (keyof Holdings)[])
    .flatMap((table) => [
      ...one[table].filter((row) => !other[table].includes(row)).map((row) => `stored only: ${table} ${row}`),
      ...other[table].filter((row) => !one[table].includes(row)).map((row) => `wanted only: ${table} ${row}`),
    ])
    .join('\n');
}

/**
 * Holds every row of a sequence against the model: transactions, events with what they tell, supports, live pairs.
 *
 * @returns the world that the database agrees with
 * @throws ModelMismatch when it agrees with none
 */
export async function checkDatabase(session: Session): Promise<World> {
  const holdings = await stored(session);
  const ids = session.tenants.environmentIds;
  const agreeing = session.worlds().find((world) => isDeepStrictEqual(wanted(world, ids), holdings));
  if (agreeing) return agreeing;
  const differs = difference(holdings, wanted(session.world(), ids));
  throw new ModelMismatch(
    `The database is not as the model wants it.\n${differs}\nafter\n${session.history()}`,
  );
}
