import { change, findsReturned, returnedRow, type Corruption, type CorruptedWorld } from './corruption';

const rules = 'return-within-rules';
const recorded = 'return-recorded';

const returnRow = (ids: CorruptedWorld): string => `${returnedRow(ids)} AND undoes IS NULL`;
const undoRow = (ids: CorruptedWorld): string => `${returnedRow(ids)} AND undoes IS NOT NULL`;
const returnEvent = (ids: CorruptedWorld): string => `${returnedRow(ids)} AND type = 'contribution.returned'`;

/** Changes a return and its event in the same way. */
const changeBoth =
  (set: string, evidence: string, without: readonly string[] = []) =>
  (ids: CorruptedWorld): string =>
    `${change('money_returns', set, returnRow, without)(ids)};
     ${change('events', `evidence = evidence || '${evidence}'`, returnEvent)(ids)}`;

const otherKeyPair = ({ bankEnvironmentId }: CorruptedWorld): string =>
  `(SELECT api_key FROM key_pairs WHERE environment_id = ${bankEnvironmentId})`;

export const returnPlants: readonly Corruption[] = [
  {
    check: 'returned-amount-agrees',
    problem: 'its returned amount does not match its returns',
    sql: change('transactions', 'returned_cents = returned_cents + 1', returnedRow),
    finds: findsReturned,
    also: ['project-figures-agree', 'contribution-totals-agree'],
  },
  {
    check: rules,
    problem: 'its amount is out of bounds',
    sql: changeBoth('amount_cents = 100000000001', '{"amount_cents": 100000000001}', [
      'money_returns_amount_bounds',
    ]),
    finds: findsReturned,
    also: ['returned-amount-agrees', 'contribution-totals-agree'],
  },
  {
    check: rules,
    problem: 'its kind is unknown',
    sql: changeBoth(`kind = 'loss'`, '{"kind": "loss"}', ['money_returns_kind_known']),
    finds: findsReturned,
  },
  {
    check: rules,
    problem: 'its kind is unknown',
    sql: changeBoth(`kind = 'paid_again'`, '{"kind": "paid_again"}', ['money_returns_kind_known']),
    finds: findsReturned,
  },
  {
    check: rules,
    problem: 'it has no bank reference',
    sql: changeBoth(`bank_reference = ''`, '{"bank_reference": ""}', ['money_returns_bank_reference_length']),
    finds: findsReturned,
  },
  {
    check: rules,
    problem: 'its transaction does not exist',
    sql: (ids) => {
      const missing = `${ids.returned.slice(0, 14)}${ids.returned.endsWith('0') ? '1' : '0'}`;
      return `UPDATE money_returns SET transaction_id = '${missing}' WHERE ${returnedRow(ids)};
              UPDATE events SET transaction_id = '${missing}' WHERE ${returnedRow(ids)} AND type LIKE '%return%';
              UPDATE transactions SET returned_cents = 0 WHERE ${returnedRow(ids)}`;
    },
    finds: ({ environmentId, returned }) =>
      [1, 2].map(() => ({
        environment_id: environmentId,
        transaction_id: `${returned.slice(0, 14)}${returned.endsWith('0') ? '1' : '0'}`,
      })),
    also: ['event-has-transaction', 'project-figures-agree'],
  },
  {
    check: rules,
    problem: 'its transaction is not completed',
    sql: (ids) =>
      `ALTER TABLE transactions DROP CONSTRAINT transactions_returned_only_when_completed;
       UPDATE transactions SET status = 'pending', completed_at = NULL, completed_by_environment_id = NULL,
              completed_by_api_key = NULL, bank_reference = NULL, value_date = NULL
        WHERE ${returnedRow(ids)}`,
    finds: (ids) => [...findsReturned(ids), ...findsReturned(ids)],
    also: [
      ...['transaction-within-rules', 'completion-recorded', 'project-figures-agree'],
      'contribution-totals-agree',
    ],
  },
  {
    check: rules,
    problem: 'it was recorded by an environment that did not complete the transaction',
    sql: (ids) =>
      `UPDATE money_returns SET recorded_by_environment_id = ${ids.bankEnvironmentId},
              recorded_by_api_key = ${otherKeyPair(ids)} WHERE ${returnRow(ids)};
       UPDATE events SET actor_environment_id = ${ids.bankEnvironmentId}, actor_api_key = ${otherKeyPair(ids)}
        WHERE ${returnEvent(ids)}`,
    finds: findsReturned,
  },
  {
    check: rules,
    problem: 'the key pair that recorded it does not belong to the environment that recorded it',
    sql: (ids) =>
      `UPDATE money_returns SET recorded_by_api_key = ${otherKeyPair(ids)} WHERE ${returnRow(ids)};
       UPDATE events SET actor_api_key = ${otherKeyPair(ids)} WHERE ${returnEvent(ids)}`,
    finds: findsReturned,
  },
  {
    check: rules,
    problem: 'it undoes a return that does not exist',
    sql: (ids) =>
      `DELETE FROM money_returns WHERE ${returnRow(ids)}; DELETE FROM events WHERE ${returnEvent(ids)}`,
    finds: findsReturned,
    also: ['returned-amount-agrees', 'contribution-totals-agree'],
  },
  {
    check: rules,
    problem: 'it undoes a return of another transaction',
    sql: (ids) =>
      `UPDATE money_returns SET transaction_id = '${ids.completed}' WHERE ${returnRow(ids)};
       UPDATE events SET transaction_id = '${ids.completed}' WHERE ${returnEvent(ids)}`,
    finds: findsReturned,
    also: ['returned-amount-agrees'],
  },
  {
    check: rules,
    problem: 'it undoes an undo',
    sql: (ids) =>
      `INSERT INTO money_returns
       SELECT environment_id, gen_random_uuid(), transaction_id, return_id, kind, code, amount_cents, 'PA-2', value_date,
              recorded_by_environment_id, recorded_by_api_key, recorded_at
         FROM money_returns WHERE ${undoRow(ids)}`,
    finds: findsReturned,
    also: ['returned-amount-agrees', recorded],
  },
  {
    check: rules,
    problem: 'more of it was undone than was returned',
    sql: (ids) =>
      `UPDATE money_returns SET amount_cents = 235 WHERE ${undoRow(ids)};
       UPDATE events SET evidence = evidence || '{"amount_cents": 235}'
        WHERE ${returnedRow(ids)} AND type = 'contribution.return_undone'`,
    finds: findsReturned,
    also: ['returned-amount-agrees', 'contribution-totals-agree'],
  },
  {
    check: recorded,
    problem: 'the return has no event',
    sql: (ids) => `DELETE FROM events WHERE ${returnEvent(ids)}`,
    finds: findsReturned,
    also: ['contribution-totals-agree'],
  },
  {
    check: recorded,
    problem: 'the event has no return',
    sql: (ids) =>
      `INSERT INTO events (environment_id, event_id, transaction_id, type, actor_environment_id, actor_api_key, evidence)
       SELECT environment_id, gen_random_uuid(), transaction_id, type, actor_environment_id, actor_api_key,
              evidence || '{"return_id": "019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b"}'
         FROM events WHERE ${returnEvent(ids)}`,
    finds: findsReturned,
    also: ['event-in-feed'],
  },
  {
    check: recorded,
    problem: 'the return has more than one event',
    sql: (ids) =>
      `INSERT INTO events (environment_id, event_id, transaction_id, type, actor_environment_id, actor_api_key, evidence)
       SELECT environment_id, gen_random_uuid(), transaction_id, type, actor_environment_id, actor_api_key, evidence
         FROM events WHERE ${returnEvent(ids)}`,
    finds: (ids) => [...findsReturned(ids), ...findsReturned(ids)],
    also: ['event-in-feed'],
  },
  ...[
    `evidence = evidence || '{"amount_cents": 1}'`,
    `evidence = evidence || '{"bank_reference": "RT-2"}'`,
    `evidence = evidence - 'code'`,
    `type = 'contribution.return_undone'`,
    `actor_api_key = 'k'`,
  ].map((set): Corruption => ({
    check: recorded,
    problem: 'the event does not match its return',
    sql: change('events', set, returnEvent),
    finds: findsReturned,
    // The totals count the events.
    also: /amount_cents|^type/.test(set) ? ['contribution-totals-agree'] : [],
  })),
];
