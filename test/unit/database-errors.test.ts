import { DatabaseError as PostgresError } from 'pg';

import {
  ConstraintViolation,
  DatabaseFailure,
  translateConnectError,
  translateStatementError,
} from '../../src/db/errors';

/**
 * What a failed statement left behind, by what PostgreSQL said. Whether it may have been committed
 * decides whether a partner may repeat a create that has no idempotency key.
 */
function postgresError(code: string, severity = 'ERROR', constraint?: string): PostgresError {
  const error = new PostgresError('what PostgreSQL says', 20, 'error');
  return Object.assign(error, { code, severity }, constraint === undefined ? {} : { constraint });
}

describe('an error of PostgreSQL itself', () => {
  test.each([
    ['57014', 'a statement that took too long'],
    ['55P03', 'a lock that was not given in time'],
    ['40P01', 'a deadlock'],
    ['40001', 'a serialization failure'],
  ])('%s, %s, is a timeout that left nothing', (code) => {
    const cause = postgresError(code);
    const failure = translateStatementError(cause);
    expect(failure).toBeInstanceOf(DatabaseFailure);
    expect(failure).toMatchObject({ reason: 'timeout', outcome: 'nothing', cause });
  });

  test.each([
    ['53100', 'a full disk'],
    ['53300', 'too many connections'],
    ['58030', 'a disk that cannot be read'],
    ['25006', 'a server that has become a standby'],
    ['57P03', 'a server that starts up'],
  ])('%s, %s, makes it unavailable and left nothing', (code) => {
    const cause = postgresError(code);
    expect(translateStatementError(cause)).toMatchObject({
      reason: 'unavailable',
      outcome: 'nothing',
      cause,
    });
  });

  test.each(['23505', '23503', '23514'])(
    '%s of a constraint is told by the name of the constraint',
    (code) => {
      const cause = postgresError(code, 'ERROR', 'transactions_pkey');
      const violation = translateStatementError(cause);
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
  ])('with %s is handed on as it is', (_what, error) => {
    expect(translateStatementError(error)).toBe(error);
  });
});

describe('a server that speaks another language', () => {
  test.each([
    ['57014', undefined, { reason: 'timeout', outcome: 'nothing' }],
    ['55P03', undefined, { reason: 'timeout', outcome: 'nothing' }],
    ['25006', undefined, { reason: 'unavailable', outcome: 'nothing' }],
    ['23505', 'transactions_pkey', { constraint: 'transactions_pkey' }],
    // Not known to be an ERROR, which would have left nothing.
    ['53100', undefined, { reason: 'unavailable', outcome: 'unknown' }],
    ['XX000', undefined, { reason: 'unavailable', outcome: 'unknown' }],
  ])('is understood by its codes: %s', (code, constraint, expected) => {
    expect(translateStatementError(postgresError(code, 'FEHLER', constraint))).toMatchObject(expected);
  });
});

test('a plan that a migration has made useless left nothing, and its connection is to be replaced', () => {
  const cause = Object.assign(postgresError('0A000'), { routine: 'RevalidateCachedQuery' });
  expect(translateStatementError(cause)).toMatchObject({ reason: 'unavailable', outcome: 'nothing' });
  expect(translateStatementError(postgresError('26000'))).toMatchObject({
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
    ['something that is no error', 'closed'],
  ])('is what is left after %s', (_what, cause) => {
    const failure = translateStatementError(cause);
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

describe('a connection that was not to be had', () => {
  test('because all are in use, leaves nothing', () => {
    const cause = new Error('timeout exceeded when trying to connect');
    expect(translateConnectError(cause)).toMatchObject({
      reason: 'pool_exhausted',
      outcome: 'nothing',
      cause,
    });
  });

  test.each([
    ['nobody listens', new Error('connect ECONNREFUSED 127.0.0.1:5432')],
    ['the server refuses', postgresError('53300', 'FATAL')],
    ['of something that is no error', 'timeout exceeded when trying to connect'],
  ])('because %s, makes it unavailable and leaves nothing', (_what, cause) => {
    expect(translateConnectError(cause)).toMatchObject({ reason: 'unavailable', outcome: 'nothing', cause });
  });
});
