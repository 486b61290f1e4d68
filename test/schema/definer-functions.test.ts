import { randomUUID } from 'node:crypto';

import type { QueryResult } from 'pg';

import { simulatedBank } from '../../src/shared/simulated-bank';
import { addEndpoint } from '../support/added-endpoint';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { operate } from '../support/operations';

/**
 * The functions that run with the owner's privileges check their arguments, because each caller has
 * fewer privileges. A new function needs its own rows.
 */
let database: TestDatabase;
let ids: { one: number; other: number; bank: number; endpointId: string };
/** The link of the environment `one`, as its event reports it. */
let link: Record<string, string | null>;

beforeAll(async () => {
  database = await createTestDatabase();
  await operate(database, async ({ companies }) => {
    for (const name of ['One', 'Other', 'Bank']) await companies.create(name);
  });
  await operate(database, ({ companies }) => companies.linkBank('test', 'One', 'Bank'));
  const { rows } = await database.admin.query<{ name: string; id: number; company_id: string }>(
    `SELECT c.name, e.environment_id AS id, c.company_id FROM environments e JOIN companies c USING (company_id)
      WHERE e.kind = 'test'`,
  );
  const of = (name: string) => rows.find((row) => row.name === name)!;
  const { endpointId } = await addEndpoint(database.admin, 'One');
  ids = { one: of('One').id, other: of('Other').id, bank: of('Bank').id, endpointId };
  const { rows: events } = await database.admin.query<{ data: typeof link }>(
    'SELECT data FROM environment_events WHERE environment_id = $1',
    [ids.one],
  );
  link = events[0]!.data;
});
afterAll(() => database.drop());

const endpointData = (): Record<string, unknown> => ({
  endpoint_id: ids.endpointId,
  failing_since: null,
  disables_at: null,
  disabled_reason: 'operator',
});

interface Event {
  environmentId?: number;
  type?: string;
  time?: string;
  audience?: readonly (number | null)[] | null;
  data?: unknown;
}

/** Appends a correct event about the endpoint, with these changes. */
const append = (event: Event): Promise<QueryResult> =>
  database.admin.query(
    `SELECT append_environment_event($1, $2, $3, COALESCE($4, now()::text)::timestamptz, $5, $6)`,
    [
      event.environmentId ?? ids.one,
      randomUUID(),
      event.type ?? 'webhook_endpoint.disabled',
      event.time ?? null,
      event.audience === undefined ? [] : event.audience,
      JSON.stringify(event.data === undefined ? endpointData() : event.data),
    ],
  );

const started = { type: 'bank_link.started' } as const;
const wellFormed = 'environment_events_well_formed';

const dayChange = { account_id: randomUUID(), day: '2026-11-20', lines_gone: 1, lines_added: 2 };

const appends: readonly [string, () => Event, string][] = [
  ['an infinite time', () => ({ time: 'infinity' }), wellFormed],
  ['a time of last week', () => ({ time: '2026-01-01Z' }), 'environment_events_recorded_now'],
  ['an audience of a company', () => ({ audience: [ids.other] }), wellFormed],
  ['no audience', () => ({ audience: null }), wellFormed],
  ['an unknown type', () => ({ type: 'something.else' }), wellFormed],
  ['no data', () => ({ data: null }), wellFormed],
  ['data that is a list', () => ({ data: [] }), wellFormed],
  ['data without a member', () => ({ data: { endpoint_id: ids.endpointId } }), wellFormed],
  ['data with another member', () => ({ data: { ...endpointData(), url: 'https://a.example' } }), wellFormed],
  ['data with a number as an id', () => ({ data: { ...endpointData(), endpoint_id: 1 } }), wellFormed],
  ['data with another time', () => ({ data: { ...endpointData(), failing_since: 'infinity' } }), wellFormed],
  [
    'the endpoint of another environment',
    () => ({ environmentId: ids.other }),
    'environment_events_endpoint_exists',
  ],
  [
    'an environment that does not exist',
    () => ({ environmentId: 999_999 }),
    'environment_events_endpoint_exists',
  ],
  [
    'a link with an audience that does not exist',
    () => ({ ...started, audience: [999_999], data: link }),
    'environment_events_link_exists',
  ],
  [
    'a link with an audience that is not its bank',
    () => ({ ...started, audience: [ids.other], data: link }),
    'environment_events_link_exists',
  ],
  [
    'a reset that did not take place',
    () => ({
      type: 'sandbox.reset',
      environmentId: ids.bank,
      data: {
        company_id: link['company_id'],
        bank_company_id: link['bank_company_id'],
        reset_at: '2026-01-01T00:00:00.000Z',
        generation: 1,
      },
    }),
    'environment_events_reset_exists',
  ],
  [
    'a reset without its generation',
    () => ({
      type: 'sandbox.reset',
      data: {
        company_id: link['company_id'],
        bank_company_id: link['bank_company_id'],
        reset_at: '2026-01-01T00:00:00.000Z',
      },
    }),
    wellFormed,
  ],
  [
    'a change of a day that did not take place',
    () => ({ type: 'statement_day.changed', data: dayChange }),
    'environment_events_change_exists',
  ],
  [
    'a change of something that is no day',
    () => ({ type: 'statement_day.changed', data: { ...dayChange, day: 'today' } }),
    wellFormed,
  ],
  ['a link with two banks', () => ({ ...started, audience: [ids.bank, ids.other], data: link }), wellFormed],
  ['a link with null as its audience', () => ({ ...started, audience: [null], data: link }), wellFormed],
  [
    'a link of another environment',
    () => ({ ...started, environmentId: ids.other, audience: [ids.bank], data: link }),
    'environment_events_link_exists',
  ],
  [
    'a link of another time',
    () => ({ ...started, audience: [ids.bank], data: { ...link, linked_at: '2026-01-01T00:00:00.000Z' } }),
    'environment_events_link_exists',
  ],
  [
    'the end of a link that has not ended',
    () => ({
      type: 'bank_link.ended',
      audience: [ids.bank],
      data: { ...link, unlinked_at: '2026-01-01T00:00:00.000Z' },
    }),
    'environment_events_link_exists',
  ],
  [
    'a link that was already reported',
    () => ({ ...started, audience: [ids.bank], data: link }),
    'environment_events_reported_once',
  ],
];

test.each(appends)('append_environment_event rejects %s', async (_, event, constraint) => {
  await expect(append(event())).rejects.toMatchObject({ constraint });
});

test('append_environment_event accepts an event about an endpoint of the environment', async () => {
  await append({});
});

/** Calls with arguments that a function must reject, and the constraint that it names. */
const calls: Readonly<Record<string, readonly (readonly [call: string, constraint: string])[]>> = {
  append_environment_event: [],
  append_reset_events: [
    [
      `append_reset_events(
         (SELECT environment_id FROM environments JOIN companies USING (company_id) WHERE kind = 'test' AND name = 'One'), now())`,
      'environment_events_reset_exists',
    ],
  ],
  correct_contribution_as_operator: [
    [`correct_contribution_as_operator('x', NULL, gen_random_uuid())`, 'corrections_reason_length'],
    [`correct_contribution_as_operator('x', '', gen_random_uuid())`, 'corrections_reason_length'],
  ],
  count_contributions: [
    ['count_contributions(NULL, now())', 'count_contributions_most'],
    ['count_contributions(-1, now())', 'count_contributions_most'],
    ['count_contributions(100, NULL)', 'count_contributions_horizon'],
    [`count_contributions(100, 'infinity')`, 'count_contributions_horizon'],
  ],
  // It has no argument.
  count_open_disputes: [],
  delete_company: [
    [`delete_company('${simulatedBank.companyId}')`, 'delete_company_simulated_bank'],
    ['delete_company(NULL)', 'delete_company_simulated_bank'],
    [`delete_company((SELECT company_id FROM companies WHERE name = 'One'))`, 'bank_links_environment_fkey'],
    [`delete_company((SELECT company_id FROM companies WHERE name = 'Bank'))`, 'bank_links_bank_fkey'],
  ],
  // An unknown endpoint or event changes nothing: see the next test.
  disable_webhook_endpoint: [],
  drop_queued_event: [],
  expire_feed_events: [
    ['expire_feed_events(NULL)', 'expire_feed_events_most'],
    ['expire_feed_events(0)', 'expire_feed_events_most'],
    ['expire_feed_events(-5)', 'expire_feed_events_most'],
  ],
  purge_retired_environment: [
    ['purge_retired_environment(1, 0)', 'purge_retired_environment_most'],
    ['purge_retired_environment(1, NULL)', 'purge_retired_environment_most'],
    ['purge_retired_environment(1, 10)', 'environments_purged_after_seven_days'],
  ],
  // It takes the login and the time from PostgreSQL, and constraints of the table check the rest.
  record_operator_action: [
    [
      `record_operator_action(gen_random_uuid(), 'o', 'c', NULL, '[]', '{}')`,
      'operator_actions_arguments_are_object',
    ],
    [
      `record_operator_action(gen_random_uuid(), '', 'c', NULL, '{}', '{}')`,
      'operator_actions_claimed_operator_length',
    ],
  ],
  relay_events: [
    ['relay_events(NULL)', 'relay_events_most'],
    ['relay_events(0)', 'relay_events_most'],
    ['relay_events(1000000)', 'relay_events_most'],
  ],
  reset_sandbox: [
    ['reset_sandbox(1, NULL)', 'reset_sandbox_most_per_day'],
    ['reset_sandbox(1, 1000000)', 'reset_sandbox_most_per_day'],
  ],
  set_sandbox_settings: [
    [`set_sandbox_settings(1, 'another', 0, true)`, 'set_sandbox_settings_bank'],
    [`set_sandbox_settings(1, NULL, 0, true)`, 'set_sandbox_settings_bank'],
  ],
  // It changes nothing, and says only whether one contribution has an event with this reference.
  was_stated_in_repeat: [],
};

test.each(Object.values(calls).flat())('%s is rejected', async (call, constraint) => {
  await expect(database.admin.query(`SELECT ${call}`)).rejects.toMatchObject({ constraint });
});

test('an endpoint or an event of another environment is neither disabled nor dropped', async () => {
  const { rows } = await database.admin.query<{ disabled: boolean; dropped: boolean }>(
    `SELECT disable_webhook_endpoint($1, $2, gen_random_uuid()) AS disabled,
            (SELECT bool_or(drop_queued_event($1, q.event_id)) FROM event_queue q) AS dropped`,
    [ids.other, ids.endpointId],
  );
  expect(rows).toEqual([{ disabled: false, dropped: false }]);
});

test('every function with the privileges of the owner has rows here', async () => {
  const { rows } = await database.admin.query<{ name: string }>(
    `SELECT p.proname AS name FROM pg_proc p
      WHERE p.pronamespace = 'public'::regnamespace AND p.prosecdef ORDER BY p.proname`,
  );
  expect(rows.map(({ name }) => name)).toEqual(Object.keys(calls));
});
