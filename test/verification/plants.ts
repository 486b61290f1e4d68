/** What there is before anything is planted; ids as the database has them. */
export interface Planted {
  environmentId: number;
  bankEnvironmentId: number;
  testEnvironmentId: number;
  pending: string;
  completed: string;
  completedByBank: string;
}

/** One way of breaking a rule, as no request, no command and no migration ever does it. */
export interface Plant {
  readonly check: string;
  readonly problem: string;
  /** Run by a superuser with triggers and foreign keys off. */
  readonly sql: (ids: Planted) => string;
  /** The transaction that is to be named, where one is concerned. */
  readonly names?: (ids: Planted) => string;
}

const ofPending = ({ pending }: Planted): string => pending;
const ofCompleted = ({ completed }: Planted): string => completed;
const pendingRow = ({ environmentId, pending }: Planted): string =>
  `environment_id = ${environmentId} AND transaction_id = '${pending}'`;
const completedRow = ({ environmentId, completed }: Planted): string =>
  `environment_id = ${environmentId} AND transaction_id = '${completed}'`;

function change(table: string, set: string, row: (ids: Planted) => string, without: string[] = []) {
  return (ids: Planted): string =>
    [
      ...without.map((constraint) => `ALTER TABLE ${table} DROP CONSTRAINT ${constraint}`),
      `UPDATE ${table} SET ${set} WHERE ${row(ids)}`,
    ].join('; ');
}

const copyOf =
  (table: string, row: (ids: Planted) => string, without: string[]) =>
  (ids: Planted): string =>
    [...without, `INSERT INTO ${table} SELECT * FROM ${table} WHERE ${row(ids)}`].join('; ');

/** An INSERT cannot give the generated column. */
const transactionColumns = `environment_id, transaction_id, user_id, project_id, amount_cents, currency, status, idempotency_key,
  created_by_api_key, created_at`;
const createdEvent = (ids: Planted): string => `${pendingRow(ids)} AND type = 'contribution.created'`;
const completedEvent = (ids: Planted): string => `${completedRow(ids)} AND type = 'contribution.completed'`;
const supportOf = ({ environmentId }: Planted): string => `environment_id = ${environmentId}`;

export const plants: readonly Plant[] = [
  {
    check: 'transaction-within-rules',
    problem: 'its amount is out of bounds',
    sql: (ids) =>
      `${change('transactions', 'amount_cents = 0', pendingRow, ['transactions_amount_bounds'])(ids)};
       UPDATE events SET evidence = evidence || '{"amount_cents": 0}' WHERE ${pendingRow(ids)}`,
    names: ofPending,
  },
  {
    check: 'transaction-within-rules',
    problem: 'its currency is unknown',
    sql: change('transactions', `currency = 'EUR'`, pendingRow, ['transactions_currency_known']),
    names: ofPending,
  },
  {
    check: 'transaction-within-rules',
    problem: 'its status is unknown',
    sql: change('transactions', `status = 'refunded'`, pendingRow, ['transactions_status_known']),
    names: ofPending,
  },
  {
    check: 'transaction-within-rules',
    problem: 'not said when and by whom',
    sql: (ids) =>
      `${change('transactions', `status = 'completed'`, pendingRow, ['transactions_completed_has_time'])(ids)};
       INSERT INTO events (environment_id, event_id, transaction_id, type, actor_environment_id, actor_api_key, evidence)
       SELECT environment_id, gen_random_uuid(), transaction_id, 'contribution.completed', actor_environment_id, actor_api_key, '{}'
         FROM events WHERE ${createdEvent(ids)}`,
    names: ofPending,
  },
  {
    check: 'transaction-within-rules',
    problem: 'has what only a completion leaves',
    sql: change('transactions', `bank_reference = 'FT-1'`, pendingRow, [
      'transactions_evidence_only_when_completed',
    ]),
    names: ofPending,
  },
  {
    check: 'transaction-within-rules',
    problem: 'completed before it was created',
    sql: change('transactions', `created_at = completed_at + interval '1 hour'`, completedRow, [
      'transactions_completed_after_created',
    ]),
    names: ofCompleted,
  },
  {
    check: 'transaction-id-well-formed',
    problem: 'its check character is wrong',
    sql: (ids) =>
      renamed(
        ids,
        `left(transaction_id, 14) || CASE right(transaction_id, 1) WHEN '7' THEN '8' ELSE '7' END`,
      ),
  },
  {
    check: 'transaction-id-well-formed',
    problem: 'has not the form of an id',
    sql: (ids) => renamed(ids, `left(transaction_id, 13)`),
  },
  {
    check: 'transaction-id-well-formed',
    problem: 'has the tag of another environment',
    sql: ({ environmentId }) =>
      `UPDATE environments SET transaction_tag = 'ZZZZ' WHERE environment_id = ${environmentId}`,
    names: ofPending,
  },
  {
    check: 'transaction-id-well-formed',
    problem: 'there more than once',
    sql: (ids) =>
      `ALTER TABLE events DROP CONSTRAINT events_transaction_fkey; ALTER TABLE transactions DROP CONSTRAINT transactions_pkey;
       INSERT INTO transactions (${transactionColumns.replace('idempotency_key,', '')})
       SELECT ${transactionColumns.replace('idempotency_key,', '')} FROM transactions WHERE ${pendingRow(ids)}`,
    names: ofPending,
  },
  {
    check: 'idempotency-key-once',
    problem: 'one idempotency key with',
    sql: (ids) =>
      `ALTER TABLE transactions DROP CONSTRAINT transactions_idempotency_key_key;
       UPDATE transactions SET idempotency_key = 'canary-key' WHERE environment_id = ${ids.environmentId}`,
  },
  {
    check: 'transaction-belongs-together',
    problem: 'its user does not exist',
    sql: change('transactions', 'user_id = 999999', pendingRow),
    names: ofPending,
  },
  {
    check: 'transaction-belongs-together',
    problem: 'its project does not exist',
    sql: (ids) =>
      `${change('transactions', 'project_id = 999999', pendingRow)(ids)};
       UPDATE events SET evidence = evidence || '{"project_id": 999999}' WHERE ${createdEvent(ids)}`,
    names: ofPending,
  },
  {
    check: 'transaction-belongs-together',
    problem: 'created by a key pair that is not of its environment',
    sql: (ids) => {
      const other = `(SELECT api_key FROM key_pairs WHERE environment_id = ${ids.bankEnvironmentId} LIMIT 1)`;
      return `UPDATE transactions SET created_by_api_key = ${other} WHERE ${pendingRow(ids)};
        UPDATE events SET actor_api_key = ${other} WHERE ${createdEvent(ids)}`;
    },
    names: ofPending,
  },
  {
    check: 'transaction-belongs-together',
    problem: 'completed by a key pair that is not of the environment that completed it',
    sql: (ids) =>
      `UPDATE transactions SET completed_by_api_key = 'cpk_test_unknown' WHERE ${completedRow(ids)};
       UPDATE events SET actor_api_key = 'cpk_test_unknown' WHERE ${completedEvent(ids)}`,
    names: ofCompleted,
  },
  {
    check: 'completed-by-right',
    problem: 'its own environment completed it although a bank was linked',
    sql: ({ environmentId, bankEnvironmentId }) =>
      `INSERT INTO bank_links (environment_id, bank_environment_id, kind, linked_at)
       VALUES (${environmentId}, ${bankEnvironmentId}, 'production', now() - interval '1 day')`,
    names: ofCompleted,
  },
  {
    check: 'completed-by-right',
    problem: 'was not its bank',
    sql: () => 'DELETE FROM bank_links',
    names: ({ completedByBank }) => completedByBank,
  },
  {
    check: 'creation-recorded',
    problem: 'it has no contribution.created event',
    sql: (ids) => `DELETE FROM events WHERE ${createdEvent(ids)}`,
    names: ofPending,
  },
  {
    check: 'creation-recorded',
    problem: 'it has more than one contribution.created event',
    sql: copyOf('events', createdEvent, [
      'ALTER TABLE events DROP CONSTRAINT events_pkey',
      'DROP INDEX events_once_per_transaction',
    ]),
    names: ofPending,
  },
  {
    check: 'creation-recorded',
    problem: 'its contribution.created event tells something else',
    sql: change('transactions', 'amount_cents = amount_cents + 1', pendingRow),
    names: ofPending,
  },
  {
    check: 'completion-recorded',
    problem: 'it is completed and has no contribution.completed event',
    sql: (ids) => `DELETE FROM events WHERE ${completedEvent(ids)}`,
    names: ofCompleted,
  },
  {
    check: 'completion-recorded',
    problem: 'it has more than one contribution.completed event',
    sql: copyOf('events', completedEvent, [
      'ALTER TABLE events DROP CONSTRAINT events_pkey',
      'DROP INDEX events_once_per_transaction',
    ]),
    names: ofCompleted,
  },
  {
    check: 'completion-recorded',
    problem: 'it has a contribution.completed event and is not completed',
    sql: (ids) =>
      `UPDATE transactions SET status = 'pending', completed_at = NULL, completed_by_environment_id = NULL,
         completed_by_api_key = NULL, bank_reference = NULL, value_date = NULL WHERE ${completedRow(ids)};
       DELETE FROM supports WHERE environment_id = ${ids.environmentId}`,
    names: ofCompleted,
  },
  {
    check: 'completion-recorded',
    problem: 'its contribution.completed event tells something else',
    sql: change('transactions', `bank_reference = 'FT-other'`, completedRow),
    names: ofCompleted,
  },
  {
    check: 'event-has-transaction',
    problem: 'its transaction does not exist',
    sql: (ids) => `DELETE FROM transactions WHERE ${pendingRow(ids)}`,
    names: ofPending,
  },
  {
    check: 'event-has-transaction',
    problem: 'its type is unknown',
    sql: (ids) =>
      `ALTER TABLE events DROP CONSTRAINT events_type_known;
       INSERT INTO events SELECT environment_id, gen_random_uuid(), transaction_id, 'contribution.vanished', actor_environment_id,
         actor_api_key, '{}', recorded_at FROM events WHERE ${createdEvent(ids)}`,
    names: ofPending,
  },
  {
    check: 'support-agrees',
    problem: 'a completed transaction without its support',
    sql: (ids) => `DELETE FROM supports WHERE ${supportOf(ids)}`,
  },
  {
    check: 'support-agrees',
    problem: 'a support without a completed transaction',
    sql: (ids) =>
      `INSERT INTO supports SELECT environment_id, user_id, project_id + 1, first_supported_at, last_supported_at
         FROM supports WHERE ${supportOf(ids)}`,
  },
  {
    check: 'support-agrees',
    problem: 'a support without a completed transaction of a user who is remembered',
    sql: (ids) =>
      `UPDATE users SET forgotten_at = now(), user_hash = NULL, first_name = NULL WHERE environment_id = ${ids.environmentId}`,
  },
  {
    check: 'support-agrees',
    problem: 'a support that is there more than once',
    sql: copyOf('supports', supportOf, ['ALTER TABLE supports DROP CONSTRAINT supports_pkey']),
  },
  {
    check: 'support-agrees',
    problem: 'a support with other times',
    sql: change('supports', `first_supported_at = first_supported_at - interval '1 second'`, supportOf),
  },
  {
    check: 'forgotten-user-emptied',
    problem: 'something is left of a forgotten user',
    sql: (ids) =>
      `ALTER TABLE users DROP CONSTRAINT users_emptied_when_forgotten;
       UPDATE users SET forgotten_at = now() WHERE environment_id = ${ids.environmentId};
       DELETE FROM supports WHERE ${supportOf(ids)}`,
  },
  {
    check: 'user-once',
    problem: 'one user_hash with',
    sql: (ids) =>
      `ALTER TABLE users DROP CONSTRAINT users_user_hash_key;
       INSERT INTO users (environment_id, user_hash) SELECT environment_id, user_hash FROM users
        WHERE environment_id = ${ids.environmentId} LIMIT 1`,
  },
  {
    check: 'link-within-kind',
    problem: 'a test environment is linked with a production environment',
    sql: ({ testEnvironmentId, bankEnvironmentId }) =>
      `INSERT INTO bank_links (environment_id, bank_environment_id, kind) VALUES (${testEnvironmentId}, ${bankEnvironmentId}, 'test')`,
  },
  {
    check: 'link-within-kind',
    problem: 'one of the two environments does not exist',
    sql: ({ testEnvironmentId }) =>
      `INSERT INTO bank_links (environment_id, bank_environment_id, kind) VALUES (${testEnvironmentId}, 999999, 'test')`,
  },
  {
    check: 'link-within-kind',
    problem: 'an environment is linked with itself',
    sql: ({ testEnvironmentId }) =>
      `ALTER TABLE bank_links DROP CONSTRAINT bank_links_not_itself;
       INSERT INTO bank_links (environment_id, bank_environment_id, kind) VALUES (${testEnvironmentId}, ${testEnvironmentId}, 'test')`,
  },
  {
    check: 'link-within-kind',
    problem: 'it ended before it began',
    sql: () =>
      `ALTER TABLE bank_links DROP CONSTRAINT bank_links_unlinked_after_linked;
       UPDATE bank_links SET unlinked_at = linked_at - interval '1 second'`,
  },
  {
    check: 'tag-once',
    problem: 'one tag with the environments',
    sql: ({ testEnvironmentId, bankEnvironmentId }) =>
      `ALTER TABLE environments DROP CONSTRAINT environments_transaction_tag_key;
       UPDATE environments SET transaction_tag =
         (SELECT transaction_tag FROM environments WHERE environment_id = ${testEnvironmentId})
        WHERE environment_id = ${bankEnvironmentId}`,
  },
  {
    check: 'environment-exists',
    problem: 'transactions of an environment that does not exist',
    sql: (ids) => `DELETE FROM environments WHERE environment_id = ${ids.environmentId}`,
  },
];

/** Another id for the pending transaction, in everything that names it. */
function renamed(ids: Planted, id: string): string {
  return `ALTER TABLE transactions DROP CONSTRAINT transactions_id_form;
    UPDATE transactions SET transaction_id = ${id} WHERE ${pendingRow(ids)};
    UPDATE events SET transaction_id = ${id} WHERE ${pendingRow(ids)}`;
}
