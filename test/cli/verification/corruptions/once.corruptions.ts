import {
  completedEvent,
  createdEvent,
  findsCompleted,
  findsPending,
  findsReturned,
  findsSupport,
  inEnvironment,
  pendingRow,
  returnedRow,
  type Corruption,
  type CorruptedWorld,
} from './corruption';

/** A duplicate row, and the statements that drop the unique index that would reject it. */
interface Double extends Corruption {
  /** Drops the unique constraint or index. */
  readonly without: readonly string[];
  readonly table: string;
  /** Inserts the duplicate. */
  readonly double: (ids: CorruptedWorld) => string;
}

/** All columns except the generated one and the idempotency key, which must not be duplicated. */
const columns = 'user_id, project_id, amount_cents, currency, status, created_by_api_key, created_at';
const copyOfPending =
  (environment: (ids: CorruptedWorld) => number) =>
  (ids: CorruptedWorld): string =>
    `INSERT INTO transactions (environment_id, transaction_id, ${columns})
     SELECT ${environment(ids)}, transaction_id, ${columns} FROM transactions WHERE ${pendingRow(ids)}`;

const withoutTransactionKey = [
  'ALTER TABLE events DROP CONSTRAINT events_transaction_fkey',
  'ALTER TABLE money_returns DROP CONSTRAINT money_returns_transaction_fkey',
  'ALTER TABLE corrections DROP CONSTRAINT corrections_transaction_fkey',
  'ALTER TABLE sandbox_settlements DROP CONSTRAINT sandbox_settlements_transaction_fkey',
  'ALTER TABLE transactions DROP CONSTRAINT transactions_pkey',
];
const withoutEventKeys = [
  'ALTER TABLE events DROP CONSTRAINT events_pkey',
  'DROP INDEX events_once_per_completion',
];

const doubles: readonly Omit<Double, 'sql'>[] = [
  {
    check: 'transaction-id-once',
    problem: 'it occurs more than once',
    table: 'transactions',
    without: withoutTransactionKey,
    double: copyOfPending(({ environmentId }) => environmentId),
    finds: findsPending,
    also: ['contribution-totals-agree'],
  },
  {
    check: 'idempotency-key-once',
    problem: 'one idempotency key for',
    table: 'transactions',
    without: ['ALTER TABLE transactions DROP CONSTRAINT transactions_idempotency_key_key'],
    double: (ids) => `UPDATE transactions SET idempotency_key = 'canary-key' WHERE ${inEnvironment(ids)}`,
    finds: ({ environmentId, pending, completed, returned, corrected }) => [
      { environment_id: environmentId, transaction_id: [pending, completed, returned, corrected].sort()[0]! },
    ],
  },
  ...(
    [
      ['created', createdEvent, findsPending],
      ['completed', completedEvent, findsCompleted],
    ] as const
  ).map(([name, event, finds]) => ({
    check: 'event-once',
    problem: `it has more than one contribution.${name} event`,
    table: 'events',
    without: withoutEventKeys,
    double: (ids: CorruptedWorld): string => `INSERT INTO events SELECT * FROM events WHERE ${event(ids)}`,
    finds,
    also: ['contribution-totals-agree'],
  })),
  {
    check: 'return-once',
    problem: 'one bank reference for more than one return',
    table: 'money_returns',
    without: [
      'ALTER TABLE money_returns DROP CONSTRAINT money_returns_undoes_fkey',
      'ALTER TABLE money_returns DROP CONSTRAINT money_returns_pkey',
      'DROP INDEX money_returns_reference_once',
    ],
    double: (ids) =>
      `INSERT INTO money_returns SELECT * FROM money_returns WHERE ${returnedRow(ids)} AND kind = 'return'`,
    finds: findsReturned,
    also: ['returned-amount-agrees'],
  },
  {
    check: 'support-once',
    problem: 'the support occurs more than once',
    table: 'supports',
    without: ['ALTER TABLE supports DROP CONSTRAINT supports_pkey'],
    double: (ids) => `INSERT INTO supports SELECT * FROM supports WHERE ${inEnvironment(ids)}`,
    finds: findsSupport,
    also: ['project-figures-agree'],
  },
  {
    check: 'user-once',
    problem: 'one user_hash for',
    table: 'users',
    without: ['ALTER TABLE users DROP CONSTRAINT users_user_hash_key'],
    double: (ids) =>
      `INSERT INTO users (environment_id, user_hash) SELECT environment_id, user_hash FROM users WHERE ${inEnvironment(ids)}`,
    finds: ({ environmentId, userId }) => [{ environment_id: environmentId, user_id: userId }],
  },
];

/** Duplicates that were inserted after a constraint was dropped. */
export const oncePlants: readonly Corruption[] = [
  ...doubles.map((corruption) => ({
    ...corruption,
    sql: (ids: CorruptedWorld): string => [...corruption.without, corruption.double(ids)].join('; '),
  })),
  {
    check: 'transaction-id-once',
    problem: 'it occurs in the environments',
    sql: copyOfPending(({ bankEnvironmentId }) => bankEnvironmentId),
    finds: ({ environmentId, bankEnvironmentId, pending }) => [
      { environment_id: Math.min(environmentId, bankEnvironmentId), transaction_id: pending },
    ],
    also: [
      'transaction-id-well-formed',
      'transaction-belongs-together',
      'creation-recorded',
      'contribution-totals-agree',
    ],
  },
];

/**
 * The same duplicates behind unique indexes that exist but lack entries, in a database that prefers
 * indexes to sequential scans.
 */
export const hiddenDoubles: readonly Corruption[] = doubles.map((corruption) => {
  const indexes = `indrelid = '${corruption.table}'::regclass AND indisunique`;
  return {
    ...corruption,
    sql: (ids: CorruptedWorld): string =>
      `UPDATE pg_index SET indisready = false WHERE ${indexes};
       ${corruption.double(ids)};
       UPDATE pg_index SET indisready = true WHERE ${indexes};
       DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET enable_seqscan = off', current_database()); END $$`,
  };
});
