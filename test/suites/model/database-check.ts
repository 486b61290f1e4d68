import { isDeepStrictEqual } from 'node:util';

import type { Pool } from 'pg';

import {
  completionNumber,
  type Completion,
  type Event,
  type Model,
  returnedCents,
  type Transaction,
} from './model';
import { environmentOf, environments } from './principals';
import { supportedProjects } from './rights';
import type { Tenants } from './tenants';

/** All rows of some environments as sorted lines of text. */
export type Contents = Readonly<
  Record<'transactions' | 'users' | 'supports' | 'links' | 'pairs', readonly string[]>
>;

/** The fields of a completion that is in the row `t`: a transaction, or a correction. */
const completionFields = `
                 completer.name, t.completed_by_api_key, t.bank_reference, t.value_date,
                 CASE WHEN t.completed_at IS NOT NULL
                      THEN (SELECT count(*) FROM link WHERE link.linked_at <= t.completed_at) END,
                 CASE WHEN t.completed_at IS NOT NULL
                      THEN (SELECT count(*) FROM unnest($3::timestamptz[]) AS mark WHERE mark <= t.completed_at) END`;

/**
 * $1 names of environments, $2 their environment_ids, $3 the marks, $4 the ids of returns that
 * responses have named. The stored times determine which links were active at a creation, and which
 * links and marks came before a completion.
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
                 t.status, ${completionFields}, t.completion, t.corrected_at IS NOT NULL,
                 ARRAY(SELECT jsonb_build_array(replace(e.type, 'contribution.', ''), e.completion, actor.name, e.actor_api_key,
                                                e.actor_login IS NOT NULL,
                                                CASE WHEN e.evidence ->> 'return_id' = ANY ($4) THEN e.evidence ELSE e.evidence - 'return_id' END)
                         FROM events e LEFT JOIN tenant actor ON actor.environment_id = e.actor_environment_id
                        WHERE e.environment_id = t.environment_id AND e.transaction_id = t.transaction_id
                        ORDER BY e.type LIKE 'contribution.completion_%', e.recorded_at, e.event_id),
                 ARRAY(SELECT jsonb_build_array(t.completion, ${completionFields}, t.reason, actor.name, t.actor_api_key,
                                                t.actor_login IS NOT NULL)
                         FROM corrections t
                         LEFT JOIN tenant completer ON completer.environment_id = t.completed_by_environment_id
                         LEFT JOIN tenant actor ON actor.environment_id = t.actor_environment_id
                        WHERE t.environment_id = contribution.environment AND t.transaction_id = contribution.id
                        ORDER BY t.recorded_at),
                 t.returned_cents,
                 ARRAY(SELECT jsonb_build_array(CASE WHEN r.return_id::text = ANY ($4) THEN r.return_id END, r.undoes, r.kind, r.amount_cents, r.bank_reference,
                                                r.recorded_by_environment_id = t.completed_by_environment_id,
                                                r.recorded_by_api_key)
                         FROM money_returns r
                        WHERE r.environment_id = t.environment_id AND r.transaction_id = t.transaction_id
                        ORDER BY r.recorded_at, r.return_id))
            FROM transactions t JOIN tenant USING (environment_id)
            CROSS JOIN LATERAL (SELECT t.environment_id AS environment, t.transaction_id AS id) AS contribution
            LEFT JOIN users u USING (environment_id, user_id)
            LEFT JOIN tenant completer ON completer.environment_id = t.completed_by_environment_id
           WHERE t.environment_id = ANY ($2)) AS transactions,
    ARRAY(SELECT jsonb_build_array(tenant.name || ' ' || u.user_hash, u.first_name)
            FROM users u JOIN tenant USING (environment_id) WHERE u.environment_id = ANY ($2)) AS users,
    -- The times of a support are those of the first and of the last completion, also corrected ones.
    ARRAY(SELECT jsonb_build_array(tenant.name, u.user_hash, s.project_id, EXISTS (
                   SELECT FROM transactions t
                     LEFT JOIN corrections c USING (environment_id, transaction_id)
                    WHERE (t.environment_id, t.user_id, t.project_id) = (s.environment_id, s.user_id, s.project_id)
                   HAVING (LEAST(min(t.completed_at), min(c.completed_at)), GREATEST(max(t.completed_at), max(c.completed_at)))
                          = (s.first_supported_at, s.last_supported_at)), s.ended_at IS NULL)
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
  models: readonly Model[],
): Promise<Contents> {
  const ids = environments.map((environment) => tenants.ids[environment]);
  const known = models.flatMap(({ transactions }) =>
    [...transactions.values()].flatMap(({ returns }) => returns.map(({ id }) => id)),
  );
  const values = [environments, ids, marks, known.filter((id) => id !== undefined)];
  const { rows } = await admin.query<Row>({ ...contentsQuery, values });
  return inOrder(rows[0]!);
}

const completionFieldsOf = (completion: Completion | undefined): unknown[] => [
  completion?.by ?? null,
  completion?.with ?? null,
  completion?.reference ?? null,
  completion?.valueDate ?? null,
  completion?.linksBefore ?? null,
  completion?.afterMark ?? null,
];

/** A failed attempt may be recorded after a concurrent change, and so these are ordered apart. */
function eventLines(events: readonly Event[]): unknown[] {
  const isAttempt = ({ type }: Event): boolean => type.startsWith('completion_');
  return [...events.filter((event) => !isAttempt(event)), ...events.filter(isAttempt)].map(
    ({ type, completion, actor, actorKey, evidence }) => [
      type,
      completion,
      actor ?? null,
      actorKey ?? null,
      actor === undefined,
      evidence,
    ],
  );
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
    ...completionFieldsOf(completion),
    completionNumber(transaction),
    transaction.isCorrected,
    eventLines(events),
    transaction.corrections.map(({ completion: of, reason, actor, with: key }, place) => [
      place + 1,
      ...completionFieldsOf(of),
      reason,
      actor ?? null,
      key ?? null,
      actor === undefined,
    ]),
    returnedCents(transaction),
    transaction.returns.map(({ id, undoes, kind, cents, reference, with: key }) => [
      id ?? null,
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
