import {
  appendToPending,
  change,
  completedEvent,
  completedRow,
  correctedRow,
  createdEvent,
  findsCompleted,
  findsCorrected,
  findsPending,
  pendingRow,
  type Corruption,
  refusedEvent,
  repeatedEvent,
} from './corruption';

const createdDiffers = 'its contribution.created event does not match it';
const completedDiffers = 'its contribution.completed event does not match it';

export const eventPlants: readonly Corruption[] = [
  {
    check: 'creation-recorded',
    problem: 'it has no contribution.created event',
    sql: (ids) => `DELETE FROM events WHERE ${createdEvent(ids)}`,
    finds: findsPending,
    also: ['contribution-totals-agree'],
  },
  {
    check: 'creation-recorded',
    problem: createdDiffers,
    sql: change('transactions', 'amount_cents = amount_cents + 100', pendingRow),
    finds: findsPending,
  },
  ...[
    `evidence = evidence || '{"project_id": 999999}'`,
    `evidence = '{}'`,
    `actor_api_key = 'cpk_test_unknown'`,
    `actor_environment_id = 999999`,
  ].map((set): Corruption => ({
    check: 'creation-recorded',
    problem: createdDiffers,
    sql: change('events', set, createdEvent),
    finds: findsPending,
  })),
  ...(
    [
      [
        'it has no contribution.corrected event',
        (ids) =>
          `DELETE FROM events WHERE ${correctedRow(ids)} AND type = 'contribution.corrected' AND completion = 1`,
        ['contribution-totals-agree'],
      ],
      [
        'its contribution.corrected event has another actor',
        change(
          'corrections',
          `actor_login = 'nobody', actor_api_key = NULL, actor_environment_id = NULL`,
          (ids) => `${correctedRow(ids)} AND completion = 1`,
        ),
      ],
      [
        'the completion that it takes back does not match its contribution.completed event',
        change('corrections', `bank_reference = 'FT-9'`, (ids) => `${correctedRow(ids)} AND completion = 1`),
      ],
      [
        'its transaction does not follow from it',
        change('transactions', `corrected_at = corrected_at + interval '1 second'`, correctedRow),
      ],
      [
        'a contribution.corrected event has no correction',
        (ids) =>
          `UPDATE events SET completion = 3
            WHERE ${correctedRow(ids)} AND type = 'contribution.corrected' AND completion = 2;
           INSERT INTO events SELECT environment_id, gen_random_uuid(), transaction_id, type, actor_environment_id,
                  actor_api_key, evidence, recorded_at, 2, actor_login
             FROM events WHERE ${correctedRow(ids)} AND completion = 3`,
        ['contribution-totals-agree', 'event-in-feed'],
      ],
      [
        'it is corrected or completed again without a correction',
        (ids) =>
          `DELETE FROM corrections WHERE ${correctedRow(ids)} AND completion = 1;
           DELETE FROM events WHERE ${correctedRow(ids)} AND type = 'contribution.corrected' AND completion = 1`,
      ],
    ] as const satisfies readonly (readonly [string, Corruption['sql'], (readonly string[])?])[]
  ).map(([problem, sql, also = []]): Corruption => ({
    check: 'correction-recorded',
    problem,
    sql,
    finds: findsCorrected,
    also,
  })),
  {
    check: 'completion-recorded',
    problem: 'it is completed but has no contribution.completed event',
    sql: (ids) => `DELETE FROM events WHERE ${completedEvent(ids)}`,
    finds: findsCompleted,
    also: ['contribution-totals-agree'],
  },
  {
    check: 'completion-recorded',
    problem: 'it has a contribution.completed event but is not completed',
    sql: appendToPending('contribution.completed', '{}'),
    finds: findsPending,
    also: ['event-in-feed'],
  },
  {
    check: 'completion-recorded',
    problem: completedDiffers,
    sql: change('transactions', `value_date = '2026-11-19'`, completedRow),
    finds: findsCompleted,
  },
  ...[
    `evidence = evidence || '{"amount_cents": 1}'`,
    `evidence = evidence || '{"bank_reference": "FT-9"}'`,
    `evidence = evidence - 'value_date'`,
    `actor_api_key = 'cpk_test_unknown'`,
    `actor_environment_id = 999999`,
  ].map((set): Corruption => ({
    check: 'completion-recorded',
    problem: completedDiffers,
    sql: change('events', set, completedEvent),
    finds: findsCompleted,
  })),
  {
    check: 'event-has-transaction',
    problem: 'its transaction does not exist',
    sql: (ids) => `DELETE FROM transactions WHERE ${pendingRow(ids)}`,
    // The events of its creation and its rejected completion.
    finds: (ids) => [...findsPending(ids), ...findsPending(ids)],
  },
  {
    check: 'event-has-transaction',
    problem: 'its type is unknown',
    sql: (ids) =>
      `ALTER TABLE events DROP CONSTRAINT events_type_known; ${appendToPending('contribution.vanished', '{}')(ids)}`,
    finds: findsPending,
    also: ['event-in-feed'],
  },
  {
    check: 'event-has-transaction',
    problem: 'a completion was rejected although its amount matched',
    sql: change('events', `evidence = evidence || '{"amount_cents": 1234}'`, refusedEvent),
    finds: findsPending,
  },
  {
    check: 'event-has-transaction',
    problem: 'a completion was repeated although the transaction is pending',
    sql: appendToPending('contribution.completion_repeated', '{"bank_reference": "FT-9"}'),
    finds: findsPending,
    also: ['event-in-feed'],
  },
  {
    check: 'event-has-transaction',
    problem: 'a repeated completion was recorded without new evidence',
    sql: change('events', `evidence = evidence || '{"bank_reference": "FT-1"}'`, repeatedEvent),
    finds: findsCompleted,
  },
  {
    check: 'event-has-transaction',
    problem: 'a repeated completion was recorded without new evidence',
    sql: change(
      'events',
      `evidence = '{"bank_reference": "FT-1", "value_date": "2026-11-20"}'`,
      repeatedEvent,
    ),
    finds: findsCompleted,
  },
  {
    check: 'event-has-transaction',
    problem: 'a completion was repeated by an environment that did not complete it',
    sql: (ids) => change('events', `actor_environment_id = ${ids.bankEnvironmentId}`, repeatedEvent)(ids),
    finds: findsCompleted,
  },
  {
    check: 'event-has-transaction',
    problem: 'a completion was contested although the transaction is pending',
    sql: appendToPending('contribution.completion_contested', '{"bank_reference": "FT-9"}'),
    finds: findsPending,
    also: ['event-in-feed'],
  },
  {
    check: 'event-has-transaction',
    problem: 'a completion was contested by the environment that completed it',
    sql: change('events', `type = 'contribution.completion_contested'`, repeatedEvent),
    finds: findsCompleted,
  },
];
