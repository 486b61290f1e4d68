import { DatabaseError as PostgresError, type PoolClient } from 'pg';

import { createUncertainTimeouts } from '../../src/db/citus/uncertain-timeouts';
import { DatabaseFailure, translateStatementError } from '../../src/db/errors';

/** A write that times out on a Citus coordinator may still be committed by the worker. */
function timeout(routine: string): Error {
  const error = new PostgresError('canceling statement due to statement timeout', 20, 'error');
  return translateStatementError(Object.assign(error, { code: '57014', severity: 'ERROR', routine }));
}

function server(reply: () => Promise<{ rows: { has_citus: boolean }[] }>) {
  const query = jest.fn(reply);
  return { client: { query } as unknown as PoolClient, query };
}
const citus = () => server(() => Promise.resolve({ rows: [{ has_citus: true }] }));
const plain = () => server(() => Promise.resolve({ rows: [{ has_citus: false }] }));

test('a timeout of the coordinator has an unknown outcome', async () => {
  const { client } = citus();
  const judged = await createUncertainTimeouts().judge(timeout('ProcessInterrupts'), client);
  expect(judged).toMatchObject({ reason: 'timeout', outcome: 'unknown' });
});

test('a timeout of a worker changed nothing', async () => {
  const { client, query } = citus();
  const judged = await createUncertainTimeouts().judge(timeout('ReportResultError'), client);
  expect(judged).toMatchObject({ reason: 'timeout', outcome: 'nothing' });
  expect(query).not.toHaveBeenCalled();
});

test('a timeout of PostgreSQL changed nothing, and the check for Citus runs once', async () => {
  const { client, query } = plain();
  const timeouts = createUncertainTimeouts();
  for (let count = 0; count < 2; count += 1) {
    expect(await timeouts.judge(timeout('ProcessInterrupts'), client)).toMatchObject({ outcome: 'nothing' });
  }
  expect(query).toHaveBeenCalledTimes(1);
});

test('a failed check for Citus gives an unknown outcome, and is repeated', async () => {
  const { client, query } = server(() => Promise.reject(new Error('closed')));
  const timeouts = createUncertainTimeouts();
  for (let count = 0; count < 2; count += 1) {
    expect(await timeouts.judge(timeout('ProcessInterrupts'), client)).toMatchObject({ outcome: 'unknown' });
  }
  expect(query).toHaveBeenCalledTimes(2);
});

test('other failures are passed on', async () => {
  const { client, query } = citus();
  const failure = new DatabaseFailure('unavailable', 'nothing', new Error('refused'));
  expect(await createUncertainTimeouts().judge(failure, client)).toBe(failure);
  expect(query).not.toHaveBeenCalled();
});
