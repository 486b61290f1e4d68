import {
  appendToPending,
  change,
  completedEvent,
  completedRow,
  createdEvent,
  findsCompleted,
  findsPending,
  inEnvironment,
  pendingRow,
  type Corruption,
  type CorruptedWorld,
} from './corruption';

const rules = 'transaction-within-rules';
const form = 'transaction-id-well-formed';
const together = 'transaction-belongs-together';

/** Changes the id of the pending transaction in all tables. */
const rename = (newId: (id: string) => string): Pick<Corruption, 'sql' | 'finds'> => ({
  sql: (ids) =>
    `ALTER TABLE transactions DROP CONSTRAINT transactions_id_form;
     UPDATE transactions SET transaction_id = '${newId(ids.pending)}' WHERE ${pendingRow(ids)};
     UPDATE events SET transaction_id = '${newId(ids.pending)}' WHERE ${pendingRow(ids)}`,
  finds: ({ environmentId, pending }) => [{ environment_id: environmentId, transaction_id: newId(pending) }],
});

const pairOfBank = ({ bankEnvironmentId }: CorruptedWorld): string =>
  `(SELECT api_key FROM key_pairs WHERE environment_id = ${bankEnvironmentId})`;

export const transactionPlants: readonly Corruption[] = [
  {
    check: rules,
    problem: 'its returned amount is out of bounds',
    sql: change('transactions', 'returned_cents = amount_cents + 1', completedRow, [
      'transactions_returned_within_amount',
    ]),
    finds: findsCompleted,
    also: ['returned-amount-agrees', 'project-figures-agree', 'contribution-totals-agree'],
  },
  {
    check: rules,
    problem: 'it is corrected although it is not completed, or money was returned',
    sql: change('transactions', 'corrected_at = now()', pendingRow, [
      'transactions_corrected_without_returns',
    ]),
    finds: findsPending,
    also: ['correction-recorded', 'contribution-totals-agree'],
  },
  {
    check: rules,
    problem: 'money was returned although it is not completed',
    sql: change('transactions', 'returned_cents = 1', pendingRow, [
      'transactions_returned_only_when_completed',
    ]),
    finds: findsPending,
    also: ['returned-amount-agrees', 'contribution-totals-agree'],
  },
  {
    check: rules,
    problem: 'its amount is out of bounds',
    sql: (ids) =>
      `${change('transactions', 'amount_cents = 0', pendingRow, ['transactions_amount_bounds'])(ids)};
       ${change('events', `evidence = evidence || '{"amount_cents": 0}'`, createdEvent)(ids)}`,
    finds: findsPending,
  },
  {
    check: rules,
    problem: 'its amount is out of bounds',
    sql: (ids) =>
      `ALTER TABLE transactions ALTER amount_cents DROP NOT NULL;
       ${change('transactions', 'amount_cents = NULL', pendingRow)(ids)};
       ${change('events', `evidence = evidence - 'amount_cents'`, createdEvent)(ids)}`,
    finds: findsPending,
    // The rejected completion then has no amount to compare with.
    also: ['event-has-transaction'],
  },
  {
    check: rules,
    problem: 'its currency is unknown',
    sql: change('transactions', `currency = 'EUR'`, pendingRow, ['transactions_currency_known']),
    finds: findsPending,
  },
  {
    check: rules,
    problem: 'its status is unknown',
    sql: change('transactions', `status = 'refunded'`, pendingRow, ['transactions_status_known']),
    finds: findsPending,
    also: ['contribution-totals-agree'],
  },
  {
    check: rules,
    problem: 'it is completed without a time, environment or key pair of the completion',
    sql: (ids) =>
      `${change('transactions', `status = 'completed'`, pendingRow, ['transactions_completed_has_time'])(ids)};
       ${appendToPending('contribution.completed', '{}')(ids)}`,
    finds: findsPending,
    also: ['completion-recorded', 'contribution-totals-agree', 'event-in-feed', 'project-figures-agree'],
  },
  {
    check: rules,
    problem: 'it is not completed but has columns of a completion',
    sql: change('transactions', `bank_reference = 'FT-1'`, pendingRow, [
      'transactions_evidence_only_when_completed',
    ]),
    finds: findsPending,
  },
  {
    check: rules,
    problem: 'it was completed before it was created',
    sql: change('transactions', `created_at = completed_at + interval '1 second'`, completedRow, [
      'transactions_completed_after_created',
    ]),
    finds: findsCompleted,
  },
  {
    check: form,
    problem: 'its check character is wrong',
    ...rename((id) => id.slice(0, 14) + (id.endsWith('7') ? '8' : '7')),
  },
  { check: form, problem: 'the transaction_id is malformed', ...rename((id) => id.slice(0, 13)) },
  {
    check: form,
    problem: 'the transaction_id has the tag of another environment',
    sql: change('environments', `transaction_tag = 'Z0Z0'`, inEnvironment),
    finds: ({ environmentId, pending, completed, returned, corrected }) =>
      [pending, completed, returned, corrected]
        .sort()
        .map((id) => ({ environment_id: environmentId, transaction_id: id })),
  },
  {
    check: together,
    problem: 'its user does not exist',
    sql: change('transactions', 'user_id = 999999', pendingRow),
    finds: findsPending,
  },
  {
    check: together,
    problem: 'its project does not exist',
    sql: (ids) =>
      `${change('transactions', 'project_id = 999999', pendingRow)(ids)};
       ${change('events', `evidence = evidence || '{"project_id": 999999}'`, createdEvent)(ids)}`,
    finds: findsPending,
  },
  {
    check: together,
    problem: 'it was created by a key pair of another environment',
    sql: (ids) =>
      `${change('transactions', `created_by_api_key = ${pairOfBank(ids)}`, pendingRow)(ids)};
       ${change('events', `actor_api_key = ${pairOfBank(ids)}`, createdEvent)(ids)}`,
    finds: findsPending,
  },
  ...['cpk_test_unknown', undefined].map((key): Corruption => ({
    check: together,
    problem: 'the key pair that completed it does not belong to the environment that completed it',
    sql: (ids) => {
      const completer = key === undefined ? pairOfBank(ids) : `'${key}'`;
      return `${change('transactions', `completed_by_api_key = ${completer}`, completedRow)(ids)};
        ${change('events', `actor_api_key = ${completer}`, completedEvent)(ids)}`;
    },
    finds: findsCompleted,
  })),
  {
    check: 'time-not-ahead',
    problem: 'its time is in the future by the clock of the database',
    sql: change('transactions', `created_at = now() + interval '1 hour'`, pendingRow),
    finds: findsPending,
  },
];
