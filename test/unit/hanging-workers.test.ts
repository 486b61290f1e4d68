import { DatabaseError } from 'pg';

import { limitHangingWorkers } from '../../src/db/citus/hanging-workers';
import { DatabaseFailure } from '../../src/db/errors';
import { ReplyTimeout } from '../../src/db/pool/reply-timeout';
import { ServiceError } from '../../src/shared/errors';
import type { LimitWork } from '../../src/shared/limit-work';

/** Requests of environments whose worker may hang. */
let clockMs: number;
let coordinatorResponds: boolean;
let limitWork: LimitWork;
const most = 2;
const changes = (): boolean => true;
const reads = (): boolean => false;

const workersOf = (isCluster: boolean): LimitWork =>
  limitHangingWorkers(
    {
      runUnprepared: <Row>() =>
        coordinatorResponds ? Promise.resolve([{ is_cluster: isCluster }] as Row[]) : Promise.reject(noReply),
    },
    most,
    () => clockMs,
  );

beforeEach(() => {
  clockMs = 1_000;
  coordinatorResponds = true;
  limitWork = workersOf(true);
});

const cancelled = (routine: string): DatabaseError =>
  Object.assign(new DatabaseError('canceling statement', 0, 'error'), { code: '57014', routine });
const noReply = new DatabaseFailure('unavailable', 'unknown', new ReplyTimeout('no reply'));

/** A request that fails. The note of its failure is taken when this ends. */
async function fail(environmentId: number, error: Error = noReply): Promise<void> {
  await expect(limitWork(environmentId, changes, () => Promise.reject(error))).rejects.toBe(error);
  await new Promise(setImmediate);
}
/** Requests that have begun and wait. Resolves to how many were rejected at once. */
async function rejectedOf(environmentId: number, count: number): Promise<number> {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const requests = Array.from({ length: count }, () =>
    limitWork(environmentId, reads, () => ended).then(
      () => 0,
      () => 1,
    ),
  );
  end();
  return (await Promise.all(requests)).reduce((sum: number, one) => sum + one, 0);
}

test.each([
  ['no reply', noReply],
  [
    'a read that the coordinator cancelled',
    new DatabaseFailure('timeout', 'nothing', cancelled('ProcessInterrupts')),
  ],
  ['a create without a key', new ServiceError('outcome_unknown', { detail: 'unknown', cause: noReply })],
])('after %s, two requests of the environment may be in progress', async (_what, error) => {
  await fail(1, error);
  expect([await rejectedOf(1, 5), await rejectedOf(2, 5)]).toEqual([3, 0]);
});

test('the limited environments share their two requests', async () => {
  await fail(1);
  await fail(2);
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const first = [limitWork(1, reads, () => ended), limitWork(2, reads, () => ended)];
  await expect(limitWork(2, reads, () => ended)).rejects.toMatchObject({
    reason: 'unavailable',
    outcome: 'nothing',
  });
  end();
  await Promise.all(first);
  expect(await rejectedOf(2, 2)).toBe(0);
});

test.each([
  [
    'an error of the worker itself',
    new DatabaseFailure('timeout', 'nothing', cancelled('ReportResultError')),
  ],
  ['a busy pool', new DatabaseFailure('pool_exhausted', 'nothing', new Error('busy'))],
  ['an error of the request', new ServiceError('project_not_found', { detail: 'no project' })],
])('%s limits nothing', async (_what, error) => {
  await fail(1, error);
  expect(await rejectedOf(1, 5)).toBe(0);
});

test('on PostgreSQL, a timeout limits nothing', async () => {
  limitWork = workersOf(false);
  await fail(1);
  expect(await rejectedOf(1, 5)).toBe(0);
});

test('a change that succeeds ends the limit, and a read does not', async () => {
  await fail(1);
  await limitWork(1, reads, () => Promise.resolve());
  expect(await rejectedOf(1, 5)).toBe(3);
  await limitWork(1, changes, () => Promise.resolve());
  expect(await rejectedOf(1, 5)).toBe(0);
});

test('the limit of an environment ends 30 seconds after its last timeout', async () => {
  await fail(1);
  clockMs += 29_000;
  await fail(2);
  expect(await rejectedOf(1, 5)).toBe(3);
  clockMs += 1_001;
  expect([await rejectedOf(1, 5), await rejectedOf(2, 5)]).toEqual([0, 3]);
});

test('a request that waits for something else is not in progress', async () => {
  await fail(1);
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const polls = Array.from({ length: 3 }, () => limitWork(1, reads, (pause) => pause!(() => ended)));
  expect(await rejectedOf(1, 3)).toBe(1);
  end();
  await Promise.all(polls);
});

test('if the coordinator does not respond either, nothing is limited', async () => {
  await fail(1);
  coordinatorResponds = false;
  await fail(2);
  expect([await rejectedOf(1, 5), await rejectedOf(2, 5)]).toEqual([3, 0]);
});
