import { isDeepStrictEqual } from 'node:util';

import type { Pool } from 'pg';

import { type Model, returnedCents, type Transaction } from './model';
import { environmentOf, environments } from './principals';
import { supportedProjects } from './rights';
import type { Tenants } from './tenants';

/** All rows of some environments as sorted lines of text. */
export type Contents = Readonly<
  Record<'transactions' | 'users' | 'supports' | 'links' | 'pairs', readonly string[]>
>;

/**
 * $1 names of environments, $2 their environment_ids, $3 the marks. The stored times determine
 * which links were active at a creation, and which links and marks came before a completion.
 */
const contentsQuery = {
  name: 'model_contents',
  text: `
  WITH tenant AS (SELECT * FROM unnest($1::text[], $2::integer[]) AS tenant (name, environment_id)),
  link AS (
    SELECT l.*, row_number() OVER (ORDER BY l.linked_at) - 1 AS place, owner.name AS owner, bank.name AS bank
      FROM bank_links l JOIN tenant owner USING (environment_id)
      JOIN tenant bank ON bank.environment_id = l.bank_environment_id
     WHERE l.environment_id = ANY ($2)
  )
  SELECT
    ARRAY(SELECT jsonb_build_array(t.transaction_id, tenant.name, t.idempotency_key, t.project_id, t.amount_cents, u.user_hash, t.created_by_api_key,
                 (SELECT count(*) FROM link WHERE link.linked_at <= t.created_at),
                 ARRAY(SELECT link.place FROM link WHERE link.environment_id = t.environment_id AND link.linked_at <= t.created_at
                          AND (link.unlinked_at IS NULL OR link.unlinked_at > t.created_at) ORDER BY link.place),
                 t.status, completer.name, t.completed_by_api_key, t.bank_reference, t.value_date,
                 CASE WHEN t.completed_at IS NOT NULL
                      THEN (SELECT count(*) FROM link WHERE link.linked_at <= t.completed_at) END,
                 CASE WHEN t.completed_at IS NOT NULL
                      THEN (SELECT count(*) FROM unnest($3::timestamptz[]) AS mark WHERE mark <= t.completed_at) END,
                 ARRAY(SELECT jsonb_build_array(replace(e.type, 'contribution.', ''), actor.name, e.actor_api_key, e.evidence)
                         FROM events e LEFT JOIN tenant actor ON actor.environment_id = e.actor_environment_id
                        WHERE e.environment_id = t.environment_id AND e.transaction_id = t.transaction_id
                        ORDER BY e.recorded_at, e.event_id),
                 t.returned_cents,
                 ARRAY(SELECT jsonb_build_array(r.return_id, r.undoes, r.kind, r.amount_cents, r.bank_reference,
                                                r.recorded_by_environment_id = t.completed_by_environment_id,
                                                r.recorded_by_api_key)
                         FROM money_returns r
                        WHERE r.environment_id = t.environment_id AND r.transaction_id = t.transaction_id
                        ORDER BY r.recorded_at, r.return_id))
            FROM transactions t JOIN tenant USING (environment_id)
            LEFT JOIN users u USING (environment_id, user_id)
            LEFT JOIN tenant completer ON completer.environment_id = t.completed_by_environment_id
           WHERE t.environment_id = ANY ($2)) AS transactions,
    ARRAY(SELECT jsonb_build_array(tenant.name || ' ' || u.user_hash, u.first_name)
            FROM users u JOIN tenant USING (environment_id) WHERE u.environment_id = ANY ($2)) AS users,
    -- The time of a support is that of the first and of the last completion.
    ARRAY(SELECT jsonb_build_array(tenant.name, u.user_hash, s.project_id, EXISTS (
                   SELECT FROM transactions t
                    WHERE (t.environment_id, t.user_id, t.project_id) = (s.environment_id, s.user_id, s.project_id)
                   HAVING (min(t.completed_at), max(t.completed_at)) = (s.first_supported_at, s.last_supported_at)), s.ended_at IS NULL)
            FROM supports s JOIN tenant USING (environment_id) JOIN users u USING (environment_id, user_id)
           WHERE s.environment_id = ANY ($2)) AS supports,
    ARRAY(SELECT jsonb_build_array(link.owner, link.bank, link.unlinked_at IS NULL, link.voided_at IS NOT NULL) FROM link ORDER BY link.place) AS links,
    ARRAY(SELECT jsonb_build_array(k.api_key, tenant.name, k.revoked_at IS NULL)
            FROM key_pairs k JOIN tenant USING (environment_id) WHERE k.environment_id = ANY ($2)) AS pairs`,
};

type Row = Record<keyof Contents, unknown[]>;

/** The same text for equal values, regardless of member order. */
function lines(values: readonly unknown[]): string[] {
  return values.map((value) =>
    JSON.stringify(value, (_name, part: unknown) =>
      part !== null && typeof part === 'object' && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
        : part,
    ),
  );
}

function inOrder(contents: Record<keyof Contents, unknown[]>): Contents {
  const { transactions, users, supports, links, pairs } = contents;
  return {
    transactions: lines(transactions).sort(),
    users: lines(users).sort(),
    supports: lines(supports).sort(),
    links: lines(links),
    pairs: lines(pairs).sort(),
  };
}

/** Reads the data of a sequence's tenants. */
export async function readContents(
  admin: Pool,
  tenants: Tenants,
  marks: readonly string[],
): Promise<Contents> {
  const ids = environments.map((environment) => tenants.ids[environment]);
  const { rows } = await admin.query<Row>({ ...contentsQuery, values: [environments, ids, marks] });
  return inOrder(rows[0]!);
}

function transactionLine(transaction: Transaction): unknown {
  const { completion, events } = transaction;
  return [
    transaction.id,
    transaction.environment,
    transaction.key ?? null,
    transaction.project,
    transaction.cents,
    transaction.user,
    transaction.createdWith,
    transaction.linksBefore,
    transaction.createdUnder,
    completion ? 'completed' : 'pending',
    completion?.by ?? null,
    completion?.with ?? null,
    completion?.reference ?? null,
    completion?.valueDate ?? null,
    completion?.linksBefore ?? null,
    completion?.afterMark ?? null,
    events.map(({ type, actor, actorKey, evidence }) => [type, actor, actorKey, evidence]),
    returnedCents(transaction),
    transaction.returns.map(({ id, undoes, kind, cents, reference, with: key }) => [
      id,
      undoes ?? null,
      kind,
      cents,
      reference,
      true,
      key,
    ]),
  ];
}

/** The expected database content according to the model. */
function expectedContents(model: Model): Contents {
  const users = [...model.names];
  return inOrder({
    transactions: [...model.transactions.values()].map(transactionLine),
    users,
    supports: users.flatMap(([owner]) => {
      const [environment, user] = owner.split(' ') as [(typeof environments)[number], string];
      const supported = supportedProjects(model, environment, user);
      return [...supportedProjects(model, environment, user, true)].map((project) => [
        environment,
        user,
        project,
        true,
        supported.has(project),
      ]);
    }),
    links: model.links.map(({ environment, bank, isInForce, isVoided }) => [
      environment,
      bank,
      isInForce,
      isVoided,
    ]),
    pairs: [...model.pairs].map(([apiKey, { principal, state }]) => [
      apiKey,
      environmentOf[principal],
      state === 'live',
    ]),
  });
}

/** Whether the database has exactly the content of the model. */
export function isAsInModel(contents: Contents, model: Model): boolean {
  return isDeepStrictEqual(contents, expectedContents(model));
}

/** The differences as readable text. */
export function differences(contents: Contents, model: Model): string {
  const expected = expectedContents(model);
  return (Object.keys(expected) as (keyof Contents)[])
    .flatMap((table) => [
      ...expected[table]
        .filter((line) => !contents[table].includes(line))
        .map((line) => `missing in ${table}: ${line}`),
      ...contents[table]
        .filter((line) => !expected[table].includes(line))
        .map((line) => `not expected in ${table}: ${line}`),
    ])
    .join('\n');
}
