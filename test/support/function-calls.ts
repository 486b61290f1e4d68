import type { Client } from 'pg';
import { v7 as uuidv7 } from 'uuid';

/** A call of a function of the service in a situation. */
export interface FunctionCall {
  situation: string;
  text: string;
  values: readonly unknown[];
}

export interface StoredContributions {
  environmentId: number;
  /** An environment with two accounts without statements. */
  otherEnvironmentId: number;
  projectId: number;
  apiKey: string;
}

const tag = 'HZZ1';
const idOf = (number: number): string => `${tag}${String(number).padStart(11, '0')}`;
const [pending, supported, completed, anothers, resumed] = [1, 2, 3, 4, 5].map(idOf) as [
  string,
  string,
  string,
  string,
  string,
];
const [corrected, returned, mistaken] = [6, 7, 10].map(idOf) as [string, string, string];
const account = '019aa1b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b';
const earlierReturn = '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b';
const endpointId = '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3c';
const leaseId = '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3d';

/**
 * Stores an environment with contributions in each state, without the service. One of its two users
 * supports the project. Contributions are pending, completed or corrected. One of them was returned
 * in part, and one in full, by two returns.
 */
export async function addContributions(client: Client): Promise<StoredContributions> {
  const value = async <T>(sql: string, values: unknown[] = []): Promise<T> =>
    (await client.query<{ value: T }>(sql, values)).rows[0]!.value;
  const environmentOf = async (ofTag: string): Promise<number> => {
    const company = await value<string>(
      `INSERT INTO companies (company_id, name) VALUES ($1, $2) RETURNING company_id AS value`,
      [uuidv7(), `Company ${ofTag}`],
    );
    return value(
      `INSERT INTO environments (company_id, kind, transaction_tag) VALUES ($1, 'test', $2)
       RETURNING environment_id AS value`,
      [company, ofTag],
    );
  };
  const environmentId = await environmentOf(tag);
  const other = await environmentOf('HZZ2');
  const projectId = await value<number>(
    `INSERT INTO projects (external_reference, project_name, project_image_url, summary, description, category, country,
            organization, goal_amount_cents, status, rank)
     VALUES ('of-the-test', 'A project', 'https://example.org/a.png', 's', 'd', 'c', 'US', 'o', 100, 'active', 1)
     RETURNING project_id AS value`,
  );
  const apiKey = 'pk_test_of_the_functions';
  await client.query(
    `INSERT INTO key_pairs (api_key, environment_id, secret_hmac, pepper_version, scopes, slot)
     VALUES ($1, $2, decode(repeat('00', 32), 'hex'), 1, '{contributions:create}', 1)`,
    [apiKey, environmentId],
  );
  const user = (hash: string): Promise<string> =>
    value(
      `INSERT INTO users (environment_id, user_hash, first_name) VALUES ($1, $2, 'Ann') RETURNING user_id AS value`,
      [environmentId, hash],
    );
  const [newcomer, supporter, former] = [
    await user('newcomer'),
    await user('supporter'),
    await user('former'),
  ];
  await client.query(
    `INSERT INTO supports (environment_id, user_id, project_id, first_supported_at, last_supported_at)
     VALUES ($1, $2, $3, now(), now())`,
    [environmentId, supporter, projectId],
  );
  await client.query(
    `INSERT INTO supports (environment_id, user_id, project_id, first_supported_at, last_supported_at, ended_at)
     VALUES ($1, $2, $3, now(), now(), now())`,
    [environmentId, former, projectId],
  );
  const add = (id: string, userId: string, completedBy: number | null): Promise<unknown> =>
    client.query(
      `INSERT INTO transactions (environment_id, transaction_id, user_id, project_id, amount_cents, currency, status,
              idempotency_key, created_by_api_key, created_at, completed_at, completed_by_environment_id, completed_by_api_key)
       VALUES ($1, $2, $3, $4, 1000, 'USD', CASE WHEN $5::integer IS NULL THEN 'pending' ELSE 'completed' END, $2, 'k', now(),
               CASE WHEN $5::integer IS NOT NULL THEN now() END, $5, CASE WHEN $5::integer IS NOT NULL THEN 'k' END)`,
      [environmentId, id, userId, projectId, completedBy],
    );
  await add(pending, newcomer, null);
  await add(supported, supporter, null);
  await add(completed, supporter, environmentId);
  await add(anothers, supporter, other);
  await add(resumed, former, null);
  for (const id of [corrected, returned, mistaken]) await add(id, supporter, environmentId);
  await client.query(
    `INSERT INTO corrections (environment_id, transaction_id, completion, completed_at, completed_by_environment_id,
            completed_by_api_key, reason, actor_login, recorded_at)
     VALUES ($1, $2, 1, now(), $1, 'k', 'of the test', 'operator', now())`,
    [environmentId, corrected],
  );
  await client.query(
    `UPDATE transactions SET corrected_at = now() WHERE environment_id = $1 AND transaction_id = $2`,
    [environmentId, corrected],
  );
  const returns = [
    [earlierReturn, completed, 400, 'RT-1'],
    [uuidv7(), returned, 400, 'RT-1'],
    [uuidv7(), returned, 600, 'RT-2'],
  ] as const;
  for (const [returnId, id, amount, reference] of returns) {
    await client.query(
      `INSERT INTO money_returns (environment_id, return_id, transaction_id, kind, code, amount_cents, bank_reference,
              recorded_by_environment_id, recorded_by_api_key)
       VALUES ($1, $2, $3, 'return', 'R01', $4, $5, $1, 'k')`,
      [environmentId, returnId, id, amount, reference],
    );
    await client.query(
      `UPDATE transactions SET returned_cents = returned_cents + $3 WHERE environment_id = $1 AND transaction_id = $2`,
      [environmentId, id, amount],
    );
  }
  await client.query(
    `INSERT INTO webhook_endpoints (environment_id, endpoint_id, environment_kind, slot, url, types, created_at,
            updated_at, secret_version, key_version, position, lease_id, failure_count, probe_count, notice_count)
     VALUES ($1, $2, 'test', 1, 'https://app.example.com/', '{}', '2026-01-01Z', '2026-01-01Z', 1, 1, 0, $3, 0, 0, 0)`,
    [environmentId, endpointId, leaseId],
  );
  await client.query(
    `INSERT INTO statement_accounts (environment_id, account_id, account_hmac, direction)
     VALUES ($1, $2, decode('00', 'hex'), 'credit')`,
    [environmentId, account],
  );
  await client.query(
    `INSERT INTO statement_uploads (environment_id, upload_id, state, options_hmac, pepper_version, sha256,
            byte_count, chunk_count, next_attempt_at, claim_id, claimed_until)
     VALUES ($1, $2, 'reading', '', 1, '', 1, 1, '2026-01-01Z', $2, '2026-01-01Z')`,
    [environmentId, leaseId],
  );
  await client.query(
    `INSERT INTO bank_statements (environment_id, statement_id, file_id, account_id, format, is_final, first_day,
            last_day, start_ms, end_ms, is_period_stated, covers_to, change_cents, is_damaged, digest)
     VALUES ($1, $3, $3, $2, 'csv', true, '2026-11-02', '2026-11-02', 0, 0, true, '2026-11-02', 0, false, '')`,
    [environmentId, account, earlierReturn],
  );
  await client.query(
    `INSERT INTO statement_days (environment_id, account_id, day, statement_id, before_cents, change_cents)
     VALUES ($1, $2, '2026-11-02', $3, 0, 0)`,
    [environmentId, account, earlierReturn],
  );
  await client.query(
    `INSERT INTO account_days (environment_id, account_id, day, generation, version, format, change_cents, summary,
            chosen_in, question)
     VALUES ($1, $2, '2026-11-02', 1, 'v', 'csv', 0, '{}', 1, '{"kind": "two_versions", "versions": ["v", "w"]}')`,
    [environmentId, account],
  );
  await client.query(
    `INSERT INTO statement_lines (environment_id, statement_id, number, account_id, day, bucket, direction, amount_cents,
            charges_cents, ids, content, digest, search, is_part, money_hash, batch_hash, code)
     VALUES ($1, $3, 1, $2, '2026-11-02', 1, 'debit', 500, 0, '', '', '', '{}', false, 1, 1, 'CHRG')`,
    [environmentId, account, earlierReturn],
  );
  await client.query(
    `INSERT INTO line_outcomes (environment_id, account_id, day, bucket, statement_id, number, part, state, entry_id,
            outcome, direction, amount_cents, digest, content, occurrence)
     VALUES ($1, $2, '2026-11-02', 1, $3, 1, 0, 'counted', $3, 'returned', 'debit', 500, '', '', 1)`,
    [environmentId, account, earlierReturn],
  );
  await client.query(
    `INSERT INTO statement_accounts (environment_id, account_id, account_hmac, direction)
     VALUES ($1, $2, decode('01', 'hex'), 'credit')`,
    [environmentId, earlierReturn],
  );
  await client.query(
    `INSERT INTO line_allocations (environment_id, account_id, day, bucket, entry_id, transaction_id,
            transaction_environment_id, kind, amount_cents, charges_cents, expected_cents, confidence, state)
     VALUES ($1, $2, '2026-11-02', 1, $4, $3, $1, 'return', 500, 0, 1000, 'exact', 'confirmed')`,
    [environmentId, account, completed, earlierReturn],
  );
  await client.query(
    `INSERT INTO contribution_money (environment_id, transaction_id, transaction_environment_id, expected_cents,
            returned_cents, other_returned_cents)
     VALUES ($1, $2, $1, 1000, 500, 500)`,
    [environmentId, completed],
  );
  await client.query(
    `INSERT INTO statement_accounts (environment_id, account_id, account_hmac, direction)
     VALUES ($1, $2, decode('02', 'hex'), 'credit'), ($1, $3, decode('03', 'hex'), 'credit')`,
    [other, account, earlierReturn],
  );
  return { environmentId, otherEnvironmentId: other, projectId, apiKey };
}

/** Calls that store steps of the work of a day. */
function dayCalls(environmentId: number, queries: ReadonlyMap<string, string>): FunctionCall[] {
  const buckets = '1'.repeat(1_024);
  const chosen = {
    ...{
      version: 'v',
      format: 'csv',
      problem: null,
      opening_cents: '1',
      closing_cents: '2',
      change_cents: '1',
    },
    ...{ summary: {}, question: null },
  };
  const day = [environmentId, account, '2026-11-02', 1];
  return [
    {
      situation: 'the version of a day',
      text: queries.get('choose_day_version') ?? '',
      values: [...day, [earlierReturn], JSON.stringify(chosen), 1, null],
    },
    {
      situation: 'a version of a day that replaces another one',
      text: queries.get('choose_day_version') ?? '',
      values: [
        ...day,
        [earlierReturn],
        JSON.stringify(chosen),
        1,
        JSON.stringify({ gone: 1, added: 0, event_id: uuidv7() }),
      ],
    },
    {
      situation: 'the dependent lines of a day',
      text: queries.get('spread_day_chunk') ?? '',
      values: [...day, buckets],
    },
    {
      situation: 'all days of an environment',
      text: queries.get('mark_all_days') ?? '',
      values: [environmentId],
    },
    {
      situation: 'the days of a reference',
      text: queries.get('mark_days_of_references') ?? '',
      values: [environmentId, ['REF-1']],
    },
  ];
}

/** Calls that record what persons decide about lines, days, months and accounts. */
function decisionCalls(
  { environmentId, otherEnvironmentId }: StoredContributions,
  queries: ReadonlyMap<string, string>,
): FunctionCall[] {
  const decision = {
    ...{
      entry_id: earlierReturn,
      decision_id: uuidv7(),
      allocations: [],
      reason: 'r',
      money_hash: '1',
      seen: null,
    },
  };
  const seen = { account_id: account, day: '2026-11-02', generation: 1 };
  const call = (situation: string, name: string, ...values: unknown[]): FunctionCall => ({
    ...{ situation, text: queries.get(name) ?? '', values: [environmentId, ...values] },
  });
  return [
    ...['ignore', 'accept_difference', 'undo'].map((action) =>
      call(
        `decisions about lines: ${action}`,
        'decide_lines',
        JSON.stringify([{ ...decision, action }]),
        'k',
      ),
    ),
    ...[
      { kind: 'undo', reason: 'r' },
      { kind: 'accept', gap: 'v', reason: 'r' },
      { kind: 'all_lines', among: ['v', 'w'], reason: 'r', remember: 'newest' },
    ].map((answer) =>
      call(
        `an answer about a day: ${answer.kind}`,
        'answer_day',
        account,
        '2026-11-02',
        JSON.stringify(answer),
        'k',
      ),
    ),
    call('a rule of an account', 'set_account_rule', account, 'debit', 'CHRG', 'charge', 'r', 'k'),
    {
      situation: 'a further number of an account',
      text: queries.get('add_account_number') ?? '',
      values: [otherEnvironmentId, account, earlierReturn, 'r', 'k'],
    },
    {
      situation: 'a further number that is taken back',
      text: queries.get('remove_account_number') ?? '',
      values: [otherEnvironmentId, account, earlierReturn],
    },
    call(
      'the settings of an account',
      'set_account_settings',
      account,
      JSON.stringify({ complete_coverage: true, grace_days: 3, direction: 'debit' }),
    ),
    call('the numbers of a month', 'month_numbers', '2026-11-01'),
    {
      // In this environment, no file is being read.
      situation: 'a month that is closed',
      text: queries.get('close_month') ?? '',
      values: [otherEnvironmentId, '2026-12-01', 'k', 'r', '[]'],
    },
    call('a month that has changed', 'close_month', '2026-11-01', 'k', 'r', JSON.stringify([seen])),
    call('a month that is reopened', 'reopen_month', '2026-11-01', 'k', 'r'),
  ];
}

/** A call that replaces the allocations of a day by one, which pays a contribution. */
function putChunk(environmentId: number, text: string, state: string): FunctionCall {
  const allocation = {
    ...{
      bucket: 1,
      entry_id: earlierReturn,
      transaction_id: completed,
      transaction_environment_id: environmentId,
    },
    ...{ kind: 'payment', amount_cents: 900, charges_cents: 100, expected_cents: 1000, confidence: 'exact' },
    state,
  };
  const outcome = {
    ...{
      bucket: 1,
      statement_id: earlierReturn,
      number: 1,
      part: 0,
      state: 'counted',
      entry_id: earlierReturn,
    },
    ...{
      outcome: 'matched',
      decision_entry_id: null,
      direction: 'credit',
      amount_cents: 900,
      charges_cents: 100,
    },
    ...{
      digest: 'digest',
      content: 'content',
      occurrence: 1,
      term: 'matched',
      term_cents: 900,
      fee_cents: 0,
    },
  };
  return {
    situation: `a chunk of a day with allocations: ${state}`,
    text,
    values: [
      ...[environmentId, account, '2026-11-02', 1, '1'.repeat(1_024)],
      JSON.stringify(state === 'none' ? [] : [outcome]),
      JSON.stringify(state === 'none' ? [] : [allocation]),
    ],
  };
}

/** A statement of one day, and this day. */
function publishedStatement(): string[] {
  const statement = {
    ...{ statement_id: leaseId, file_id: uuidv7(), account_id: account, format: 'csv', is_final: true },
    ...{ first_day: '2026-11-02', last_day: '2026-11-02', start_ms: 0, end_ms: 86_400_000 },
    ...{ is_period_stated: true, covers_to: '2026-11-02', change_cents: 0, is_damaged: false, digest: '' },
  };
  const day = {
    ...{ account_id: account, day: '2026-11-02', statement_id: leaseId },
    ...{ before_cents: 0, change_cents: 0 },
  };
  return [JSON.stringify([statement]), JSON.stringify([day])];
}

/** Calls that reach every query of the functions. */
export function callsOfFunctions(
  stored: StoredContributions,
  queries: ReadonlyMap<string, string>,
): FunctionCall[] {
  const { environmentId, projectId, apiKey } = stored;
  const create = (situation: string, userHash: string, name: string | null, key: string | null) => ({
    situation: `a create ${situation}`,
    text: queries.get('create_transaction') ?? '',
    values: [environmentId, idOf(9), projectId, 1000, userHash, name, key, apiKey, uuidv7()],
  });
  const complete = (situation: string, id: string, amount: number | null, reference: string | null) => ({
    situation: `a completion ${situation}`,
    text: queries.get('complete_transaction') ?? '',
    values: [environmentId, apiKey, tag, id, amount, reference, null, uuidv7()],
  });
  const moneyReturn = (
    situation: string,
    id: string,
    amount: number,
    reference: string,
    undoes: string | null,
  ) => ({
    situation: `a return ${situation}`,
    text: queries.get('record_return') ?? '',
    values: [
      environmentId,
      apiKey,
      tag,
      id,
      uuidv7(),
      undoes,
      undoes === null ? 'return' : 'paid_again',
      'R01',
      amount,
      reference,
      '2026-01-31',
      uuidv7(),
    ],
  });
  const correct = (situation: string, id: string) => ({
    situation: `a correction ${situation}`,
    text: queries.get('correct_contribution') ?? '',
    values: [environmentId, apiKey, tag, id, 'wrong contribution', null, uuidv7()],
  });
  const batch = {
    settings: '2026-01-01Z',
    position: 1,
    has_success: true,
    continues: true,
    disabled_reason: null,
    health: {
      failure_count: 1,
      failing_since: 'now',
      next_probe_seconds: 5,
      probe_count: 1,
      notice_count: 0,
    },
    health_notices: [
      {
        event_id: uuidv7(),
        type: 'webhook_endpoint.recovered',
        data: { endpoint_id: endpointId, failing_since: null, disables_at: null, disabled_reason: null },
      },
    ],
    exhausted_notices: [
      {
        event_id: uuidv7(),
        type: 'webhook_delivery.exhausted',
        data: {
          ...{ endpoint_id: endpointId, event_id: uuidv7(), event_type: 'contribution.created' },
          ...{ transaction_id: pending, attempts: 12, failure: 'status', status: 500 },
        },
      },
    ],
    ends_failures: true,
    ends_outage: true,
    attempts: [
      {
        ...{ attempt_id: uuidv7(), event_id: uuidv7(), ended_ms_ago: 1, kind: 'first', attempt: 1 },
        ...{ outcome: 'failed', failure: 'status', status: 500, duration_ms: 1, response: '' },
      },
    ],
    delivered: [
      {
        ...{ first_attempt_id: uuidv7(), first_sequence: 1, last_sequence: 1, sequence_offsets: [0] },
        ...{ statuses: [204], started_ms_ago: [1], durations_ms: [1] },
      },
    ],
    postponed: [
      {
        ...{ event_id: uuidv7(), sequence: 1, transaction_id: pending, attempts: 1, outage_attempts: 1 },
        wait_seconds: 5,
      },
    ],
    rescheduled: [{ event_id: uuidv7(), attempts: 1, outage_attempts: 1, wait_seconds: 5 }],
    removed: [uuidv7()],
    exhausted: [uuidv7()],
  };
  return [
    {
      situation: 'an added endpoint',
      text: queries.get('add_webhook_endpoint') ?? '',
      values: [environmentId, uuidv7(), 2, 'https://app.example.com/second', [], null, 1],
    },
    {
      situation: 'a claim of an endpoint',
      text: queries.get('claim_webhook_endpoint') ?? '',
      values: [environmentId, endpointId, leaseId],
    },
    {
      situation: 'a batch of deliveries',
      text: queries.get('settle_webhook_batch') ?? '',
      values: [environmentId, endpointId, leaseId, JSON.stringify(batch)],
    },
    create('of a new user', 'somebody', 'Ben', 'a-key'),
    create('that renames a user', 'newcomer', 'Bea', null),
    create('that is repeated', 'newcomer', null, pending),
    complete('of a new supporter', pending, 1000, 'FT-1'),
    complete('of an earlier supporter', supported, null, null),
    complete('that is repeated', completed, null, null),
    complete('with another reference', completed, null, 'FT-2'),
    complete('with another amount', pending, 999, null),
    complete('that is contested', anothers, null, null),
    complete('of an unknown id', idOf(8), null, null),
    complete('that resumes a support', resumed, 1000, 'FT-3'),
    complete('of a corrected contribution', corrected, 1000, 'FT-4'),
    complete('of a corrected contribution without a reference', corrected, null, null),
    complete('that pays all returns again', returned, 1000, 'FT-5'),
    complete('that is repeated after all returns', returned, 1000, 'RT-2'),
    {
      situation: 'completions in a set, of contributions whose net amount is zero',
      text: 'SELECT outcomes FROM complete_contributions_of($1, $1, $2, $3, $4, $5, $6, $7, false)',
      values: [
        ...[environmentId, apiKey, [corrected, returned], [1000, 1000], ['FT-4', 'FT-4']],
        ...[
          [null, null],
          [uuidv7(), uuidv7()],
        ],
      ],
    },
    correct('of a completion', mistaken),
    correct('that is repeated', corrected),
    correct('of a contribution with a return', completed),
    correct('of a pending contribution', pending),
    correct('of a contribution that another completed', anothers),
    correct('of an unknown id', idOf(8)),
    {
      situation: 'a correction by the environment of the contribution',
      text: 'SELECT * FROM correct_contribution_of($1, $1, $2, NULL, $3, $4, $5, $6)',
      values: [environmentId, apiKey, mistaken, 'wrong contribution', new Date(), uuidv7()],
    },
    moneyReturn('in part', completed, 100, 'RT-2', null),
    moneyReturn('of the rest', completed, 600, 'RT-2', null),
    moneyReturn('that is repeated', completed, 400, 'RT-1', null),
    moneyReturn('that is repeated with another amount', completed, 401, 'RT-1', null),
    moneyReturn('that exceeds the amount', completed, 601, 'RT-2', null),
    moneyReturn('that is undone', completed, 400, 'PA-1', earlierReturn),
    moneyReturn('that is undone with too much', completed, 401, 'PA-1', earlierReturn),
    moneyReturn('that is unknown and undone', completed, 1, 'PA-1', uuidv7()),
    moneyReturn('of a pending contribution', pending, 1000, 'RT-2', null),
    moneyReturn('of a contribution that another completed', anothers, 1000, 'RT-2', null),
    moneyReturn('of an unknown id', idOf(8), 1000, 'RT-2', null),
    ...['none', 'proposed', 'confirmed'].map((state) =>
      putChunk(environmentId, queries.get('put_day_chunk') ?? '', state),
    ),
    {
      situation: 'a published statement',
      text: queries.get('publish_statements') ?? '',
      values: [environmentId, ...publishedStatement()],
    },
    ...dayCalls(environmentId, queries),
    ...decisionCalls(stored, queries),
    {
      situation: 'a voided file of statements',
      text: queries.get('void_statements') ?? '',
      values: [environmentId, earlierReturn, 'wrong file'],
    },
    ...[leaseId, earlierReturn].map((claimId) => ({
      situation: `an upload under the claim ${claimId}`,
      text: queries.get('publish_upload') ?? '',
      values: [
        ...[environmentId, leaseId, claimId],
        JSON.stringify({ format: 'csv', version: null, lines: 1, problems: [] }),
        ...publishedStatement(),
      ],
    })),
    {
      situation: 'a settlement list',
      text: queries.get('put_settlement_list') ?? '',
      values: [
        environmentId,
        'FT-1',
        Buffer.from('digest'),
        JSON.stringify([{ transaction_id: pending, amount_cents: 1000 }]),
        'cpk_test_x',
      ],
    },
  ];
}

/** Calls that only operators may make. */
export const callsOfOperators = (): FunctionCall[] => [
  {
    situation: 'a correction by an operator',
    text: 'SELECT * FROM correct_contribution_as_operator($1, $2, $3)',
    values: [anothers, 'wrong contribution', uuidv7()],
  },
];
