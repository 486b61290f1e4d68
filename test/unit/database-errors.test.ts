import { DatabaseError as PostgresError } from 'pg';

import {
  ConstraintViolation,
  DatabaseFailure,
  translateConnectError,
  translateQueryError,
} from '../../src/db/errors';

/**
 * The outcome of a failed query, from PostgreSQL's error. If the query may have been
 * committed, a partner must not repeat a create without an idempotency key.
 */
function postgresError(code: string, severity = 'ERROR', constraint?: string): PostgresError {
  const error = new PostgresError('what PostgreSQL says', 20, 'error');
  return Object.assign(error, { code, severity }, constraint === undefined ? {} : { constraint });
}

describe('an error from PostgreSQL', () => {
  test.each([
    ['57014', 'a statement that took too long'],
    ['55P03', 'a lock that was not given in time'],
  ])('%s, %s, is a timeout without changes', (code) => {
    const cause = postgresError(code);
    const failure = translateQueryError(cause);
    expect(failure).toBeInstanceOf(DatabaseFailure);
    expect(failure).toMatchObject({ reason: 'timeout', outcome: 'nothing', cause });
  });

  test.each([
    ['40P01', 'a deadlock'],
    ['40001', 'a serialization failure'],
  ])('%s, %s, is a conflict without changes', (code) => {
    const cause = postgresError(code);
    expect(translateQueryError(cause)).toMatchObject({ reason: 'conflict', outcome: 'nothing', cause });
  });

  test.each([
    ['53100', 'a full disk', 'no_room'],
    ['53200', 'a lack of memory', 'no_room'],
    ['53400', 'a limit on temporary files', 'no_room'],
    ['25006', 'a server that accepts no writes', 'read_only'],
  ])('%s, %s, means %s without changes', (code, _text, reason) => {
    const cause = postgresError(code);
    expect(translateQueryError(cause)).toMatchObject({ reason, outcome: 'nothing', cause });
  });

  // PostgreSQL has no code for a quota and for the largest size of a file.
  test.each(['mdextend', 'mdzeroextend', 'BufFileDumpBuffer'])(
    'an internal error of %s, a function that enlarges a file, means no_room',
    (routine) => {
      const cause = Object.assign(postgresError('XX000'), { routine });
      expect(translateQueryError(cause)).toMatchObject({ reason: 'no_room', outcome: 'nothing' });
      const damaged = Object.assign(postgresError('58030'), { routine });
      expect(translateQueryError(damaged)).toMatchObject({ reason: 'unavailable', outcome: 'nothing' });
    },
  );

  test.each([
    ['53300', 'too many connections'],
    ['58030', 'a disk that cannot be read'],
    ['57P03', 'a server that starts up'],
  ])('%s, %s, means unavailable without changes', (code) => {
    const cause = postgresError(code);
    expect(translateQueryError(cause)).toMatchObject({
      reason: 'unavailable',
      outcome: 'nothing',
      cause,
    });
  });

  test.each(['23505', '23503', '23514'])(
    '%s of a constraint is identified by the name of the constraint',
    (code) => {
      const cause = postgresError(code, 'ERROR', 'transactions_pkey');
      const violation = translateQueryError(cause);
      expect(violation).toBeInstanceOf(ConstraintViolation);
      expect(violation).toMatchObject({
        name: 'ConstraintViolation',
        message: 'constraint transactions_pkey',
        constraint: 'transactions_pkey',
        cause,
      });
    },
  );

  test.each([
    ['23502, which names no constraint', postgresError('23502')],
    ['42883 with a constraint', postgresError('42883', 'ERROR', 'transactions_pkey')],
    ['42P01, a mistake in our SQL', postgresError('42P01')],
    ['25P02, which only begins like a read-only server', postgresError('25P02')],
    ['57P05, which only begins like a server that starts up', postgresError('57P05')],
    ['22008, which only ends like a lost connection', postgresError('22008')],
    ['22P53, which only ends like a shortage', postgresError('22P53')],
    ['no code', Object.assign(postgresError(''), { code: undefined })],
  ])('with %s is passed on unchanged', (_what, error) => {
    expect(translateQueryError(error)).toBe(error);
  });
});

describe('a server with another language', () => {
  test.each([
    ['57014', undefined, { reason: 'timeout', outcome: 'nothing' }],
    ['55P03', undefined, { reason: 'timeout', outcome: 'nothing' }],
    ['25006', undefined, { reason: 'read_only', outcome: 'nothing' }],
    ['23505', 'transactions_pkey', { constraint: 'transactions_pkey' }],
    // This is not certain to be an ERROR, which leaves no changes.
    ['53100', undefined, { reason: 'no_room', outcome: 'unknown' }],
    ['XX000', undefined, { reason: 'unavailable', outcome: 'unknown' }],
  ])('is understood by its error codes: %s', (code, constraint, expected) => {
    expect(translateQueryError(postgresError(code, 'FEHLER', constraint))).toMatchObject(expected);
  });
});

test('a plan that a migration has invalidated makes no changes, and its connection must be replaced', () => {
  const cause = Object.assign(postgresError('0A000'), { routine: 'RevalidateCachedQuery' });
  expect(translateQueryError(cause)).toMatchObject({ reason: 'unavailable', outcome: 'nothing' });
  expect(translateQueryError(postgresError('26000'))).toMatchObject({
    reason: 'unavailable',
    outcome: 'nothing',
  });
});

describe('a statement that may have been committed', () => {
  test.each([
    ['08006 of a coordinator that lost its worker', postgresError('08006')],
    ['08P01 of a pooler', postgresError('08P01')],
    ['40003, which says so', postgresError('40003')],
    ['FATAL, whatever its code', postgresError('57014', 'FATAL')],
    ['PANIC', postgresError('53100', 'PANIC')],
    ['FATAL, with the name of a constraint', postgresError('23505', 'FATAL', 'transactions_pkey')],
    ['no word from the server', new Error('Connection terminated unexpectedly')],
    ['a value that is not an Error', 'closed'],
  ])('is the result of %s', (_what, cause) => {
    const failure = translateQueryError(cause);
    expect(failure).toBeInstanceOf(DatabaseFailure);
    expect(failure).toMatchObject({
      name: 'DatabaseFailure',
      message: 'database unavailable, outcome unknown',
      reason: 'unavailable',
      outcome: 'unknown',
      cause,
    });
  });
});

describe('an error of a worker, as the coordinator of a Citus cluster reports it', () => {
  const reported = (code: string, message: string, constraint?: string): PostgresError =>
    Object.assign(postgresError(code, 'ERROR', constraint), { message });
  const connection = (reason: string): PostgresError =>
    reported(
      '08006',
      `connection to the remote node contribution_service@127.0.0.1:19702 failed with the following error: ${reason}`,
    );

  test.each([
    [
      '23505',
      'duplicate key value violates unique constraint "transactions_pkey_102112"',
      'transactions_pkey',
    ],
    [
      'XX000',
      'duplicate key value violates unique constraint "users_user_hash_key_102072"',
      'users_user_hash_key',
    ],
    [
      '23514',
      'new row for relation "users_102072" violates check constraint "users_user_hash_form"',
      'users_user_hash_form',
    ],
    [
      '23503',
      'insert or update on table "transactions_102112" violates foreign key constraint "transactions_user_fkey_102112"',
      'transactions_user_fkey',
    ],
  ])('%s, %s, is identified by the name of the constraint in the schema', (code, message, constraint) => {
    expect(translateQueryError(reported(code, message))).toMatchObject({
      name: 'ConstraintViolation',
      constraint,
    });
  });

  test('the shard of a reference table on the coordinator itself does not change the name', () => {
    const cause = reported('23505', 'duplicate key', 'companies_name_key_102008');
    expect(translateQueryError(cause)).toMatchObject({ constraint: 'companies_name_key' });
  });

  test('XX000 with another message is passed on unchanged', () => {
    const error = reported('XX000', 'tuple concurrently updated');
    expect(translateQueryError(error)).toBe(error);
  });

  test.each([
    'cannot execute a distributed query from a query on a shard',
    'there is a shard placement in node group 35 but there are no nodes in that group',
  ])('a shard that has just moved to another worker changed nothing: %s', (message) => {
    const cause = reported('XX000', message);
    expect(translateQueryError(cause)).toMatchObject({ reason: 'unavailable', outcome: 'nothing' });
  });

  test('a shard that moved between two statements of a function changed nothing', () => {
    const message = (constraint: string) =>
      `insert or update on table "events_102086" violates foreign key constraint "${constraint}"`;
    const cause = reported('23503', message('events_transaction_fkey_102086'));
    expect(translateQueryError(cause)).toMatchObject({ reason: 'unavailable', outcome: 'nothing' });
    const onOneServer = reported('23503', message('events_transaction_fkey'));
    expect(translateQueryError(onOneServer)).toMatchObject({ constraint: 'events_transaction_fkey' });
  });

  test.each([
    'Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?',
    'timeout expired',
    'No route to host',
    'FATAL:  the database system is starting up',
    'FATAL:  the database system is not yet accepting connections\nDETAIL:  Consistent recovery state has not been yet reached.',
    'FATAL:  sorry, too many clients already',
    'FATAL:  remaining connection slots are reserved for non-replication superuser connections',
    'FATAL:  too many connections for role "contribution_service"',
    'FATAL:  too many connections for database "contribution_service"',
    'fe_sendauth: no password supplied',
    'FATAL:  password authentication failed for user "contribution_service"',
    'FATAL:  no pg_hba.conf entry for host "10.0.0.1", user "contribution_service", SSL encryption',
    'FATAL:  role "contribution_service" is not permitted to log in',
  ])('a worker that could not be reached changed nothing: %s', (reason) => {
    expect(translateQueryError(connection(reason))).toMatchObject({
      reason: 'unavailable',
      outcome: 'nothing',
    });
  });

  test.each([
    ['a closed connection', connection('server closed the connection unexpectedly')],
    ['a frozen worker', connection('could not receive data from server: Connection timed out')],
    ['a broken TLS session', connection('SSL connection has been closed unexpectedly')],
    ['an ended session', reported('57P01', 'terminating connection due to administrator command')],
    ['a crash', reported('57P02', 'terminating connection because of crash of another server process')],
    ['at its start or end', reported('XX000', 'failure on connection marked as essential: 127.0.0.1:19702')],
    [
      'at the commit',
      reported('XX000', 'could not commit transaction for shard 102112 on at least one active node'),
    ],
  ])('a worker that was lost later may have committed: %s', (_what, cause) => {
    expect(translateQueryError(cause)).toMatchObject({ reason: 'unavailable', outcome: 'unknown' });
  });
});

describe('a failure to open a connection', () => {
  test.each([
    ['the port is closed', new Error('connect ECONNREFUSED 127.0.0.1:5432')],
    ['the server rejects it', postgresError('53300', 'FATAL')],
    ['of a value that is not an Error', 'timeout exceeded when trying to connect'],
  ])('because %s means unavailable without changes', (_what, cause) => {
    expect(translateConnectError(cause)).toMatchObject({ reason: 'unavailable', outcome: 'nothing', cause });
  });
});
