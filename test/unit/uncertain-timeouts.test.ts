import { type ClientBase, DatabaseError as PostgresError } from 'pg';

import { DatabaseFailure, failureOfWrite, translateQueryError } from '../../src/db/errors';

/** A write that times out on a Citus coordinator may still be committed by the worker. */
function timeout(routine: string): Error {
  const error = new PostgresError('canceling statement due to statement timeout', 20, 'error');
  return translateQueryError(Object.assign(error, { code: '57014', severity: 'ERROR', routine }));
}

function server(reply: () => Promise<{ rows: object[] }>) {
  const query = jest.fn(reply);
  return { client: { query } as unknown as ClientBase, query };
}
const citus = () => server(() => Promise.resolve({ rows: [{}] }));
const plain = () => server(() => Promise.resolve({ rows: [] }));

test('a timeout of the coordinator has an unknown outcome', async () => {
  const failure = await failureOfWrite(timeout('ProcessInterrupts'), citus().client, 1_000);
  expect(failure).toMatchObject({ reason: 'timeout', outcome: 'unknown' });
});

test('a timeout of a worker changed nothing', async () => {
  const { client, query } = citus();
  const failure = await failureOfWrite(timeout('ReportResultError'), client, 1_000);
  expect(failure).toMatchObject({ reason: 'timeout', outcome: 'nothing' });
  expect(query).not.toHaveBeenCalled();
});

test('a timeout of PostgreSQL changed nothing', async () => {
  const failure = await failureOfWrite(timeout('ProcessInterrupts'), plain().client, 1_000);
  expect(failure).toMatchObject({ reason: 'timeout', outcome: 'nothing' });
});

test.each<[what: string, reply: () => Promise<{ rows: object[] }>]>([
  ['fails', () => Promise.reject(new Error('closed'))],
  ['gets no reply', () => new Promise(() => undefined)],
])(
  'if the check for Citus %s, the outcome is unknown and the connection is not used again',
  async (_, reply) => {
    const failure = await failureOfWrite(timeout('ProcessInterrupts'), server(reply).client, 10);
    expect(failure).toMatchObject({ reason: 'unavailable', outcome: 'unknown' });
  },
);

test('other failures are passed on', async () => {
  const { client, query } = citus();
  const failure = new DatabaseFailure('unavailable', 'nothing', new Error('refused'));
  expect(await failureOfWrite(failure, client, 1_000)).toBe(failure);
  expect(query).not.toHaveBeenCalled();
});
